/** Messages that change another message or the chat. */
import type { proto } from '../engine/proto.ts';

export type Action =
  | { readonly kind: 'edit'; readonly messageId: string; readonly message: proto.IMessage }
  | { readonly kind: 'revoke'; readonly messageId: string; readonly key: proto.IMessageKey }
  | { readonly kind: 'reaction'; readonly messageId: string; readonly reaction: string | null }
  | { readonly kind: 'pin'; readonly messageId: string; readonly pinned: boolean }
  | { readonly kind: 'timer'; readonly expiresInSeconds: number | null; readonly setAt: number | null }
  | EncryptedUpdate
  /** Messages handed over by the phone because this device never received them. */
  | { readonly kind: 'resent'; readonly messages: readonly proto.IWebMessageInfo[] };

/** A change encrypted with the secret of its message. */
export interface EncryptedUpdate {
  readonly kind: 'encryptedUpdate';
  readonly use: 'edit' | 'eventEdit' | 'pollEdit' | 'reaction' | 'vote' | 'response' | 'comment';
  readonly messageId: string;
  readonly iv: Uint8Array;
  readonly payload: Uint8Array;
}
