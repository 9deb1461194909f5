/** The parts of a connection for conversation actions other than messages. */
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Report } from '../../domain/changes.ts';
import type { DeviceSettings } from '../../domain/device.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import { messageOf } from '../../errors.ts';
import type { HistoryRequests } from '../chats/history/requests.ts';
import type { PrivacyTokens } from '../identity/privacy-tokens.ts';
import { Addressing } from '../identity/addressing.ts';
import { registered } from '../identity/look-up.ts';
import type { Logger } from '../../log.ts';
import { meOf } from '../identity/account.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { FollowedPresence } from './presence.ts';
import { Typing } from './typing.ts';

export interface ConversationParts {
  readonly typing: Typing;
  readonly presences: FollowedPresence;
  readonly history: HistoryRequests;
  readonly addressOf: (chat: Jid) => Promise<Jid>;
  readonly tokenFor: PrivacyTokens['nodeFor'];
  readonly tokenOf: PrivacyTokens['of'];
}

export interface ConversationOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
  readonly memory: DeviceMemory;
  readonly settings: DeviceSettings;
  readonly sock: Socket;
  readonly lidMapping: LidMapping;
  readonly tokens: PrivacyTokens;
  readonly history: HistoryRequests;
  readonly whenEnded: Set<(error: unknown) => void>;
  readonly clock: Clock;
  readonly log: Logger;
}

export const attachConversation = (options: ConversationOptions): ConversationParts => {
  const { deviceId, creds, store, settings, sock, lidMapping, tokens, history, whenEnded, clock, log } = options;
  const addressing = new Addressing(creds, lidMapping);
  const addressOf = async (chat: Jid): Promise<Jid> =>
    jidKind(chat) === 'group' ? chat : (await addressing.of(await registered(options, chat))).to;
  const typing = new Typing({ sock, creds, clock, addressOf });
  whenEnded.add(() => typing.end());
  whenEnded.add(() => history.end());
  const failed = (error: unknown): void => log.warn({ error: messageOf(error) }, 'failed to read history requests');
  sock.on('open', () => void history.resume().catch(failed));
  const write = (presence: Report): Promise<unknown> => store.commit(deviceId, { facts: [presence] });
  const me = () => meOf(creds);
  const [tokenFor, tokenOf] = [(jid: Jid) => tokens.nodeFor(jid), (jid: Jid) => tokens.of(jid)];
  const parts = { sock, lidMapping, me, addressOf, tokenFor, write, clock, log };
  const presences = new FollowedPresence(parts, settings.presence);
  return { typing, presences, history, addressOf, tokenFor, tokenOf };
};
