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

/** A person: `by` of a revoke, `from` of a reaction, a mention. */
export interface Person {
  readonly jid: Jid;
  readonly number: string | null;
  readonly lid: Jid | null;
}

/** The quoted message, as repeated by the reply. */
export interface Quoted {
  readonly id: string;
  /** Null if the reply does not name the author. */
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
  /** ms. */
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly place: Place | null;
  readonly canceled: boolean;
}

export interface GroupInvite {
  readonly group: Jid;
  readonly subject: string | null;
  readonly code: string | null;
  /** ms. */
  readonly expiresAt: number | null;
}

export interface MessageParts {
  readonly quoted: Quoted | null;
  readonly mentions: readonly Person[];
  readonly forwarded: { readonly times: number } | null;
  /** The chat's disappearing timer when it was sent. */
  readonly expiresInSeconds: number | null;
  readonly location: Place | null;
  readonly contacts: readonly SharedContact[];
  readonly poll: Poll | null;
  readonly selection: Selection | null;
  readonly referral: Referral | null;
  readonly link: LinkPreview | null;
  readonly event: PlannedEvent | null;
  readonly groupInvite: GroupInvite | null;
  readonly album: { readonly messageId: string } | null;
  /** The image or video that this is the HD version of, if it could not be given this media. */
  readonly hdOf: { readonly messageId: string } | null;
}

/** Without any parts, like most texts. Stored messages contain only the parts they have. */
export const noParts: MessageParts = {
  quoted: null,
  mentions: [],
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
  readonly seconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly waveform: readonly number[] | null;
}

export const noMediaDetails = { voice: false, gif: false, seconds: null, width: null, height: null, waveform: null };
