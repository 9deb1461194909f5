/** The status posts on a phone: the newest of its own and others'. */
import type { Shown } from './view.ts';

export const STATUS = 'status@broadcast';

export interface ViewStatus extends Pick<Shown, 'type' | 'text' | 'image' | 'media' | 'error'> {
  readonly id: string;
  /** A phone JID. */
  readonly from: string;
  readonly fromMe: boolean;
  readonly timestamp: string;
  /** Colour and font of a text, as the message has them. */
  readonly background: string | null;
  readonly font: number | null;
  readonly revoked: boolean;
  readonly viewed: boolean;
  readonly likes: readonly { readonly from: string; readonly emoji: string }[];
  readonly viewers: readonly { readonly from: string; readonly state: 'delivered' | 'read' }[];
  /** LIDs this phone's own post was sent to. */
  readonly audience: readonly string[];
}
