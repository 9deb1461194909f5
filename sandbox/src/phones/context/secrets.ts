/**
 * Messages sealed under another message's secret, as sent since May 2026 (whatsmeow msgsecret.go; Baileys #2743, live): edits,
 * reactions in announcement groups, poll votes and event responses. People are named by LID.
 */
import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { aesDecryptGCM, aesEncryptGCM, normalizeMessageContent, proto } from 'baileys';
import type { Message, PhoneContext } from './context.ts';
import type { Reading } from '../reading/read.ts';
import type { ViewMessage } from './view.ts';

export type Use = 'Message Edit' | 'Enc Reaction' | 'Poll Vote' | 'Event Response' | 'Enc Comment' | 'Event Edit';

/** The message, its author's LID, and the LID of the person acting on it. */
export interface About {
  readonly id: string;
  readonly secret: Uint8Array;
  readonly author: string;
  readonly by: string;
}

export interface Sealed {
  readonly encIv: Uint8Array;
  readonly encPayload: Uint8Array;
}

const keyOf = (use: Use, { id, secret, author, by }: About): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', `${id}${author}${by}${use}`, 32));

/** Only votes and responses have associated data. */
const associated = (use: Use, { id, by }: About): Buffer =>
  Buffer.from(use === 'Poll Vote' || use === 'Event Response' ? `${id}\0${by}` : '');

export const seal = (use: Use, about: About, plaintext: Uint8Array): Sealed => {
  const encIv = randomBytes(12);
  return { encIv, encPayload: aesEncryptGCM(plaintext, keyOf(use, about), encIv, associated(use, about)) };
};

/** Throws if it was sealed under another secret or for other people. */
const open = (use: Use, about: About, { encIv, encPayload }: Sealed): Buffer =>
  aesDecryptGCM(encPayload, keyOf(use, about), encIv, associated(use, about));

export const secretIn = (message: Message): Uint8Array | null =>
  message.messageContextInfo?.messageSecret ??
  normalizeMessageContent(message)?.messageContextInfo?.messageSecret ??
  null;

export const secretOf = ({ secrets, sent }: PhoneContext, id: string): Uint8Array | null => {
  const own = sent.get(id);
  return secrets.get(id) ?? (own === undefined ? null : secretIn(proto.Message.decode(own.bytes)));
};

/** Secret and author of message `id`, to open what `by` sealed; null if unknown. */
export const aboutMessage = (phone: PhoneContext, id: string, by: string): About | null => {
  const found = phone.view.find(id);
  const author = found === null ? null : phone.hub.findAccount(found.from);
  const secret = secretOf(phone, id);
  return author === null || secret === null ? null : { id, secret, author: author.lid, by };
};

export const readComment = (phone: PhoneContext, message: Message, by: string): Reading | null => {
  const comment = message.encCommentMessage;
  const id = comment?.targetMessageKey?.id;
  const about = id ? aboutMessage(phone, id, by) : null;
  if (!comment || about === null) return null;
  const said = normalizeMessageContent(proto.Message.decode(open('Enc Comment', about, fieldsOf(comment))));
  return { kind: 'comment', id: about.id, text: said?.conversation || said?.extendedTextMessage?.text || '' };
};

const fieldsOf = (fields: Partial<Sealed> | { encIv?: Uint8Array | null; encPayload?: Uint8Array | null }): Sealed => {
  const { encIv, encPayload } = fields;
  if (!encIv || !encPayload) throw new Error('a sealed message lacks its payload');
  return { encIv, encPayload };
};

const { EventResponseType } = proto.Message.EventResponseMessage;

/** Options of a poll by the hashes in a vote. */
const namesOf = (poll: ViewMessage, hashes: readonly Uint8Array[]): readonly string[] => {
  const options = poll.details?.['options'];
  const names: readonly unknown[] = Array.isArray(options) ? options : [];
  const chosen = new Set(hashes.map((hash) => Buffer.from(hash).toString('hex')));
  return names
    .filter((name) => typeof name === 'string')
    .filter((name) => chosen.has(optionHash(name).toString('hex')));
};

export const optionHash = (name: string): Buffer => createHash('sha256').update(name).digest();

export const eventAnswers = { going: 'GOING', notGoing: 'NOT_GOING', maybe: 'MAYBE' } as const;
export type EventAnswer = keyof typeof eventAnswers;

/** Null for other messages and if the secret is unknown. */
export const readAnswer = (phone: PhoneContext, message: Message, by: string): Reading | null => {
  const { pollUpdateMessage: vote, encEventResponseMessage: response } = message;
  const id = vote?.pollCreationMessageKey?.id ?? response?.eventCreationMessageKey?.id;
  const about = id ? aboutMessage(phone, id, by) : null;
  if (about === null) return null;
  if (vote?.vote) {
    const opened = proto.Message.PollVoteMessage.decode(open('Poll Vote', about, fieldsOf(vote.vote)));
    return { kind: 'answer', id: about.id, answer: namesOf(phone.view.find(about.id)!, opened.selectedOptions) };
  }
  if (!response) return null;
  const opened = proto.Message.EventResponseMessage.decode(open('Event Response', about, fieldsOf(response)));
  const name = Object.entries(eventAnswers).find(([, value]) => EventResponseType[value] === opened.response)?.[0];
  return { kind: 'answer', id: about.id, answer: name === undefined ? [] : [name] };
};

/** Null for other messages and if the secret is unknown. */
export const unsealed = (phone: PhoneContext, message: Message, by: string): Message | null => {
  const edit = message.secretEncryptedMessage;
  const reaction = message.encReactionMessage;
  const id = (edit ?? reaction)?.targetMessageKey?.id;
  const about = id ? aboutMessage(phone, id, by) : null;
  if (about === null) return null;
  const { EVENT_EDIT, MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType;
  if (edit?.secretEncType === EVENT_EDIT) {
    const editedMessage = proto.Message.decode(open('Event Edit', about, fieldsOf(edit)));
    const type = proto.Message.ProtocolMessage.Type.MESSAGE_EDIT;
    return { protocolMessage: { key: { id: about.id }, type, editedMessage } };
  }
  if (edit?.secretEncType === MESSAGE_EDIT) {
    return proto.Message.decode(open('Message Edit', about, fieldsOf(edit)));
  }
  if (!reaction) return null;
  const opened = proto.Message.ReactionMessage.decode(open('Enc Reaction', about, fieldsOf(reaction)));
  return { reactionMessage: { text: opened.text ?? null, key: { id: about.id } } };
};
