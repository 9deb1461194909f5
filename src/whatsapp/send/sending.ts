/** The parts of a connection for sending messages and following their state. */
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import type { Logger } from '../../log.ts';
import { type AcceptanceContext, Acceptances } from './acceptance.ts';
import { AckReactions, Acks } from './server-ack.ts';
import { Addressing, type DeviceLists } from '../identity/addressing.ts';
import type { BeginSessions } from './key-bundles.ts';
import { Departures, type DeparturesParts, type OutboundMessage, Outbox } from './outbox.ts';
import { meOf } from '../identity/people.ts';
import type { StoredGroups } from '../groups/stored-groups.ts';
import { groupOf } from './group-of.ts';
import type { EncryptForGroup } from '../signal/groups.ts';
import { GroupSends } from './group-sends.ts';
import { messageOf } from '../../errors.ts';
import type { Jid } from '../../domain/jid.ts';

export interface SendingParts
  extends Omit<AcceptanceContext, 'me'>, Pick<DeparturesParts, 'line' | 'tokens' | 'encrypt'> {
  readonly sock: Socket;
  readonly creds: AuthenticationCreds;
  readonly devices: DeviceLists;
  readonly beginSessions: BeginSessions;
  readonly storedGroups: StoredGroups;
  readonly encryptForGroup: EncryptForGroup;
  readonly whenEnded: Set<(error: unknown) => void>;
  readonly log: Logger;
}

export interface Sending {
  readonly outbox: Outbox<OutboundMessage>;
  readonly acks: Acks;
  readonly acceptances: Acceptances;
  readonly reactions: AckReactions;
  readonly groupSends: GroupSends;
}

export const makeSending = (parts: SendingParts): Sending => {
  const { sock, creds, lidMapping, devices } = parts;
  const groupSends = new GroupSends({
    ...parts,
    groupOf: (group) => groupOf(parts.storedGroups, group),
  });
  const { depart } = new Departures({
    ...parts,
    addressing: new Addressing(creds, lidMapping),
    groupSends,
  });
  const doubtGroup = (group: Jid): void => {
    parts.storedGroups
      .doubtOf(group)
      .catch((error: unknown) =>
        parts.log.warn({ error: messageOf(error) }, 'failed to write that a group is in doubt'),
      );
  };
  return {
    outbox: new Outbox(depart, parts.clock),
    acks: new Acks(sock, parts.whenEnded),
    acceptances: new Acceptances({ ...parts, me: () => meOf(creds) }),
    reactions: new AckReactions({ ...parts, devices, groupSends, doubtGroup }),
    groupSends,
  };
};
