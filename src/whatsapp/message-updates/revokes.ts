/** The right to delete a message for everyone: its author's, and in a group its administrators'. */
import type { proto } from '../library/proto.ts';
import { isAdministrator } from '../../domain/groups/changes.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import { type Person, isSamePerson } from '../../domain/messages/parts.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MessageStore } from '../../domain/stores.ts';
import type { Envelope } from '../translate/parts/envelope.ts';
import { plainJid } from '../identity/people.ts';

export type GroupOf = (group: Jid) => Promise<KeptGroup | null>;

export const authorOf = ({ from, fromNumber, fromLid, fromUsername }: MessageRecord): Person => ({
  jid: from,
  number: fromNumber,
  lid: fromLid,
  ...(fromUsername && { username: fromUsername }),
});

/** Any member can send a revoke. The author of an unknown message is taken from it. Administrators as of when it was sent. */
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
