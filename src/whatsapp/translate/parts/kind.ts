/** Common to the kinds of messages: how they are read, and limits on what strangers write. */
import type { MediaClass } from '../../../domain/messages/files.ts';
import type { MessageMedia, MessageParts, MessageType } from '../../../domain/messages/parts.ts';
import type { proto } from '../../library/proto.ts';

export interface MediaPart extends Omit<MessageMedia, 'sha256'> {
  readonly class: MediaClass;
  readonly sha256: Uint8Array | null;
  readonly encryptedSha256: Uint8Array | null;
  readonly caption: string | null;
  readonly mediaKey: Uint8Array | null;
  readonly directPath: string | null;
}

export interface Said {
  readonly type: MessageType;
  readonly text?: string | null | undefined;
  readonly media?: MediaPart;
  /** Of the kind itself; those of the context are added by `content.ts`. */
  readonly parts?: Partial<MessageParts>;
  readonly lists?: (room: Room) => Partial<MessageParts>;
  readonly context?: proto.IContextInfo | null | undefined;
}

export type Action =
  | { readonly kind: 'edit'; readonly messageId: string; readonly message: proto.IMessage }
  | { readonly kind: 'revoke'; readonly messageId: string; readonly key: proto.IMessageKey }
  | { readonly kind: 'reaction'; readonly messageId: string; readonly reaction: string | null }
  | { readonly kind: 'pin'; readonly messageId: string; readonly pinned: boolean }
  | { readonly kind: 'timer'; readonly expiresInSeconds: number | null; readonly setAt: number | null }
  | EncryptedUpdate
  | { readonly kind: 'resent'; readonly messages: readonly proto.IWebMessageInfo[] };

export interface EncryptedUpdate {
  readonly kind: 'encryptedUpdate';
  readonly use: 'edit' | 'eventEdit' | 'pollEdit' | 'reaction' | 'vote' | 'response' | 'comment';
  readonly messageId: string;
  readonly iv: Uint8Array;
  readonly payload: Uint8Array;
}

type Field = keyof proto.IMessage;

export type Kinds = Readonly<Partial<Record<Field, (message: proto.IMessage) => Said>>>;

/** The limit of texts to send. The apps write none longer, but any client can. */
export const maxText = 65_536;
export const maxName = 1_024;

/** UTF-16 units, never splitting a surrogate pair. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, /[\uD800-\uDBFF]/.test(text[max - 1]!) ? max - 1 : max);

export const cutOrNull = (text: string | null | undefined, max = maxName): string | null =>
  text ? cut(text, max) : null;

/** Of all lists and quotes of a message together: two cards with pictures. Each is stored twice, in the message and in its event. */
const maxTogether = 131_072;

export class Room {
  #left = maxTogether;

  cut(text: string, max: number): string {
    const kept = this.#left === 0 ? '' : cut(text, Math.min(max, this.#left));
    this.#left -= kept.length;
    return kept;
  }
}

export const withoutEnd = (text: string, mark: string): string => {
  let end = text.length;
  while (end > 0 && text[end - 1] === mark) end -= 1;
  return text.slice(0, end);
};

type Count = Parameters<typeof Number>[0];

export const countOrNull = (value: Count): number | null => {
  const number = Number(value ?? 0);
  return Number.isSafeInteger(number) && number > 0 ? number : null;
};

/** The last millisecond RFC 3339 can express. */
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Seconds to ms; null if absent or not expressible in RFC 3339. */
export const timeOrNull = (seconds: Count): number | null => {
  const ms = Number(seconds ?? 0) * 1_000;
  return ms > 0 && ms <= lastMs ? Math.trunc(ms) : null;
};
