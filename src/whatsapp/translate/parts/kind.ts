/** Common to the kinds of messages: the form in which they are read, and the bounds of what strangers write. */
import type { MediaClass } from '../../../domain/messages/media.ts';
import type { MessageMedia } from '../../../domain/messages/parts.ts';
import type { proto } from '../../engine/proto.ts';
import type { MessageParts, MessageType } from '../../../domain/messages/parts.ts';

export interface MediaPart extends Omit<MessageMedia, 'sha256'> {
  readonly class: MediaClass;
  readonly sha256: Uint8Array | null;
  readonly encryptedSha256: Uint8Array | null;
  readonly caption: string | null;
  readonly mediaKey: Uint8Array | null;
  readonly directPath: string | null;
}

/** A message of one kind, as it is read from its field. */
export interface Said {
  readonly type: MessageType;
  readonly text?: string | null | undefined;
  readonly media?: MediaPart;
  /** The members that the kind itself has; those of the context are added by `content.ts`. */
  readonly parts?: Partial<MessageParts>;
  /** Those that are lists. They are read for the message itself alone, not for one that is quoted. */
  readonly lists?: (room: Room) => Partial<MessageParts>;
  readonly context?: proto.IContextInfo | null | undefined;
}

type Field = keyof proto.IMessage;

/** How to read the kinds of one file, by the field that holds them. */
export type Kinds = Readonly<Partial<Record<Field, (message: proto.IMessage) => Said>>>;

/** As long as a text that is sent may be. Apps of the network write no longer ones, but any client can. */
export const maxText = 65_536;
/** Names, titles, codes, addresses. */
export const maxName = 1_024;

/** UTF-16 units, without half a character at the end. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, /[\uD800-\uDBFF]/.test(text[most - 1]!) ? most - 1 : most);

export const cutOrNull = (text: string | null | undefined, most = maxName): string | null =>
  text ? cut(text, most) : null;

/** Characters that all lists and quotes of a message have together: two cards with pictures. Each is stored twice, in the message and in its event. */
const maxTogether = 131_072;

/** Cuts texts, each to its own limit and to what is left for all of them. */
export class Room {
  #left = maxTogether;

  cut(text: string, most: number): string {
    const kept = this.#left === 0 ? '' : cut(text, Math.min(most, this.#left));
    this.#left -= kept.length;
    return kept;
  }
}

/** The text without these marks at its end. */
export const withoutEnd = (text: string, mark: string): string => {
  let end = text.length;
  while (end > 0 && text[end - 1] === mark) end -= 1;
  return text.slice(0, end);
};

type Count = Parameters<typeof Number>[0];

/** A whole number above 0, else null. */
export const countOrNull = (value: Count): number | null => {
  const number = Number(value ?? 0);
  return Number.isSafeInteger(number) && number > 0 ? number : null;
};

/** The last millisecond that RFC 3339 can express. */
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Seconds since the epoch as ms; null for no time, or one that RFC 3339 cannot express. */
export const timeOrNull = (seconds: Count): number | null => {
  const ms = Number(seconds ?? 0) * 1_000;
  return ms > 0 && ms <= lastMs ? Math.trunc(ms) : null;
};
