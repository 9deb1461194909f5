/** Checks the right to delete a message for everyone: its author has it, and in a group the administrators. */
import type { proto } from '../engine/proto.ts';
import type { GroupMetadata } from '../engine/types.ts';
import type { Person } from '../../domain/messages/parts.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MessageStore } from '../../domain/stores.ts';
import type { Envelope } from '../translate/envelope.ts';
import { isSamePerson } from '../../domain/messages/person.ts';
import { plainJid } from '../translate/people.ts';

/** A group as the network tells of it; null where it does not. */
export type GroupOf = (group: Jid) => Promise<GroupMetadata | null>;

export const authorOf = ({ from, fromNumber, fromLid }: MessageRecord): Person => ({
  jid: from,
  number: fromNumber,
  lid: fromLid,
});

export const isAdministrator = ({ participants }: GroupMetadata, { jid, number, lid }: Person): boolean => {
  const names = new Set([jid, lid, number === null ? null : `${number}@s.whatsapp.net`]);
  return participants.some(
    (member) =>
      (member.admin === 'admin' || member.admin === 'superadmin') &&
      [member.id, member.lid, member.phoneNumber].some((name) => name !== undefined && names.has(plainJid(name))),
  );
};

/**
 * Whether a revoke in a group counts; a member can send one that names whatever message there is. The author of a message that is not
 * here is whom the revoke names. An administrator is one by the group's metadata at this time.
 */
export const mayRevoke = async (
  parts: { readonly deviceId: number; readonly messages: MessageStore; readonly groupOf: GroupOf },
  { chat, from }: Envelope,
  messageId: string,
  key: proto.IMessageKey | null | undefined,
): Promise<boolean> => {
  const original = await parts.messages.find(parts.deviceId, messageId, chat, true);
  const named = key?.participant ? plainJid(key.participant) : null;
  const isAuthor =
    original === null
      ? named === null || named === from.jid || named === from.lid
      : isSamePerson(authorOf(original), from);
  if (isAuthor) return true;
  const group = await parts.groupOf(chat);
  return group !== null && isAdministrator(group, from);
};
