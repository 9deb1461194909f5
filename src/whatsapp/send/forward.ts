/** The content of an earlier message, for another chat or with another text. */
import { decodeMessage } from '../translate/decode.ts';
import type { proto } from '../library/proto.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { showsAll, shownIn } from '../../domain/messages/rules.ts';
import { unwrap } from '../translate/parts/unwrap.ts';

export const contentIn = ({ content, text }: MessageRecord): proto.IMessage => {
  if (content === null) return { extendedTextMessage: { text: text ?? '' } };
  const message = { ...unwrap(decodeMessage(content)) };
  delete message.messageContextInfo;
  for (const said of Object.values(message)) {
    if (typeof said === 'object' && said !== null && 'contextInfo' in said) Object.assign(said, { contextInfo: null });
  }
  return message;
};

/** Media keeps its place on the media host, so nothing is uploaded again. */
export const forwarded = (original: MessageRecord): proto.IMessage => {
  // An edit changes the stored text but not these bytes.
  if (original.type === 'text') return { extendedTextMessage: { text: original.text ?? '' } };
  return captioned(contentIn(original), original.text ?? '');
};

/** Rule: 1, in a text of its own kind (`extendedTextMessage`). Source: WhatsApp Web (2026-08, as published in public copies of its code). */
export const allMentioned: proto.IContextInfo = { nonJidMentions: 1 };

/** Mentions that the new text still shows. */
export const mentionsIn = ({ parts }: MessageRecord, text: string): string[] => {
  const shown = shownIn(text);
  return (parts?.mentions ?? []).flatMap(({ jid, lid }) =>
    [jid, lid].filter((name) => name !== null && shown.has(`@${name.split('@')[0]}`)).map(String),
  );
};

const captioned = (message: proto.IMessage, caption: string): proto.IMessage => {
  const media = message.imageMessage ?? message.videoMessage ?? message.documentMessage;
  if (media) media.caption = caption;
  return message;
};

export const editedContent = (original: MessageRecord, text: string, mentionedJid: string[]): proto.IMessage => {
  const named = {
    ...(mentionedJid.length === 0 ? {} : { mentionedJid }),
    ...(original.parts?.mentionAll && showsAll(text) ? allMentioned : {}),
  };
  const contextInfo = Object.keys(named).length === 0 ? {} : { contextInfo: named };
  if (original.type === 'text') return { extendedTextMessage: { text, ...contextInfo } };
  const message = captioned(contentIn(original), text);
  for (const said of Object.values(message)) Object.assign(said, contextInfo);
  return message;
};
