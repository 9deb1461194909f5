/** Common to the kinds of messages: how they are read. */
import type { MediaClass } from '../../../domain/messages/files.ts';
import type { MessageMedia, MessageParts, MessageType } from '../../../domain/messages/parts.ts';
import type { proto } from '../../library/proto.ts';
import type { Room } from './limits.ts';

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

export const withoutEnd = (text: string, mark: string): string => {
  let end = text.length;
  while (end > 0 && text[end - 1] === mark) end -= 1;
  return text.slice(0, end);
};
