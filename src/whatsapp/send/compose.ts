/** Composes a message's protobuf: its content, the uploaded file, and the contextInfo: quote, mentions, forwarding, timer. */
import { proto } from '../library/proto.ts';
import { type FileContent, fileIn } from '../../domain/messages/files.ts';
import { type UploadedFile, uploadFile, type Uploader } from '../media/upload.ts';
import type { Session } from '../session.ts';
import type { MessageRecord } from '../../domain/message.ts';
import {
  type OutgoingMessage,
  isAction,
  type MessageAction,
  type OutgoingContent,
} from '../../domain/messages/outgoing.ts';
import { invalidRequest } from '../../errors.ts';
import type { Timer } from '../chats/timers.ts';
import { type ChatRef, meOf } from '../identity/people.ts';
import { assertMayMentionAll, authorNameOf, findInChat, groupOf, keyOf, mentionsFor, nameInTexts } from './naming.ts';
import { randomBytes } from 'node:crypto';
import { composeContacts } from '../translate/kinds/contact.ts';
import { composeGroupInvite } from '../translate/kinds/invitations.ts';
import { composeLocation } from '../translate/kinds/location.ts';
import { composePoll } from '../translate/kinds/poll.ts';
import { withPreview } from '../translate/kinds/text.ts';
import { composeAction, allMentioned, contentIn, forwarded } from './compose-action.ts';

/** As WhatsApp Web (whatsmeow and zapo, 2026-08), without sidecars of streamed playback, which only zapo makes. */
export const fileBodyOf = (content: FileContent, uploaded: UploadedFile): proto.IMessage => {
  // Rule: a mark in the media, without a wrapper, and `<meta view_once="true"/>` in the stanza (`message-stanza.ts`). Source: zapo `encode/content.ts`
  // (2026-08-19), whatsapp-rust #743 after WhatsApp Web; contested (docs/internals/wire.md).
  const once = 'viewOnce' in content && content.viewOnce ? { viewOnce: true } : {};
  switch (content.kind) {
    case 'image': {
      const { mimetype, width, height, thumbnail, caption } = content.image;
      const shape = { mimetype, jpegThumbnail: thumbnail, width, height, ...once };
      return { imageMessage: { ...uploaded, ...shape, ...(caption !== null && { caption }) } };
    }
    case 'document': {
      const { mimetype, fileName, pageCount, caption } = content.document;
      return { documentMessage: { ...uploaded, mimetype, fileName, title: fileName, pageCount, caption } };
    }
    case 'video': {
      const { mimetype, seconds, width, height, thumbnail, isGif, isNote, caption } = content.video;
      const shape = { mimetype, seconds, width, height, caption, ...once };
      const more = { ...(isGif && { gifPlayback: true }), ...(thumbnail && { jpegThumbnail: thumbnail }) };
      const video = { ...uploaded, ...shape, ...more };
      return isNote ? { ptvMessage: video } : { videoMessage: video };
    }
    case 'audio': {
      const { mimetype, seconds, waveform } = content.audio;
      const voice = waveform === null ? { ptt: false } : { ptt: true, waveform };
      return { audioMessage: { ...uploaded, mimetype, seconds, ...voice, ...once } };
    }
    case 'sticker': {
      const { width, height, isAnimated } = content.sticker;
      return { stickerMessage: { ...uploaded, mimetype: 'image/webp', width, height, isAnimated } };
    }
  }
};

export const composeFile = async (
  session: Uploader & Pick<Session, 'uploads'>,
  content: FileContent,
  signal: AbortSignal | undefined,
): Promise<proto.IMessage> =>
  fileBodyOf(content, await session.uploads(() => uploadFile(session, fileIn(content), signal)));

/** When a group's timer was set is known from notifications only. */
const timerOfGroup = async (session: Session, chat: ChatRef): Promise<Timer> => {
  const seconds = (await groupOf(session, chat)).expiresInSeconds ?? 0;
  const told = seconds === 0 ? null : await session.timers.of(chat);
  return { seconds, setAt: told?.seconds === seconds ? told.setAt : 0 };
};

const repeated = (original: MessageRecord): proto.IMessage => {
  if (original.content === null || original.viewOnce) return { conversation: original.text ?? '' };
  return original.editedAt === undefined ? contentIn(original) : forwarded(original);
};

const quoteOf = async (session: Session, id: string, chat: ChatRef): Promise<proto.IContextInfo> => {
  const original = await findInChat(session, id, chat);
  if (original === null) throw invalidRequest('quotedMessageId is not a message of this chat');
  if (original.deletedAt !== null) throw invalidRequest('quotedMessageId was deleted and cannot be quoted');
  if (original.viewOnce && chat.isGroup) throw invalidRequest('A view-once message cannot be quoted in a group');
  return {
    stanzaId: id,
    participant: await authorNameOf(session, original, chat),
    quotedMessage: repeated(original),
  };
};

/** 127 and more are shown as "forwarded many times". */
const maxForwards = 127;

const contextInfoOf = async (
  session: Session,
  { content, quotedMessageId, mentionAll = false }: OutgoingMessage,
  mentionedJid: string[],
  chat: ChatRef,
): Promise<proto.IContextInfo | null> => {
  const { seconds, setAt } = await (chat.isGroup ? timerOfGroup(session, chat) : session.timers.of(chat));
  const isForward = content.kind === 'forward';
  const namesNobody = mentionedJid.length === 0 && !mentionAll;
  if (seconds === 0 && quotedMessageId === undefined && namesNobody && !isForward) return null;
  if (mentionAll) await assertMayMentionAll(session, chat);
  const times = isForward ? Math.min(maxForwards, (content.original.parts?.forwarded?.times ?? 0) + 1) : 0;
  return {
    ...(quotedMessageId === undefined ? {} : await quoteOf(session, quotedMessageId, chat)),
    ...(mentionedJid.length === 0 ? {} : { mentionedJid }),
    ...(mentionAll ? allMentioned : {}),
    ...(isForward ? { isForwarded: true, forwardingScore: times } : {}),
    ...(seconds === 0 ? {} : { expiration: seconds }),
    ...(seconds === 0 || setAt === 0 ? {} : { ephemeralSettingTimestamp: setAt }),
  };
};

type TimerChange = Extract<OutgoingContent, { readonly kind: 'timer' }>;

const timerOf = ({ seconds: ephemeralExpiration }: TimerChange): proto.IMessage => {
  const protocolMessage = { type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING, ephemeralExpiration };
  return { ephemeralMessage: { message: { protocolMessage } } };
};

const bodyOf = async (
  session: Session,
  content: Exclude<OutgoingContent, MessageAction | TimerChange>,
  signal: AbortSignal | undefined,
): Promise<proto.IMessage> => {
  switch (content.kind) {
    case 'text':
      if (content.preview !== undefined) return withPreview(content.text, content.preview);
      return { extendedTextMessage: { text: content.text } };
    case 'image':
    case 'document':
    case 'video':
    case 'audio':
    case 'sticker':
      return composeFile(session, content, signal);
    case 'location':
      return composeLocation(content.location);
    case 'contact':
      return composeContacts(content.contacts);
    case 'poll':
      return composePoll(content.poll);
    case 'groupInvite':
      return composeGroupInvite(content);
    case 'forward':
      return forwarded(content.original);
    case 'album':
      return { albumMessage: { expectedImageCount: content.images, expectedVideoCount: content.videos } };
    case 'albumItem':
      return proto.Message.decode(content.body);
  }
};

/**
 * Rule: in a wrapper, with the association outside of it. Source: whatsapp-rust `proto_helpers.rs`, after WhatsApp Web's `ProtoUtils` (2026-04);
 * contested (docs/internals/wire.md). The frame is a message of its own.
 */
const inAlbum = async (
  session: Session,
  albumId: string,
  message: proto.IMessage,
  info: proto.IMessageContextInfo,
  chat: ChatRef,
): Promise<proto.IMessage> => {
  const { phone: from, lid: fromLid } = meOf(session.creds);
  const parentMessageKey = await keyOf(session, { id: albumId, direction: 'out', from, fromLid }, chat);
  const messageAssociation = {
    associationType: proto.MessageAssociation.AssociationType.MEDIA_ALBUM,
    parentMessageKey,
  };
  return { associatedChildMessage: { message }, messageContextInfo: { ...info, messageAssociation } };
};

/**
 * A document with a caption has a wrapper that older apps do not open: they would show it without the caption (mautrix-whatsapp `from-matrix.go`,
 * 2026-08-21).
 */
export const framed = (body: proto.IMessage): proto.IMessage =>
  body.documentMessage?.caption ? { documentWithCaptionMessage: { message: body } } : body;

export const compose = async (session: Session, message: OutgoingMessage, chat: ChatRef): Promise<proto.Message> => {
  const { content, signal } = message;
  if (content.kind !== 'text' && isAction(content))
    return proto.Message.create(await composeAction(session, content, chat));
  if (content.kind === 'timer') return proto.Message.create(timerOf(content));
  const mentions = message.mentions?.length ? await mentionsFor(session, message.mentions, chat) : null;
  const contextInfo = await contextInfoOf(session, message, mentions?.jids ?? [], chat);
  const body = await bodyOf(session, content, signal);
  signal?.throwIfAborted();
  if (mentions !== null) nameInTexts(body, mentions);
  if (contextInfo !== null) for (const said of Object.values(body)) Object.assign(said, { contextInfo });
  // The secret lets the apps report the message, and others refer to it.
  const info = { messageSecret: randomBytes(32) };
  if (content.kind === 'albumItem')
    return proto.Message.create(await inAlbum(session, content.albumId, body, info, chat));
  return proto.Message.create({ ...framed(body), messageContextInfo: info });
};
