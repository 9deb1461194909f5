/** Statuses of the account and its contacts, and their ports (docs/spec/statuses.md). */
import type { Jid } from '../jid.ts';
import type { MessageRecord } from '../message.ts';
import type { FileContent } from './files.ts';
import type { Person } from './parts.ts';
import type { StatusData } from './status-event.ts';

export const statusJid: Jid = 'status@broadcast';

/** The network's apps show a status for a day. */
export const statusLifeMs = 86_400_000;

/** `message`: the post as a message to `statusJid`. */
export interface StatusRecord extends Pick<StatusData, 'background' | 'font'> {
  readonly message: MessageRecord;
  readonly expiresAt: number;
  /** Of an own post: when the network had accepted it for its whole audience. */
  readonly acceptedAt: number | null;
  readonly deletedAt: number | null;
  /** Number of recipients of an own post; null: somebody else's, or posted on the phone. */
  readonly recipients: number | null;
}

export const statusDataOf = ({ message, background, font }: StatusRecord): StatusData => {
  const { id, from, fromNumber, fromLid, pushName, timestamp, type, text, media } = message;
  const fromUsername = message.fromUsername ?? null;
  return { id, from, fromNumber, fromLid, fromUsername, pushName, timestamp, type, text, media, background, font };
};

export interface StatusViewer {
  readonly person: Person;
  readonly deliveredAt: number | null;
  readonly viewedAt: number | null;
  readonly reaction: string | null;
}

export type StatusChange =
  /** `audience`: the LIDs of an own post. Ignored for an id that is known. */
  | { readonly kind: 'new'; readonly status: StatusRecord; readonly audience: readonly Jid[] | null }
  | { readonly kind: 'accepted'; readonly id: string; readonly at: number; readonly recipients: number }
  /** The network accepted it for nobody. */
  | { readonly kind: 'withdrawn'; readonly id: string }
  | { readonly kind: 'deleted'; readonly id: string; readonly at: number }
  /** Absent members stay. Ignored for a status that is not the account's own. */
  | {
      readonly kind: 'seen';
      readonly id: string;
      readonly person: Person;
      readonly deliveredAt?: number;
      readonly viewedAt?: number;
      readonly reaction?: string | null;
    };

/** `only`: these people; `except`: all in the address book but these. */
export type StatusPrivacy =
  | { readonly kind: 'contacts' }
  | { readonly kind: 'only' | 'except'; readonly people: readonly Jid[] };

export type StatusContent =
  | { readonly kind: 'text'; readonly text: string; readonly background: string | null; readonly font: number | null }
  | Extract<FileContent, { readonly kind: 'image' | 'video' | 'audio' }>;

export interface StatusPost {
  readonly id: string;
  readonly content: StatusContent;
  /** How the audience was chosen; sent with the post. */
  readonly privacy: StatusPrivacy['kind'];
  /** Addresses of people, without the account itself. */
  readonly audience: readonly Jid[];
  readonly signal?: AbortSignal | undefined;
}

/** Implemented by the driver. All throw DeviceNotConnected, RequestTimeout, and SendFailed with the reason if the network refuses. */
export interface Statuses {
  privacy(): Promise<StatusPrivacy>;
  /** Resolves with the number of recipients once the network has accepted it for all. Throws InvalidRequest if nobody has a LID. */
  post(post: StatusPost): Promise<number>;
  /** For everyone in `audience`, its LIDs. */
  remove(id: string, audience: readonly Jid[]): Promise<void>;
  /** Sends the author a view receipt. */
  view(status: StatusRecord): Promise<void>;
  react(status: StatusRecord, reaction: string | null): Promise<void>;
}
