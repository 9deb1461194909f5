/** The parts of a connection that send messages and follow what becomes of them. */
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import type { Logger } from '../../log.ts';
import { type AcceptanceContext, Acceptances } from './acceptance.ts';
import { AckReactions } from './ack-reactions.ts';
import { Addressing } from '../identity/addressing.ts';
import { DeviceLists } from '../identity/device-lists.ts';
import { beginSessions } from './key-bundles.ts';
import { Outbox, type OutboxParts } from './outbox.ts';
import { meOf } from '../login/account.ts';
import { Acks } from './server-ack.ts';
import { groupMetadata } from '../groups/metadata.ts';
import { askLids } from '../identity/usync.ts';

export interface SendingParts extends Omit<AcceptanceContext, 'me'>, Pick<OutboxParts, 'line' | 'tokens' | 'encrypt'> {
  readonly sock: WASocket;
  readonly creds: AuthenticationCreds;
  readonly whenEnded: Set<(error: unknown) => void>;
  readonly log: Logger;
}

export interface Sending {
  readonly outbox: Outbox;
  readonly acks: Acks;
  readonly acceptances: Acceptances;
  readonly reactions: AckReactions;
}

export const makeSending = (parts: SendingParts): Sending => {
  const { sock, creds, memory, lidMapping } = parts;
  // The engine's own question takes a failure for an empty answer.
  lidMapping.askWith((phones) => askLids(sock, phones));
  const devices = new DeviceLists({ sock, creds, cache: memory.userDevices });
  const metadataOf = groupMetadata(memory, (jid) => sock.groupMetadata(jid));
  const outbox = new Outbox({
    ...parts,
    addressing: new Addressing(creds, lidMapping),
    devices,
    beginSessions: (jids) => beginSessions(sock, lidMapping, jids),
    groupMembers: async (group) => (await metadataOf(group)).participants.map(({ id }) => id),
  });
  return {
    outbox,
    acks: new Acks(sock, parts.whenEnded),
    acceptances: new Acceptances({ ...parts, me: () => meOf(creds) }),
    reactions: new AckReactions({ ...parts, devices }),
  };
};
