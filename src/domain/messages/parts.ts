/** Parts of a message beyond text and media (docs/spec/messages.md, Message content). */
import type { Jid } from '../jid.ts';

export const messageTypes = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
  'poll',
  'event',
  'groupInvite',
  'album',
  'order',
  'product',
  'payment',
  'callLog',
  'system',
  'unknown',
] as const;

export type MessageType = (typeof messageTypes)[number];

export interface Person {
  readonly jid: Jid;
  readonly number: string | null;
  readonly lid: Jid | null;
  readonly username?: string | null;
}

export interface Quoted {
  readonly id: string;
  readonly from: Person | null;
  readonly type: MessageType;
  readonly text: string | null;
}

export interface Place {
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly name: string | null;
  readonly address: string | null;
  readonly live: boolean;
  readonly accuracyMeters: number | null;
}

export interface SharedContact {
  readonly name: string | null;
  readonly numbers: readonly string[];
  readonly organization: string | null;
  readonly vcard: string;
}

export interface Poll {
  readonly question: string;
  readonly options: readonly string[];
  readonly maxAnswers: number;
}

export interface Selection {
  readonly id: string | null;
  readonly text: string | null;
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

export interface LinkPreview {
  readonly url: string;
  readonly title: string | null;
  readonly description: string | null;
}

export interface PlannedEvent {
  readonly name: string | null;
  readonly description: string | null;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly place: Place | null;
  readonly canceled: boolean;
}

export interface GroupInvite {
  readonly group: Jid;
  readonly subject: string | null;
  readonly code: string | null;
  readonly expiresAt: number | null;
}

export interface OrderLine {
  readonly id: string | null;
  readonly name: string | null;
  readonly quantity: number | null;
  readonly price: number | null;
}

/** Amounts in units of the currency (ISO 4217). */
export interface Order {
  readonly id: string | null;
  readonly itemCount: number | null;
  readonly items: readonly OrderLine[] | null;
  readonly total: number | null;
  readonly currency: string | null;
}

export interface Product {
  readonly id: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly price: number | null;
  readonly currency: string | null;
  readonly url: string | null;
}

export interface MessageParts {
  readonly quoted: Quoted | null;
  readonly mentions: readonly Person[];
  readonly mentionAll: boolean;
  readonly forwarded: { readonly times: number } | null;
  readonly expiresInSeconds: number | null;
  readonly location: Place | null;
  readonly contacts: readonly SharedContact[];
  readonly poll: Poll | null;
  readonly selection: Selection | null;
  readonly referral: Referral | null;
  readonly link: LinkPreview | null;
  readonly event: PlannedEvent | null;
  readonly groupInvite: GroupInvite | null;
  readonly order: Order | null;
  readonly product: Product | null;
  readonly album: { readonly messageId: string } | null;
  /** The image or video this is the HD version of, if it could not replace its media. */
  readonly hdOf: { readonly messageId: string } | null;
}

/** Like most texts. Stored messages contain only the parts they have. */
export const noParts: MessageParts = {
  quoted: null,
  mentions: [],
  mentionAll: false,
  forwarded: null,
  expiresInSeconds: null,
  location: null,
  contacts: [],
  poll: null,
  selection: null,
  referral: null,
  link: null,
  event: null,
  groupInvite: null,
  order: null,
  product: null,
  album: null,
  hdOf: null,
};

export interface MessageMedia {
  readonly mimetype: string;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly fileName: string | null;
  readonly voice: boolean;
  readonly gif: boolean;
  /** A video note. Absent: false. */
  readonly note?: boolean;
  readonly seconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly waveform: readonly number[] | null;
}

export const noMediaDetails = { voice: false, gif: false, seconds: null, width: null, height: null, waveform: null };

export const namesOf = ({ jid, number, lid }: Person): readonly string[] => [
  jid,
  ...(lid === null ? [] : [lid]),
  ...(number === null ? [] : [`+${number}`]),
];

export const isSamePerson = (one: Person, other: Person): boolean =>
  one.jid === other.jid ||
  (one.number !== null && one.number === other.number) ||
  (one.lid !== null && (one.lid === other.lid || one.lid === other.jid)) ||
  (other.lid !== null && other.lid === one.jid);
