/** The parts of a connection that read history and request it. */
import type { WASocket } from '../../engine/types.ts';
import type { DeviceSettings } from '../../../domain/device.ts';
import type { PrivacyTokens } from '../../identity/privacy-tokens.ts';
import type { LidMapping } from '../../signal/lid-mapping.ts';
import type { SessionStore } from '../../state/session-store.ts';
import type { ChatTimers } from '../timers.ts';
import type { SendToPhone } from '../../send/peer-message.ts';
import { History, type HistoryParts } from './history.ts';
import { HistoryMessages, type HistoryMessagesParts } from './messages.ts';
import type { PendingChunks } from './pending.ts';
import { HistoryRequests } from './requests.ts';

type Options = Omit<HistoryParts, 'sock' | 'lidMapping' | 'tokens' | 'timers' | 'messages' | 'wish'> &
  Omit<HistoryMessagesParts, 'lidMapping' | 'requests'> & {
    readonly store: SessionStore;
    /** Settings at the start of the connection, used by a pairing. */
    readonly settings: DeviceSettings;
  };

interface Made {
  readonly sock: WASocket;
  readonly lidMapping: LidMapping;
  readonly tokens: PrivacyTokens;
  readonly timers: ChatTimers;
  readonly send: SendToPhone;
}

export const attachHistory = (options: Options, pending: PendingChunks, made: Made): HistoryRequests => {
  const requests = new HistoryRequests({ ...options, send: made.send });
  const messages = new HistoryMessages({ ...options, lidMapping: made.lidMapping, requests });
  new History(pending, { ...options, ...made, messages, wish: () => options.settings.history }).attach();
  return requests;
};
