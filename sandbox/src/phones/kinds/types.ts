/** Contents of messages by kind, named as in the control interface (docs/sandbox.md, Messages). */
import type { OrderLine } from '../../base/order-token.ts';

export type MessageKind =
  | 'text'
  | 'image'
  | 'video'
  | 'audio'
  | 'document'
  | 'sticker'
  | 'location'
  | 'contact'
  | 'poll'
  | 'event'
  | 'groupInvite'
  | 'album'
  | 'order'
  | 'product'
  | 'payment'
  | 'callLog'
  | 'system'
  | 'unknown';

export interface Place {
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly name: string | null;
  readonly address: string | null;
  readonly live: boolean;
  readonly accuracyMeters: number | null;
}

export interface ContactCard {
  readonly name: string;
  readonly numbers: readonly string[];
  readonly organization: string | null;
  readonly vcard: string;
}

export interface PollQuestion {
  readonly question: string;
  readonly options: readonly string[];
  readonly maxAnswers: number;
}

export interface Poll extends PollQuestion {
  readonly votes: readonly { readonly option: string; readonly from: readonly string[] }[];
}

export interface EventPlan {
  readonly name: string;
  readonly description: string | null;
  /** ISO 8601, as `endsAt`. */
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  readonly place: Place | null;
  readonly canceled: boolean;
}

export interface Link {
  readonly url: string;
  readonly title: string | null;
  readonly description: string | null;
}

export interface GroupInvite {
  readonly group: string;
  readonly subject: string | null;
  readonly code: string | null;
  readonly expiresAt: string | null;
}

export interface Selected {
  readonly id: string | null;
  readonly text: string | null;
}

export interface Product {
  readonly id: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly price: number | null;
  readonly currency: string | null;
  readonly url: string | null;
  readonly business: string | null;
}

export interface Order {
  readonly id: string;
  readonly title: string | null;
  readonly items: number;
  /** The answer to a query with the message's token; null: the order is gone. */
  readonly lines: readonly OrderLine[] | null;
  readonly total: number | null;
  readonly currency: string | null;
  readonly seller: string | null;
}

export interface Payment {
  readonly amount: number;
  readonly currency: string;
}

export interface CallLog {
  readonly video: boolean;
  readonly outcome:
    | 'connected'
    | 'missed'
    | 'failed'
    | 'rejected'
    | 'acceptedElsewhere'
    | 'ongoing'
    | 'silencedByDnd'
    | 'silencedUnknownCaller';
  readonly seconds: number | null;
}

export interface Referral {
  readonly sourceType: string | null;
  readonly sourceId: string | null;
  readonly sourceUrl: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly mediaUrl: string | null;
  readonly clickId: string | null;
}

export interface Channel {
  readonly jid: string;
  readonly name: string | null;
  readonly messageId: number | null;
}

export interface Quoted {
  readonly id: string;
  readonly from: string | null;
  readonly type: MessageKind;
  readonly text: string | null;
  readonly status: boolean;
}

export interface Surroundings {
  readonly quoted?: Quoted;
  readonly mentions?: readonly string[];
  readonly mentionAll?: true;
  /** 127 and more are shown as "many times". */
  readonly forwarded?: { readonly times: number };
  readonly expiresInSeconds?: number;
  readonly referral?: Referral;
  readonly channel?: Channel;
  readonly viewOnce?: true;
}

export interface Content {
  readonly location?: Place;
  readonly contacts?: readonly ContactCard[];
  readonly poll?: Poll;
  readonly event?: EventPlan;
  readonly link?: Link;
  readonly groupInvite?: GroupInvite;
  readonly selection?: Selected;
  readonly product?: Product;
  readonly order?: Order;
  readonly payment?: Payment;
  readonly callLog?: CallLog;
  readonly system?: string;
  readonly album?: { readonly images: number; readonly videos: number };
  readonly albumId?: string;
  readonly hdOf?: string;
}
