/** The content of an earlier message, to be sent again in another chat or with another text. */
import { decodeMessage } from '../translate/decode.ts';
import type { proto } from '../engine/proto.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { shownIn } from '../../domain/messages/rules.ts';
import { unwrap } from '../translate/parts/unwrap.ts';

/** The content without its context. */
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

/** The new content of an edit: a text, or the media with its new caption. */
export const editedContent = (original: MessageRecord, text: string, mentionedJid: string[]): proto.IMessage => {
  const contextInfo = mentionedJid.length === 0 ? {} : { contextInfo: { mentionedJid } };
  if (original.type === 'text') return { extendedTextMessage: { text, ...contextInfo } };
  const message = captioned(contentIn(original), text);
  for (const said of Object.values(message)) Object.assign(said, contextInfo);
  return message;
};
