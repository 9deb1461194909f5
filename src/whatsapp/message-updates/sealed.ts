/**
 * Updates encrypted with the secret of their message: edits since May 2026, reactions in announcement groups, poll votes, event
 * responses, comments (whatsmeow msgsecret.go, 2026-07).
 * The key is HKDF-SHA256 of the secret, without salt, with info = id ‖ author of the message ‖ author of the update ‖ use. The update is
 * AES-256-GCM under it, with associated data for votes and event responses alone. The sender named each person by LID or phone number:
 * all pairs are tried.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { isAdministrator } from '../../domain/groups/changes.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { plainJid } from '../identity/people.ts';
import { proto } from '../library/proto.ts';
import { type Person, isSamePerson } from '../../domain/messages/parts.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { secretIn, unwrap, decodeMessage, decodeStored } from '../translate/parts/decode.ts';
import { commentOn, contentOf } from '../translate/content.ts';
import type { EncryptedUpdate } from '../translate/parts/kind.ts';
import type { EventResponse } from '../../domain/event.ts';
import type { Envelope } from '../translate/parts/envelope.ts';
import { pollIn, votesOf } from '../translate/kinds/poll.ts';
import { edited, reacted, responded, voted, type MessageChanges, type TranslationContext } from '../translate/acts.ts';
import { said } from '../translate/message.ts';

const keyBytes = 32;
const tagBytes = 16;
const ivBytes = 12;

const useOf = {
  edit: 'Message Edit',
  eventEdit: 'Event Edit',
  pollEdit: 'Poll Edit',
  reaction: 'Enc Reaction',
  vote: 'Poll Vote',
  response: 'Event Response',
  comment: 'Enc Comment',
} as const satisfies Record<EncryptedUpdate['use'], string>;

const isBound = (use: EncryptedUpdate['use']): boolean => use === 'vote' || use === 'response';

/** Stored with a record without its bytes; otherwise in them. `message`: what is stored of it. */
export const secretOf = ({ secret }: MessageRecord, message: proto.IMessage | null): Uint8Array | null =>
  secret ?? (message === null ? null : secretIn(message));

const namesOf = ({ jid, number, lid }: Person): readonly Jid[] => {
  const names = [lid, number === null ? null : `${number}@s.whatsapp.net`, jid];
  return [...new Set(names.filter((name) => name !== null))];
};

interface Opening {
  readonly id: string;
  readonly secret: Uint8Array;
  readonly author: Person;
  readonly editor: Person;
}

const openedWith = (key: Uint8Array, { iv, payload }: EncryptedUpdate, bound: string | null): Uint8Array | null => {
  const end = payload.length - tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, iv);
  if (bound !== null) decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(payload.subarray(end));
  try {
    return Buffer.concat([decipher.update(payload.subarray(0, end)), decipher.final()]);
  } catch {
    return null;
  }
};

const keyOf = (secret: Uint8Array, info: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', info, keyBytes));

interface SealedReaction {
  readonly encIv: Uint8Array;
  readonly encPayload: Uint8Array;
}

/** Author and reactor by LID if known (whatsapp-rust features/reaction.rs, after WhatsApp Web's WAWebReactionEncryptMsgData, 2026-08). */
export const sealReaction = (reaction: Uint8Array, { id, secret, author, editor }: Opening): SealedReaction => {
  const encIv = randomBytes(ivBytes);
  const info = `${id}${author.lid ?? author.jid}${editor.lid ?? editor.jid}${useOf.reaction}`;
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, info), encIv);
  return { encIv, encPayload: Buffer.concat([cipher.update(reaction), cipher.final(), cipher.getAuthTag()]) };
};

/** Null if encrypted with another secret, or for other people. */
export const openUpdate = (update: EncryptedUpdate, { id, secret, author, editor }: Opening): Uint8Array | null => {
  for (const authorName of namesOf(author)) {
    for (const editorName of namesOf(editor)) {
      const info = `${id}${authorName}${editorName}${useOf[update.use]}`;
      const opened = openedWith(keyOf(secret, info), update, isBound(update.use) ? `${id}\0${editorName}` : null);
      if (opened !== null) return opened;
    }
  }
  return null;
};

interface Opened {
  readonly envelope: Envelope;
  readonly update: EncryptedUpdate;
  /** What is stored of the message that it is about; null if that cannot be read. */
  readonly original: proto.IMessage | null;
  readonly bytes: Uint8Array;
  readonly context: TranslationContext;
}

type Reader = (opened: Opened) => MessageChanges | null;

const edit: Reader = ({ envelope, update: { messageId }, bytes, context }) => {
  let content = contentOf(decodeMessage(bytes));
  if (content.kind === 'edit') content = contentOf(content.message);
  return content.kind === 'message' ? edited(envelope, messageId, content, context) : null;
};

const reaction: Reader = ({ envelope, update: { messageId }, bytes }) => {
  const { text } = proto.Message.ReactionMessage.decode(bytes);
  // Like a plain reaction, with its limits.
  const content = contentOf({ reactionMessage: { key: { id: messageId }, text: text ?? null } });
  return content.kind === 'reaction' ? reacted(envelope, messageId, content.reaction) : null;
};

const vote: Reader = ({ envelope, update: { messageId }, original, bytes }) => {
  const poll = original === null ? null : pollIn(unwrap(original));
  return voted(envelope, messageId, votesOf(proto.Message.PollVoteMessage.decode(bytes), poll));
};

const { GOING, NOT_GOING, MAYBE } = proto.Message.EventResponseMessage.EventResponseType;

const answers = new Map<number | null | undefined, EventResponse>([
  [GOING, 'going'],
  [NOT_GOING, 'notGoing'],
  [MAYBE, 'maybe'],
]);

const maxGuests = 1_000;

const response: Reader = ({ envelope, update: { messageId }, bytes }) => {
  const answer = proto.Message.EventResponseMessage.decode(bytes);
  const given = answers.get(answer.response);
  if (given === undefined) return null;
  const guests = Math.min(maxGuests, Math.max(0, answer.extraGuestCount ?? 0));
  return responded(envelope, messageId, { response: given, guests });
};

const comment: Reader = ({ envelope, update: { messageId }, bytes, context }) => {
  const message = decodeMessage(bytes);
  const content = commentOn({ id: messageId }, message);
  return content.kind === 'message' ? said(envelope, content, message, context, bytes) : null;
};

const readers: Readonly<Record<EncryptedUpdate['use'], Reader>> = {
  edit,
  eventEdit: edit,
  pollEdit: edit,
  reaction,
  vote,
  response,
  comment,
};

export const changesOfOpened = (opened: Opened): MessageChanges | null => readers[opened.update.use](opened);

export type GroupOf = (group: Jid) => Promise<KeptGroup | null>;

export const authorOf = ({ from, fromNumber, fromLid, fromUsername }: MessageRecord): Person => ({
  jid: from,
  number: fromNumber,
  lid: fromLid,
  ...(fromUsername && { username: fromUsername }),
});

/** Any member can send a revoke; only the message's author (if unknown, the one it names) and a group's administrators, as last notified, may. */
export const mayRevoke = async (
  parts: { readonly deviceId: number; readonly messages: MessageStore; readonly groupOf: GroupOf },
  { chat, from }: Envelope,
  messageId: string,
  key: proto.IMessageKey | null | undefined,
): Promise<boolean> => {
  const original = await parts.messages.find(parts.deviceId, messageId, chat, true);
  const named = key?.participant ? plainJid(key.participant) : null;
  const isAuthor =
    original === null
      ? named === null || named === from.jid || named === from.lid
      : isSamePerson(authorOf(original), from);
  if (isAuthor) return true;
  const group = await parts.groupOf(chat);
  return group !== null && isAdministrator(group, from);
};

/** `record`: the message that it is about. */
export const changesOfSealed = (
  record: MessageRecord,
  sealed: Pick<Opened, 'update' | 'envelope' | 'context'>,
): MessageChanges => {
  const { update, envelope } = sealed;
  const original = decodeStored(record.content);
  const secret = secretOf(record, original);
  if (secret === null) return {};
  const people = { author: authorOf(record), editor: envelope.from };
  const bytes = openUpdate(update, { id: update.messageId, secret, ...people });
  return bytes === null ? {} : (changesOfOpened({ ...sealed, original, bytes }) ?? {});
};
