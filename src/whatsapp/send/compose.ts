/** Composes the protobuf of a message: its content, a file that is uploaded first, and the contextInfo around it: the message that it answers, mentions, the mark of a forward, the timer of the chat. */
import { proto } from '../engine/proto.ts';
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
import type { ChatRef } from '../identity/people.ts';
import { authorNameOf, findInChat, groupOf, mentionsFor, nameInTexts } from './naming.ts';
import { randomBytes } from 'node:crypto';
import { composeContacts } from '../translate/kinds/contact.ts';
import { composeGroupInvite } from '../translate/kinds/invitations.ts';
import { composeLocation } from '../translate/kinds/location.ts';
import { composePoll } from '../translate/kinds/poll.ts';
import { withPreview } from '../translate/kinds/text.ts';
import { composeAction } from './compose-action.ts';
import { contentIn, forwarded } from './forward.ts';

/**
 * Members as WhatsApp Web has them (whatsmeow, Baileys rc14 and zapo, 2026-08). The sidecars of streamed playback are left out: of these three
 * zapo alone makes them, and the apps play files without.
 */
const fileBodyOf = (content: FileContent, uploaded: UploadedFile): proto.IMessage => {
  switch (content.kind) {
    case 'image': {
      const { mimetype, width, height, thumbnail, caption } = content.image;
      const shape = { mimetype, jpegThumbnail: thumbnail, width, height };
      return { imageMessage: { ...uploaded, ...shape, ...(caption !== null && { caption }) } };
    }
    case 'document': {
      const { mimetype, fileName, pageCount, caption } = content.document;
      return { documentMessage: { ...uploaded, mimetype, fileName, title: fileName, pageCount, caption } };
    }
    case 'video': {
      const { mimetype, seconds, width, height, thumbnail, isGif, caption } = content.video;
      const shape = { mimetype, seconds, width, height, caption };
      const more = { ...(isGif && { gifPlayback: true }), ...(thumbnail && { jpegThumbnail: thumbnail }) };
      return { videoMessage: { ...uploaded, ...shape, ...more } };
    }
    case 'audio': {
      const { mimetype, seconds, waveform } = content.audio;
      const voice = waveform === null ? { ptt: false } : { ptt: true, waveform };
      return { audioMessage: { ...uploaded, mimetype, seconds, ...voice } };
    }
    case 'sticker': {
      const { width, height, isAnimated } = content.sticker;
      return { stickerMessage: { ...uploaded, mimetype: 'image/webp', width, height, isAnimated } };
    }
  }
};

/** Throws when no media host takes the file, and what the signal is aborted with. */
export const composeFile = async (
  link: Uploader & Pick<Session, 'uploads'>,
  content: FileContent,
  signal: AbortSignal | undefined,
): Promise<proto.IMessage> => fileBodyOf(content, await link.uploads(() => uploadFile(link, fileIn(content), signal)));

/** A group has its timer; when it was set, only a notice of it tells. */
const timerOfGroup = async (link: Session, chat: ChatRef): Promise<Timer> => {
  const seconds = (await groupOf(link, chat)).expiresInSeconds ?? 0;
  const told = seconds === 0 ? null : await link.timers.of(chat);
  return { seconds, setAt: told?.seconds === seconds ? told.setAt : 0 };
};

/** The message as a quote repeats it: with its present words, and without what it quotes itself. */
const repeated = (original: MessageRecord): proto.IMessage => {
  if (original.content === null || original.viewOnce) return { conversation: original.text ?? '' };
  return original.editedAt === undefined ? contentIn(original) : forwarded(original);
};

const quoteOf = async (link: Session, id: string, chat: ChatRef): Promise<proto.IContextInfo> => {
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
const contextInfoOf = async (
  link: Session,
  { content, quotedMessageId }: OutgoingMessage,
  mentionedJid: string[],
  chat: ChatRef,
): Promise<proto.IContextInfo | null> => {
  const { seconds, setAt } = await (chat.isGroup ? timerOfGroup(link, chat) : link.timers.of(chat));
  const isForward = content.kind === 'forward';
  if (seconds === 0 && quotedMessageId === undefined && mentionedJid.length === 0 && !isForward) return null;
  const times = isForward ? Math.min(mostForwards, (content.original.parts?.forwarded?.times ?? 0) + 1) : 0;
  return {
    ...(quotedMessageId === undefined ? {} : await quoteOf(link, quotedMessageId, chat)),
    ...(mentionedJid.length === 0 ? {} : { mentionedJid }),
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

/** Files are uploaded first. Throws when no media host takes them, and what the signal is aborted with. */
const bodyOf = async (
  link: Session,
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
      return composeFile(link, content, signal);
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
  }
};

/** Throws InvalidRequest for what the chat does not allow. */
export const compose = async (link: Session, message: OutgoingMessage, chat: ChatRef): Promise<proto.Message> => {
  const { content, signal } = message;
  if (content.kind !== 'text' && isAction(content))
    return proto.Message.create(await composeAction(link, content, chat));
  if (content.kind === 'timer') return proto.Message.create(timerOf(content));
  const mentions = await mentionsFor(link, message.mentions ?? [], chat);
  const contextInfo = await contextInfoOf(link, message, mentions.jids, chat);
  const body = await bodyOf(link, content, signal);
  signal?.throwIfAborted();
  nameInTexts(body, mentions);
  if (contextInfo !== null) for (const said of Object.values(body)) Object.assign(said, { contextInfo });
  // Documents with a caption go in a frame that older apps do not open: those would show them without (mautrix-whatsapp `from-matrix.go`, 2026-08-21;
  // Baileys rc14 sends them bare).
  const framed = body.documentMessage?.caption ? { documentWithCaptionMessage: { message: body } } : body;
  // The secret lets the network's apps report the message, and lets others refer to it.
  return proto.Message.create({ ...framed, messageContextInfo: { messageSecret: randomBytes(32) } });
};
