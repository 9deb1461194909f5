/** A message from pressing "Send" until the log shows it. */
import type { MessageType } from '../api/message.ts';
import { plainNumber } from '../base/typed-number.ts';

export type Recipient = { readonly to: string } | { readonly toNumber: string };

/** `uploading`: a large file; later messages do not wait for it. `sent`: the service has answered, but the log does not show the message yet. */
export type EntryState = 'uploading' | 'waiting' | 'sending' | 'unanswered' | 'failed' | 'sent';

export interface EntryFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
}

export interface Entry {
  /** The `Idempotency-Key` of all its requests. */
  readonly key: string;
  readonly deviceId: number;
  readonly recipient: Recipient;
  /** When it was composed, ISO 8601. */
  readonly at: string;
  /** The path below `/messages` that sends it. */
  readonly path: string;
  readonly type: MessageType;
  /** Its text, for the bubble and the list of conversations. */
  readonly text: string | null;
  /** The request without the recipient and the file. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly file: EntryFile | null;
  /** Those of an album, which are all uploaded first. */
  readonly files?: readonly EntryFile[];
  /** The ids of those that are uploaded. */
  readonly fileIds?: readonly string[];
  /** The id of a large file that is uploaded. */
  readonly fileId?: string | null;
  /** Percent of a large file that is uploaded. */
  readonly percent?: number;
  readonly state: EntryState;
  readonly error: string | null;
  /** The field of the form that the error is about. */
  readonly field?: string | null;
  readonly messageId: string | null;
}

export type NewEntry = Pick<Entry, 'deviceId' | 'recipient' | 'path' | 'type' | 'text' | 'body'>;

/** A JID or the digits of a number. */
export const addressOf = (recipient: Recipient): string => ('to' in recipient ? recipient.to : recipient.toNumber);

/** 10 MB. The service takes larger files only as uploads. */
export const maxBase64Bytes = 10_485_760;

export const needsUpload = ({ file, fileId, files = [], fileIds = [] }: Entry): boolean =>
  fileIds.length < files.length || (file !== null && file.bytes > maxBase64Bytes && (fileId ?? null) === null);

/** Under which a file of an album is stored. */
export const partKey = (key: string, index: number): string => `${key} ${index}`;

/** Keys of the stored files of an entry. */
export const fileKeysOf = ({ key, file, files = [] }: Pick<Entry, 'key' | 'file' | 'files'>): readonly string[] => [
  ...(file === null ? [] : [key]),
  ...files.map((_, index) => partKey(key, index)),
];

/** The service keeps keys for 24 hours. After that, a retry could be a second message. */
const keyLifeMs = 23 * 3_600_000;

export const isExpired = ({ at }: Entry): boolean => Date.now() - Date.parse(at) > keyLifeMs;

/** False for messages that the form cannot show again: forwarded ones, replies and those with mentions. */
export const isWritten = ({ path, body }: Entry): boolean =>
  /^(?:text|media|video|audio|sticker|document)$/.test(path) &&
  ['quotedMessageId', 'mentions', 'mentionAll'].every((name) => !(name in body));

/** Digits with common separators are a phone number, anything else is a JID. */
export const recipientOf = (to: string): Recipient => {
  const plain = plainNumber(to);
  return /^\d+$/.test(plain) ? { toNumber: plain } : { to: to.trim() };
};
