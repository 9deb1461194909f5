/** Message log search (docs/spec/messages.md, Search). */
import type { Jid } from '../jid.ts';
import type { MessageRecord } from '../message.ts';
import { folded } from './letters.ts';
import type { MessageType } from './parts.ts';

export interface MessageFilter {
  readonly q?: string;
  readonly type?: MessageType;
  readonly from?: Jid;
  readonly since?: number;
  readonly until?: number;
  readonly label?: string;
}

const textsOf = ({ text, media, parts = {} }: MessageRecord): readonly (string | null | undefined)[] => {
  const { location, contacts = [], poll, event, groupInvite, link } = parts;
  return [
    text,
    media?.fileName,
    location?.name,
    location?.address,
    ...contacts.flatMap(({ name, organization, numbers }) => [name, organization, ...numbers]),
    poll?.question,
    ...(poll?.options ?? []),
    event?.name,
    event?.description,
    event?.place?.name,
    groupInvite?.subject,
    link?.title,
  ];
};

const hasWords = (record: MessageRecord, words: readonly string[]): boolean => {
  if (record.deletedAt !== null) return false;
  const whole = folded(textsOf(record).filter(Boolean).join('\n'));
  return words.every((word) => whole.includes(word));
};

/** Null if the filter concerns no sealed data. `from`: all addresses of the sender. */
export const makeMatcher = (
  { q, type }: MessageFilter,
  from: ReadonlySet<Jid> | null,
): ((record: MessageRecord) => boolean) | null => {
  if (q === undefined && type === undefined && from === null) return null;
  const words = q === undefined ? [] : folded(q).split(/\s+/).filter(Boolean);
  return (record) =>
    (type === undefined || record.type === type) &&
    (from === null || from.has(record.from) || (record.fromLid !== null && from.has(record.fromLid))) &&
    (words.length === 0 || hasWords(record, words));
};
