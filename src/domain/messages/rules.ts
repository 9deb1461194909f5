/** Rules for sending (docs/spec/messages.md). All throw InvalidRequest. */
import { invalidRequest } from '../../errors.ts';
import type { GivenRecipient } from '../chats/recipient.ts';
import { type Jid, jidKind, jidUser, numberRule, phoneJid } from '../jid.ts';
import type { MessageRecord } from '../message.ts';
import type { OutgoingContent } from './outgoing.ts';
import type { MessageType, Poll } from './parts.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * The apps offer edits for 15 minutes and accept them for 20 (WhatsApp Web's `message_edit_client_entry_point_limit_seconds` and
 * `message_edit_window_duration_seconds`, from zapo `spec/abprops`, 2026-08-19; whatsmeow `EditWindow`, 2026-08-21).
 */
const editMs = 15 * minuteMs;
/** 2 days and 12 hours (getkanal.com/blog/delete-whatsapp-message-for-everyone, 2026-05; no property of WhatsApp Web is known for it). */
const deleteMs = 60 * hourMs;

const maxCaption = 1_024;
const maxText = 65_536;

export const checkText = (text: string): void => {
  const tooLong = text.length > maxText && Array.from(text).length > maxText;
  if (text.length === 0 || tooLong) throw invalidRequest(`message must be 1 to ${maxText} characters`);
};

export const checkPoll = ({ options, maxAnswers }: Poll): void => {
  if (maxAnswers > options.length) throw invalidRequest('maxAnswers must not be more than there are options');
};

const textOf = (content: OutgoingContent | { readonly kind: 'caption'; readonly text: string | null }): string => {
  switch (content.kind) {
    case 'text':
    case 'caption':
      return content.text ?? '';
    case 'location':
      return `${content.location.name ?? ''} ${content.location.address ?? ''}`;
    case 'poll':
      return [content.poll.question, ...content.poll.options].join(' ');
    default:
      return '';
  }
};

export const shownIn = (text: string): ReadonlySet<string> => new Set(text.match(/@\d+/g));

/** Invisible mentions would notify people without a visible reason. */
export const mentionsOf = (given: readonly string[] | undefined, content: Parameters<typeof textOf>[0]): Jid[] => {
  const shown = shownIn(given === undefined ? '' : textOf(content));
  return [...new Set(given)].map((mention) => {
    const jid = /^\d{8,15}$/.test(mention) ? phoneJid(mention) : mention;
    const kind = /^\d{5,20}@/.test(jid) ? jidKind(jid) : 'other';
    if (kind !== 'phone' && kind !== 'lid') {
      throw invalidRequest(`mentions must be phone numbers, each ${numberRule}; or JIDs of persons`);
    }
    const seen = `@${jidUser(jid)}`;
    if (!shown.has(seen)) {
      throw invalidRequest(`mentions: ${seen} is not in the text; hidden mentions are refused`);
    }
    return jid;
  });
};

export const showsAll = (text: string): boolean => /(?<![\p{L}\p{N}_@])@all(?![\p{L}\p{N}_])/u.test(text);

/** Only in a group, and visible in the text like other mentions. */
export const checkMentionAll = (
  mentionAll: boolean | undefined,
  { kind }: Pick<GivenRecipient, 'kind'>,
  content: Parameters<typeof textOf>[0],
): void => {
  if (mentionAll !== true) return;
  if (kind !== 'group') throw invalidRequest('mentionAll must be false: only in groups all can be mentioned');
  if (!showsAll(textOf(content)))
    throw invalidRequest('mentionAll: @all is not in the text; hidden mentions are refused');
};

const checkPresent = ({ deletedAt, acceptedAt, direction }: MessageRecord): void => {
  if (deletedAt !== null) throw invalidRequest('The message was deleted');
  if (direction === 'out' && acceptedAt === null) throw invalidRequest('The message was not sent');
};

const captioned: ReadonlySet<MessageType> = new Set(['image', 'video', 'document']);

export const checkEdit = (original: MessageRecord, text: string, now: number): void => {
  const { direction, type, timestamp } = original;
  checkPresent(original);
  if (direction !== 'out') throw invalidRequest('The message is of somebody else; only own messages can be edited');
  if (original.viewOnce) throw invalidRequest('View-once messages cannot be edited');
  const isNote = original.media?.note === true;
  if ((type !== 'text' && !captioned.has(type)) || isNote)
    throw invalidRequest('Only texts and captions can be edited');
  if (type === 'text') checkText(text);
  else if (text.length > maxCaption)
    throw invalidRequest(`message must be at most ${maxCaption} characters: a caption`);
  if (now - timestamp > editMs)
    throw invalidRequest('The message is older than 15 minutes and can no longer be edited');
};

/** Own messages only in a 1:1 chat; in a group the driver checks for administrator rights. */
export const checkDelete = (original: MessageRecord, now: number): void => {
  const { direction, isGroup, timestamp } = original;
  checkPresent(original);
  if (direction !== 'out' && !isGroup) {
    throw invalidRequest('The message is of somebody else; only own messages can be deleted for everyone');
  }
  if (now - timestamp > deleteMs) {
    throw invalidRequest('The message is older than 60 hours and can no longer be deleted for everyone');
  }
};

const isEmoji = (text: string): boolean => /^\p{RGI_Emoji}$/v.test(text) || /^\p{RGI_Emoji}$/v.test(`${text}\ufe0f`);

export const checkEmoji = (reaction: string): void => {
  if (!isEmoji(reaction)) throw invalidRequest('reaction must be one emoji, or null');
};

export const checkReaction = (original: MessageRecord, reaction: string | null): void => {
  checkPresent(original);
  if (reaction !== null) checkEmoji(reaction);
};

const forwardable: ReadonlySet<MessageType> = new Set([
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
]);

export const checkForward = (original: MessageRecord): void => {
  checkPresent(original);
  const { type, viewOnce = false, content } = original;
  if (viewOnce) throw invalidRequest('View-once messages cannot be forwarded');
  if (!forwardable.has(type) || (type !== 'text' && content === null)) {
    throw invalidRequest(`Messages of type ${type} cannot be forwarded`);
  }
};

export { checkPresent as checkPin, checkPresent as checkStar };
