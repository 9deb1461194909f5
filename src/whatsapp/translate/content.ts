/** The content of a decrypted message, or the action it stands for; and its context: quote, mentions, forwarding, timer, advertisement. */
import type { proto } from '../library/proto.ts';
import type { MessageParts, MessageType, Person, Quoted, Referral } from '../../domain/messages/parts.ts';
import { plainId } from './parts/envelope.ts';
import { countOrNull, cutOrNull, maxText, Room } from './parts/limits.ts';
import type { Action, Kinds, MediaPart, Said } from './parts/kind.ts';
import { answerKinds, selectionKinds, templateKinds } from './kinds/buttons.ts';
import { callLogKinds, commerceKinds, paymentKinds, silentFields, systemKinds } from './kinds/notices.ts';
import { contactKinds } from './kinds/contact.ts';
import {
  encryptedComment,
  encryptedReaction,
  encryptedResponse,
  encryptedVote,
  isKnownEdit,
  secretEdit,
  protocolAction,
  pinAction,
  reactionAction,
} from './kinds/about-others.ts';
import { eventKinds, groupInviteKinds } from './kinds/invitations.ts';
import { locationKinds } from './kinds/location.ts';
import { pollKinds } from './kinds/poll.ts';
import { textKinds } from './kinds/text.ts';
import { saidMedia, saidNote } from './parts/media.ts';
import { unwrap } from './parts/decode.ts';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import { type Peek, personOf, plainJid, withNames } from '../identity/people.ts';

export interface MessageContent {
  readonly kind: 'message';
  readonly type: MessageType;
  readonly text: string | null;
  readonly quotedMessageId: string | null;
  readonly media: MediaPart | null;
  readonly parts: Partial<MessageParts> | undefined;
  readonly lists: Said['lists'];
  readonly context: proto.IContextInfo | null;
}

/** In LID groups the text names members by LID; callers know people by number (`send/naming.ts`). */
export const withNumbers = <T extends string | null>(text: T, mentions: readonly Person[] = []): T | string => {
  if (text === null || mentions.length === 0) return text;
  const numbers = new Map<string, string>();
  for (const { lid, number } of mentions) if (lid !== null && number !== null) numbers.set(jidUser(lid), number);
  return withNames(text, numbers);
};

export type Content = MessageContent | Action | { readonly kind: 'none' };

const none: Content = { kind: 'none' };

const contentFrom = ({ type, text, media, parts, lists, context }: Said): MessageContent => ({
  kind: 'message',
  type,
  text: cutOrNull(text, maxText),
  quotedMessageId: context?.stanzaId ? plainId(context.stanzaId) : null,
  media: media ?? null,
  parts,
  lists,
  context: context ?? null,
});

type Read = (message: proto.IMessage) => Content;

const albumKinds: Kinds = {
  albumMessage: ({ albumMessage: album }) => ({ type: 'album', context: album!.contextInfo }),
};

const audioKinds: Kinds = {
  audioMessage: ({ audioMessage: audio }) => saidMedia('audio', audio!),
};

const documentKinds: Kinds = {
  documentMessage: ({ documentMessage: file }) => saidMedia('document', file!),
};

const imageKinds: Kinds = {
  imageMessage: ({ imageMessage: image }) => saidMedia('image', image!),
};

const stickerKinds: Kinds = {
  stickerMessage: ({ stickerMessage: sticker }) => saidMedia('sticker', sticker!),
  stickerPackMessage: ({ stickerPackMessage: pack }) => ({
    type: 'sticker',
    text: pack!.caption || pack!.name,
    context: pack!.contextInfo,
  }),
};

const videoKinds: Kinds = {
  videoMessage: ({ videoMessage: video }) => saidMedia('video', video!),
  ptvMessage: ({ ptvMessage: video }) => saidNote(video!),
};

const messageKinds: readonly Kinds[] = [
  textKinds,
  imageKinds,
  videoKinds,
  audioKinds,
  documentKinds,
  stickerKinds,
  locationKinds,
  contactKinds,
  pollKinds,
  eventKinds,
  groupInviteKinds,
  albumKinds,
  selectionKinds,
  templateKinds,
  commerceKinds,
  paymentKinds,
  callLogKinds,
  answerKinds,
  systemKinds,
];

export const unknown = contentFrom({ type: 'unknown' });

const actions: Readonly<Partial<Record<keyof proto.IMessage, Read>>> = {
  protocolMessage: ({ protocolMessage }) => protocolAction(protocolMessage!) ?? none,
  reactionMessage: ({ reactionMessage }) => reactionAction(reactionMessage!) ?? none,
  pinInChatMessage: ({ pinInChatMessage }) => pinAction(pinInChatMessage!) ?? none,
  encReactionMessage: ({ encReactionMessage }) => encryptedReaction(encReactionMessage!) ?? none,
  pollUpdateMessage: ({ pollUpdateMessage }) => encryptedVote(pollUpdateMessage!) ?? none,
  encEventResponseMessage: ({ encEventResponseMessage }) => encryptedResponse(encEventResponseMessage!) ?? none,
  encCommentMessage: ({ encCommentMessage }) => encryptedComment(encCommentMessage!) ?? none,
  secretEncryptedMessage: ({ secretEncryptedMessage }) =>
    isKnownEdit(secretEncryptedMessage!) ? (secretEdit(secretEncryptedMessage!) ?? none) : unknown,
  commentMessage: ({ commentMessage }) => commentOn(commentMessage!.targetMessageKey, commentMessage!.message ?? {}),
};

export const readers: ReadonlyMap<string, Read> = new Map([
  ...messageKinds.flatMap((kinds) =>
    Object.entries(kinds).map(([field, read]): [string, Read] => [field, (message) => contentFrom(read(message))]),
  ),
  ...Object.entries(actions),
]);

export const contentOf = (wrapped: proto.IMessage): Content => {
  if (typeof wrapped.conversation === 'string') return contentFrom({ type: 'text', text: wrapped.conversation });
  const message: object & proto.IMessage = unwrap(wrapped);
  let isSilent = false;
  let isUnknown = false;
  for (const [field, value] of Object.entries(message)) {
    if (value === null || value === undefined) continue;
    const read = readers.get(field);
    if (read !== undefined) return read(message);
    if (!(field in silentFields)) isUnknown = true;
    else if (field !== 'messageContextInfo') isSilent = true;
  }
  // A kind newer than these protobufs has no field left: it is unknown, not nothing (docs/spec/messages.md, Message log).
  return isSilent && !isUnknown ? none : unknown;
};

export const commentOn = (key: proto.IMessageKey | null | undefined, message: proto.IMessage): Content => {
  const comment = contentOf(message);
  if (comment.kind !== 'message') return none;
  return { ...comment, quotedMessageId: comment.quotedMessageId ?? (key?.id ? plainId(key.id) : null) };
};

const maxMentions = 1_024;
const longestJid = 64;
const maxUrlCharacters = 4_096;
const maxQuotedText = 4_096;

const isPerson = (jid: string): boolean => {
  const kind = jid.length <= longestJid ? jidKind(plainJid(jid)) : 'other';
  return kind === 'phone' || kind === 'lid';
};

const mentionsOf = ({ mentionedJid }: proto.IContextInfo, peek: Peek): readonly Person[] => {
  const people = (mentionedJid ?? [])
    .slice(0, maxMentions)
    .filter(isPerson)
    .map((jid) => personOf(peek, jid));
  return [...new Map(people.map((person) => [person.jid, person])).values()];
};

const quotedOf = (id: string, { participant, quotedMessage }: proto.IContextInfo, peek: Peek, room: Room): Quoted => {
  const content = quotedMessage ? contentOf(quotedMessage) : null;
  const { type, text } = content?.kind === 'message' ? content : ({ type: 'unknown', text: null } as const);
  const from = participant && isPerson(participant) ? personOf(peek, participant) : null;
  return { id, from, type, text: text === null ? null : room.cut(text, maxQuotedText) };
};

const referralOf = ({ externalAdReply: ad }: proto.IContextInfo): Referral | null => {
  // Other clients show links in this form, too.
  if (!ad || !(ad.sourceId || ad.ctwaClid || ad.sourceType)) return null;
  return {
    sourceType: cutOrNull(ad.sourceType),
    sourceId: cutOrNull(ad.sourceId),
    sourceUrl: cutOrNull(ad.sourceUrl, maxUrlCharacters),
    title: cutOrNull(ad.title),
    body: cutOrNull(ad.body, maxUrlCharacters),
    mediaUrl: cutOrNull(ad.mediaUrl || ad.thumbnailUrl, maxUrlCharacters),
    clickId: cutOrNull(ad.ctwaClid),
  };
};

const nobody: readonly Jid[] = [];

export const peopleIn = (content: Content | null): readonly Jid[] => {
  if (content?.kind !== 'message' || content.context === null) return nobody;
  const { mentionedJid, participant } = content.context;
  const jids = [...(mentionedJid ?? []).slice(0, maxMentions), ...(participant ? [participant] : [])];
  return jids.filter(isPerson).map(plainJid);
};

const inContext = (
  context: proto.IContextInfo,
  quotedId: string | null,
  peek: Peek,
  room: Room,
): Partial<MessageParts> => {
  const mentions = mentionsOf(context, peek);
  const expiresInSeconds = countOrNull(context.expiration);
  const referral = referralOf(context);
  return {
    ...(quotedId === null ? {} : { quoted: quotedOf(quotedId, context, peek, room) }),
    ...(mentions.length === 0 ? {} : { mentions }),
    ...(context.nonJidMentions ? { mentionAll: true } : {}),
    // A message that was forwarded once has no score in old clients.
    ...(context.isForwarded ? { forwarded: { times: countOrNull(context.forwardingScore) ?? 1 } } : {}),
    ...(expiresInSeconds === null ? {} : { expiresInSeconds }),
    ...(referral === null ? {} : { referral }),
  };
};

/** Undefined for most texts, which have no parts. */
export const partsOf = (
  { parts, lists, context, quotedMessageId }: MessageContent,
  peek: Peek,
): Partial<MessageParts> | undefined => {
  if (parts === undefined && lists === undefined && context === null) return undefined;
  const room = new Room();
  const own = lists === undefined ? parts : { ...parts, ...lists(room) };
  const all = context === null ? own : { ...own, ...inContext(context, quotedMessageId, peek, room) };
  return all === undefined || Object.keys(all).length === 0 ? undefined : all;
};
