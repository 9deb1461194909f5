/** Messages that change another message or the chat. */
import type { proto } from '../library/proto.ts';

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
