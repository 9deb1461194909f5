/** `contextInfo` of a message that is sent: the message that it answers, mentions, the mark of a forward, the timer of the chat. */
import { proto } from '../engine/proto.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { OutgoingMessage } from '../../domain/messages/outgoing.ts';
import { invalidRequest } from '../../errors.ts';
import type { Timer } from '../chats/timers.ts';
import type { Link } from '../login/link.ts';
import type { ChatRef } from '../translate/people.ts';
import { unwrap } from '../translate/unwrap.ts';
import { authorNameOf, findInChat, groupOf } from './naming.ts';

/** A group's metadata has its timer; when it was set, only a notice of it tells. */
const timerOfGroup = async (link: Link, chat: ChatRef): Promise<Timer> => {
  const { ephemeralDuration: seconds = 0 } = await groupOf(link, chat);
  const told = seconds === 0 ? null : await link.timers.of(chat);
  return { seconds, setAt: told?.seconds === seconds ? told.setAt : 0 };
};

/** The message as a quote repeats it: without what it quotes itself. */
const repeated = ({ content, text, viewOnce }: MessageRecord): proto.IMessage => {
  if (content === null || viewOnce) return { conversation: text ?? '' };
  const message = { ...unwrap(proto.Message.decode(content)) };
  delete message.messageContextInfo;
  for (const said of Object.values(message)) {
    if (typeof said === 'object' && said !== null && 'contextInfo' in said) Object.assign(said, { contextInfo: null });
  }
  return message;
};

const quoteOf = async (link: Link, id: string, chat: ChatRef): Promise<proto.IContextInfo> => {
  const original = await findInChat(link, id, chat);
  if (original === null) throw invalidRequest('quotedMessageId is not a message of this chat');
  if (original.deletedAt !== null) throw invalidRequest('quotedMessageId was deleted and cannot be quoted');
  return {
    stanzaId: id,
    participant: await authorNameOf(link, original, chat),
    quotedMessage: repeated(original),
  };
};

/** 127 and more are shown as "forwarded many times". */
const mostForwards = 127;

/** Null when there is nothing around the content: most texts. */
export const contextInfoOf = async (
  link: Link,
  { content, quotedMessageId, mentions = [] }: OutgoingMessage,
  chat: ChatRef,
): Promise<proto.IContextInfo | null> => {
  const { seconds, setAt } = await (chat.isGroup ? timerOfGroup(link, chat) : link.timers.of(chat));
  const isForward = content.kind === 'forward';
  if (seconds === 0 && quotedMessageId === undefined && mentions.length === 0 && !isForward) return null;
  // The log shows both addresses of the people mentioned.
  for (const jid of mentions) await link.lidMapping.addressesOf(jid);
  const times = isForward ? Math.min(mostForwards, (content.original.parts?.forwarded?.times ?? 0) + 1) : 0;
  return {
    ...(quotedMessageId === undefined ? {} : await quoteOf(link, quotedMessageId, chat)),
    ...(mentions.length === 0 ? {} : { mentionedJid: [...mentions] }),
    ...(isForward ? { isForwarded: true, forwardingScore: times } : {}),
    ...(seconds === 0 ? {} : { expiration: seconds }),
    ...(seconds === 0 || setAt === 0 ? {} : { ephemeralSettingTimestamp: setAt }),
  };
};
