/**
 * Names in a message: an earlier message by id, chat and author, and the people whom it mentions.
 *
 * Rule: chat and author are in the namespace of the chat: LIDs on a migrated account and in groups that address their members so, else phone JIDs;
 * `participant` stands in groups alone, and not for own messages. Source: whatsmeow `BuildMessageKey` (send.go, 2026-08-21).
 */
import type { proto } from '../engine/proto.ts';
import { type Jid, jidUser } from '../../domain/jid.ts';
import { registered } from '../identity/look-up.ts';
import type { Session } from '../session.ts';
import { type ChatRef, withNames } from '../identity/people.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { groupOf as keptGroup } from './group-of.ts';
import { isLidMigrated } from '../identity/addressing.ts';

/**
 * Rule: in groups that name their members by LID `mentionedJid` and the digits after `@` in the text are LIDs, elsewhere numbers; the network's apps
 * look one up by the other. Source: whatsmeow and zapo leave both to the caller, WhatsApp's apps send and show both so (whatsapp-rust and mautrix-whatsapp
 * read them, 2026-08). The log and events have numbers (`translate/record.ts`).
 */
interface Mentions {
  readonly jids: string[];
  /** The text with the digits that the chat knows people by. */
  inText(this: void, text: string): string;
}

const nobody: Mentions = { jids: [], inText: (text) => text };

/** `given`: as the caller named people. */
export const mentionsFor = async (link: Session, given: readonly Jid[], chat: ChatRef): Promise<Mentions> => {
  if (given.length === 0) return nobody;
  const byLid = chat.isGroup && (await groupOf(link, chat)).addressing === 'lid';
  const named = new Map<string, Jid>();
  for (const each of given) {
    const jid = await registered(link, each);
    const { lid, phone } = await link.lidMapping.addressesOf(jid);
    named.set(jidUser(each), (byLid ? lid : chat.isGroup ? phone : null) ?? jid);
  }
  const users = new Map([...named].map(([user, jid]) => [user, jidUser(jid)]));
  return { jids: [...new Set(named.values())], inText: (text) => withNames(text, users) };
};

/** Rewrites the texts and captions of a message in place. */
export const nameInTexts = (message: proto.IMessage, { inText }: Mentions): void => {
  const { extendedTextMessage: text, imageMessage, videoMessage, documentMessage } = message;
  if (text?.text) text.text = inText(text.text);
  for (const media of [imageMessage, videoMessage, documentMessage])
    if (media?.caption) media.caption = inText(media.caption);
};

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
