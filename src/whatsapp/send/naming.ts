/**
 * Earlier messages as a new one names them: by id, chat and author.
 *
 * Rule: chat and author are in the namespace of the chat: LIDs on a migrated account and in groups that address their members so, else phone JIDs;
 * `participant` stands in groups alone, and not for own messages. Source: whatsmeow `BuildMessageKey` (send.go, 2026-08-21).
 */
import type { proto } from '../engine/proto.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { groupOf as keptGroup } from './group-of.ts';
import { isLidMigrated } from '../identity/addressing.ts';
import type { Session } from '../session.ts';
import type { ChatRef } from '../identity/people.ts';

/** Throws SendRefused for a group that does not exist, or that the account is not in. */
export const groupOf = ({ groupKeeper }: Session, { chat }: ChatRef): Promise<KeptGroup> =>
  keptGroup(groupKeeper, chat);

/** Stored before the phone number of the chat was known, it has the LID for its chat. */
export const findInChat = async (
  { deviceId, messages }: Session,
  id: string,
  { chat, chatLid }: ChatRef,
): Promise<MessageRecord | null> => {
  const found = await messages.find(deviceId, id, chat);
  const either = found ?? (chatLid === null || chatLid === chat ? null : await messages.find(deviceId, id, chatLid));
  return either?.state === 'action' ? null : either;
};

const namesByLid = async (link: Session, chat: ChatRef): Promise<boolean> =>
  chat.isGroup ? (await groupOf(link, chat)).addressing === 'lid' : isLidMigrated(link.creds);

export const authorNameOf = async (link: Session, { from, fromLid }: MessageRecord, chat: ChatRef): Promise<Jid> =>
  (await namesByLid(link, chat)) ? (fromLid ?? from) : from;

export const keyOf = async (link: Session, original: MessageRecord, chat: ChatRef): Promise<proto.IMessageKey> => {
  const { id, direction } = original;
  const fromMe = direction === 'out';
  if (chat.isGroup) {
    const participant = fromMe ? {} : { participant: await authorNameOf(link, original, chat) };
    return { remoteJid: chat.chat, fromMe, id, ...participant };
  }
  const byLid = await namesByLid(link, chat);
  return { remoteJid: byLid ? (chat.chatLid ?? chat.chat) : chat.chat, fromMe, id };
};
