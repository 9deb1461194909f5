/** Reads an opened update: the edit, reaction, vote, answer or comment that was encrypted with the secret of its message. */
import { decodeMessage } from '../translate/decode.ts';
import { proto } from '../engine/proto.ts';
import type { EventResponse } from '../../domain/event.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { EncryptedUpdate } from '../translate/action.ts';
import { commentOn, contentOf } from '../translate/content.ts';
import type { Envelope } from '../translate/parts/envelope.ts';
import { pollIn, votesOf } from '../translate/kinds/poll.ts';
import {
  edited,
  type MessageChanges,
  reacted,
  responded,
  said,
  type TranslationContext,
  voted,
} from '../translate/message.ts';
import { unwrap } from '../translate/parts/unwrap.ts';
import { openUpdate, secretOf } from './message-secret.ts';
import { authorOf } from './revokes.ts';

interface Opened {
  readonly envelope: Envelope;
  readonly update: EncryptedUpdate;
  /** The message that it is about. */
  readonly original: MessageRecord;
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
  // As a reaction that is not encrypted, with its limits.
  const content = contentOf({ reactionMessage: { key: { id: messageId }, text: text ?? null } });
  return content.kind === 'reaction' ? reacted(envelope, messageId, content.reaction) : null;
};

/** The poll as it was sent; of one that an earlier version has stored, its options are not known. */
const pollOf = ({ content }: MessageRecord): proto.Message.IPollCreationMessage | null =>
  content === null ? null : pollIn(unwrap(decodeMessage(content)));

const vote: Reader = ({ envelope, update: { messageId }, original, bytes }) =>
  voted(envelope, messageId, votesOf(proto.Message.PollVoteMessage.decode(bytes), pollOf(original)));

const { GOING, NOT_GOING, MAYBE } = proto.Message.EventResponseMessage.EventResponseType;

const answers = new Map<number | null | undefined, EventResponse>([
  [GOING, 'going'],
  [NOT_GOING, 'notGoing'],
  [MAYBE, 'maybe'],
]);

const mostGuests = 1_000;

const response: Reader = ({ envelope, update: { messageId }, bytes }) => {
  const answer = proto.Message.EventResponseMessage.decode(bytes);
  const given = answers.get(answer.response);
  if (given === undefined) return null;
  const guests = Math.min(mostGuests, Math.max(0, answer.extraGuestCount ?? 0));
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

/** Null for what cannot be read; throws on bytes that are no message. */
export const changesOfOpened = (opened: Opened): MessageChanges | null => readers[opened.update.use](opened);

/** Changes made by a sealed update of this account; none where it does not open. */
export const changesOfSealed = (sealed: Omit<Opened, 'bytes'>): MessageChanges => {
  const { update, envelope, original } = sealed;
  const secret = secretOf(original);
  if (secret === null) return {};
  const people = { author: authorOf(original), editor: envelope.from };
  const bytes = openUpdate(update, { id: update.messageId, secret, ...people });
  return bytes === null ? {} : (changesOfOpened({ ...sealed, bytes }) ?? {});
};
