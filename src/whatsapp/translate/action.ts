/** Messages that do something to another one or to the chat, instead of saying something. */
import type { proto } from '../engine/proto.ts';

export type Action =
  | { readonly kind: 'edit'; readonly messageId: string; readonly message: proto.IMessage }
  | { readonly kind: 'revoke'; readonly messageId: string; readonly key: proto.IMessageKey }
  | { readonly kind: 'reaction'; readonly messageId: string; readonly reaction: string | null }
  | { readonly kind: 'pin'; readonly messageId: string; readonly pinned: boolean }
  | { readonly kind: 'timer'; readonly expiresInSeconds: number | null; readonly setAt: number | null }
  | EncryptedUpdate
  /** Messages that the phone hands over because this device never got them. */
  | { readonly kind: 'resent'; readonly messages: readonly proto.IWebMessageInfo[] };

/** An action that is encrypted with the secret of its message. */
export interface EncryptedUpdate {
  readonly kind: 'encryptedUpdate';
  readonly use: 'edit' | 'eventEdit' | 'pollEdit' | 'reaction' | 'vote' | 'response' | 'comment';
  readonly messageId: string;
  readonly iv: Uint8Array;
  readonly payload: Uint8Array;
}
