/** The parts of a connection for conversation actions other than messages. */
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NewEvent } from '../../domain/event.ts';
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
  /** The token for a query about a person. */
  readonly tokenFor: PrivacyTokens['nodeFor'];
  /** The person's own token. */
  readonly tokenOf: PrivacyTokens['of'];
}

export interface ConversationOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
  readonly memory: DeviceMemory;
  /** Settings at the start of the connection. */
  readonly settings: DeviceSettings;
  readonly sock: WASocket;
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
  const typing = new Typing({ sock, clock, addressOf });
  whenEnded.add(() => typing.end());
  whenEnded.add(() => history.end());
  const failed = (error: unknown): void => log.warn({ error: messageOf(error) }, 'failed to read history requests');
  sock.ev.on('connection.update', ({ connection }) => {
    if (connection === 'open') history.resume().catch(failed);
  });
  const write = (event: NewEvent): Promise<unknown> => store.commit(deviceId, { events: [event] });
  const me = () => meOf(creds);
  const presences = new FollowedPresence({ sock, lidMapping, me, addressOf, write, clock, log }, settings.presence);
  const [tokenFor, tokenOf] = [(jid: Jid) => tokens.nodeFor(jid), (jid: Jid) => tokens.of(jid)];
  return { typing, presences, history, addressOf, tokenFor, tokenOf };
};
