/** A message of the log and of the events, with all its parts. */

export type MessageState = 'pending' | 'accepted' | 'delivered' | 'read' | 'failed';

export type MessageType =
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

export interface Person {
  readonly jid: string;
  readonly number: string | null;
  readonly lid: string | null;
}

export interface Media {
  readonly mimetype: string;
  readonly bytes: number | null;
  readonly fileName: string | null;
  readonly voice: boolean;
  readonly gif: boolean;
  readonly seconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
  /** Loudness over the length, 0 to 100. */
  readonly waveform: readonly number[] | null;
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

export interface Referral {
  readonly sourceUrl: string | null;
  readonly title: string | null;
  readonly body: string | null;
}

export interface LinkPreview {
  readonly url: string;
  readonly title: string | null;
  readonly description: string | null;
}

export interface PlannedEvent {
  readonly name: string | null;
  readonly description: string | null;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  readonly place: Place | null;
  readonly canceled: boolean;
}

export interface GroupInvite {
  readonly group: string;
  readonly subject: string | null;
  readonly expiresAt: string | null;
}

export interface Reaction {
  readonly from: Person;
  readonly reaction: string;
}

export type EventAnswer = 'going' | 'notGoing' | 'maybe';

export interface Response {
  readonly from: Person;
  readonly response: EventAnswer;
  readonly guests: number;
}

export interface Message {
  readonly id: string;
  readonly direction: 'in' | 'out';
  readonly chat: string;
  readonly chatNumber: string | null;
  readonly chatLid: string | null;
  readonly from: string;
  readonly fromNumber: string | null;
  readonly fromLid: string | null;
  readonly pushName: string | null;
  readonly isGroup: boolean;
  readonly type: MessageType;
  readonly text: string | null;
  readonly quotedMessageId: string | null;
  readonly media: Media | null;
  readonly quoted: Quoted | null;
  readonly mentions: readonly Person[];
  readonly forwarded: { readonly times: number } | null;
  readonly expiresInSeconds: number | null;
  readonly location: Place | null;
  readonly contacts: readonly SharedContact[];
  readonly poll: Poll | null;
  readonly selection: { readonly id: string | null; readonly text: string | null } | null;
  readonly referral: Referral | null;
  readonly link: LinkPreview | null;
  readonly event: PlannedEvent | null;
  readonly groupInvite: GroupInvite | null;
  readonly album: { readonly messageId: string } | null;
  readonly hdOf: { readonly messageId: string } | null;
  /** Media that may be viewed once is never served. */
  readonly viewOnce: boolean;
  /** The reason why the content is missing. */
  readonly unavailable: 'viewOnce' | 'hosted' | 'bot' | 'waiting' | 'undecryptable' | null;
  readonly state: MessageState;
  readonly timestamp: string;
  readonly failedAt: string | null;
  readonly deletedAt: string | null;
  readonly editedAt: string | null;
  readonly reactions: readonly Reaction[];
  readonly starred: boolean;
  /** Set in events only. */
  readonly responses?: readonly Response[];
  readonly pinned?: boolean;
}
