/** The parts of a connection that carry a conversation beside its messages. */
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { DeviceSettings } from '../../domain/device.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import { Addressing } from '../identity/addressing.ts';
import type { Logger } from '../../log.ts';
import { meOf } from '../login/account.ts';
import type { SessionStore } from '../login/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { FollowedPresence } from './presence.ts';
import { Typing } from './typing.ts';

export interface ConversationParts {
  readonly typing: Typing;
  readonly presences: FollowedPresence;
  readonly addressOf: (chat: Jid) => Promise<Jid>;
}

export interface ConversationOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
  /** Those with which the connection begins. */
  readonly settings: DeviceSettings;
  readonly sock: WASocket;
  readonly lidMapping: LidMapping;
  readonly whenEnded: Set<(error: unknown) => void>;
  readonly clock: Clock;
  readonly log: Logger;
}

export const attachConversation = (options: ConversationOptions): ConversationParts => {
  const { deviceId, creds, store, settings, sock, lidMapping, whenEnded, clock, log } = options;
  const addressing = new Addressing(creds, lidMapping);
  const addressOf = async (chat: Jid): Promise<Jid> =>
    jidKind(chat) === 'group' ? chat : (await addressing.of(chat)).to;
  const typing = new Typing({ sock, clock, addressOf });
  whenEnded.add(() => typing.end());
  const write = (event: NewEvent): Promise<unknown> => store.commit(deviceId, { events: [event] });
  const me = () => meOf(creds);
  const presences = new FollowedPresence({ sock, lidMapping, me, addressOf, write, clock, log }, settings.presence);
  return { typing, presences, addressOf };
};
