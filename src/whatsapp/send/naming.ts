/**
 * How a message names earlier messages (id, chat, author) and people.
 * Rule: chat and author use the chat's namespace: LIDs on a migrated account and in LID groups, else phone JIDs; `participant` in groups
 * only, and not for own messages. Source: whatsmeow `BuildMessageKey` (send.go, 2026-08-21).
 */
import type { proto } from '../library/proto.ts';
import { type Jid, jidUser } from '../../domain/jid.ts';
import { registered } from '../identity/look-up.ts';
import type { Session } from '../session.ts';
import { type ChatRef, myself, withNames, meOf } from '../identity/people.ts';
import { isAdministrator } from '../../domain/groups/changes.ts';
import { invalidRequest } from '../../errors.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { groupOf as keptGroup } from './group-of.ts';
import { isLidMigrated } from '../identity/addressing.ts';

/**
 * Rule: in LID groups `mentionedJid` and the digits after `@` are LIDs, elsewhere numbers; the apps look one up by the other. Source:
 * whatsmeow and zapo leave both to the caller, WhatsApp's apps send and show it so (whatsapp-rust and mautrix-whatsapp read them,
 * 2026-08). The log and events have numbers (`translate/record.ts`).
 */
interface Mentions {
  readonly jids: string[];
  inText(this: void, text: string): string;
}

export const mentionsFor = async (session: Session, given: readonly Jid[], chat: ChatRef): Promise<Mentions> => {
  const byLid = chat.isGroup && (await groupOf(session, chat)).addressing === 'lid';
  const named = new Map<string, Jid>();
  for (const each of given) {
    const jid = await registered(session, each);
    const { lid, phone } = await session.lidMapping.addressesOf(jid);
    named.set(jidUser(each), (byLid ? lid : chat.isGroup ? phone : null) ?? jid);
  }
  const users = new Map([...named].map(([user, jid]) => [user, jidUser(jid)]));
  return { jids: [...new Set(named.values())], inText: (text) => withNames(text, users) };
};

/** In a larger group only administrators may mention all (WABetaInfo, 2025-11; unconfirmed). */
const maxMembersForAll = 32;

export const assertMayMentionAll = async (session: Session, chat: ChatRef): Promise<void> => {
  const group = await groupOf(session, chat);
  if (group.members.length <= maxMembersForAll || isAdministrator(group, myself(meOf(session.creds)))) return;
  throw invalidRequest(
    `mentionAll: in a group of more than ${maxMembersForAll} members only administrators may mention all`,
  );
};

/** Rewrites the texts and captions of a message in place. */
export const nameInTexts = (message: proto.IMessage, { inText }: Mentions): void => {
  const { extendedTextMessage: text, imageMessage, videoMessage, documentMessage } = message;
  if (text?.text) text.text = inText(text.text);
  for (const media of [imageMessage, videoMessage, documentMessage])
    if (media?.caption) media.caption = inText(media.caption);
};

/** Throws SendRefused for a group that does not exist, or that the account is not in. */
export const groupOf = ({ storedGroups }: Session, { chat }: ChatRef): Promise<KeptGroup> =>
  keptGroup(storedGroups, chat);

/** Stored under its LID if the chat's phone number was unknown. */
export const findInChat = async (
  { deviceId, messages }: Session,
  id: string,
  { chat, chatLid }: ChatRef,
): Promise<MessageRecord | null> => {
  const found = await messages.find(deviceId, id, chat);
  const either = found ?? (chatLid === null || chatLid === chat ? null : await messages.find(deviceId, id, chatLid));
  return either?.state === 'action' ? null : either;
};

const namesByLid = async (session: Session, chat: ChatRef): Promise<boolean> =>
  chat.isGroup ? (await groupOf(session, chat)).addressing === 'lid' : isLidMigrated(session.creds);

export const authorNameOf = async (
  session: Session,
  { from, fromLid }: Pick<MessageRecord, 'from' | 'fromLid'>,
  chat: ChatRef,
): Promise<Jid> => ((await namesByLid(session, chat)) ? (fromLid ?? from) : from);

type Named = Pick<MessageRecord, 'id' | 'direction' | 'from' | 'fromLid'>;

export const keyOf = async (session: Session, original: Named, chat: ChatRef): Promise<proto.IMessageKey> => {
  const { id, direction } = original;
  const fromMe = direction === 'out';
  if (chat.isGroup) {
    const participant = fromMe ? {} : { participant: await authorNameOf(session, original, chat) };
    return { remoteJid: chat.chat, fromMe, id, ...participant };
  }
  const byLid = await namesByLid(session, chat);
  return { remoteJid: byLid ? (chat.chatLid ?? chat.chat) : chat.chat, fromMe, id };
};
