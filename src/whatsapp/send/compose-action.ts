/** Composes actions on an earlier message. */
import { showsAll, shownIn } from '../../domain/messages/rules.ts';
import { proto } from '../library/proto.ts';
import type { MessageAction } from '../../domain/messages/outgoing.ts';
import { invalidRequest } from '../../errors.ts';
import { isAdministrator } from '../../domain/groups/changes.ts';
import { meOf, type ChatRef, myself } from '../identity/people.ts';
import { decodeMessage, decodeStored, unwrap } from '../translate/parts/decode.ts';
import { mentionsFor, groupOf, keyOf } from './naming.ts';
import { sealReaction, secretOf, authorOf } from '../message-updates/sealed.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Session } from '../session.ts';

const { Type } = proto.Message.ProtocolMessage;
const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type;

const assertAdministrator = async (session: Session, chat: ChatRef): Promise<void> => {
  if (!isAdministrator(await groupOf(session, chat), myself(meOf(session.creds)))) {
    throw invalidRequest('The message is of somebody else, and the account is not an administrator of this group');
  }
};

/** In a community's announcement group reactions are sealed; a plain one is not shown (whatsapp-rust, 2026-08). */
const sealsReactions = async (session: Session, chat: ChatRef): Promise<boolean> =>
  chat.isGroup && (await groupOf(session, chat)).community?.role === 'announcements';

const sealed = ({ creds }: Session, original: MessageRecord, reaction: proto.Message.IReactionMessage) => {
  const secret = secretOf(original, decodeStored(original.content));
  if (secret === null)
    throw invalidRequest(
      'The secret of the message, which seals reactions in this group, is not known: it cannot be reacted to',
    );
  const bytes = proto.Message.ReactionMessage.encode(reaction).finish();
  return sealReaction(bytes, { id: original.id, secret, author: authorOf(original), editor: myself(meOf(creds)) });
};

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
const mentionsIn = ({ parts }: MessageRecord, text: string): string[] => {
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

const editedContent = (original: MessageRecord, text: string, mentionedJid: string[]): proto.IMessage => {
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

export const composeAction = async (
  session: Session,
  action: MessageAction,
  chat: ChatRef,
): Promise<proto.IMessage> => {
  const { original } = action;
  if (action.kind === 'delete' && original.direction === 'in') await assertAdministrator(session, chat);
  const key = await keyOf(session, original, chat);
  const now = session.clock.now();
  switch (action.kind) {
    case 'edit': {
      const mentions = await mentionsFor(session, mentionsIn(original, action.text), chat);
      const editedMessage = editedContent(original, mentions.inText(action.text), mentions.jids);
      // In the wrapper for edits (whatsmeow `BuildEdit`, zapo).
      const protocolMessage = { key, type: Type.MESSAGE_EDIT, editedMessage, timestampMs: now };
      return { editedMessage: { message: { protocolMessage } } };
    }
    case 'delete':
      return { protocolMessage: { key, type: Type.REVOKE } };
    case 'reaction': {
      const reaction = { text: action.reaction ?? '', senderTimestampMs: now };
      if (!(await sealsReactions(session, chat))) return { reactionMessage: { key, ...reaction } };
      return { encReactionMessage: { targetMessageKey: key, ...sealed(session, original, reaction) } };
    }
    case 'pin': {
      const type = action.seconds === null ? UNPIN_FOR_ALL : PIN_FOR_ALL;
      const pinInChatMessage = { key, type, senderTimestampMs: now };
      if (action.seconds === null) return { pinInChatMessage };
      return { pinInChatMessage, messageContextInfo: { messageAddOnDurationInSecs: action.seconds } };
    }
  }
};
