/** The events of a device, as a union by kind (docs/spec/events.md, Event kinds). */
import type { ChatEvent } from './chats/chat-event.ts';
import type { ContactEvent } from './chats/contact.ts';
import type { GroupEvent } from './groups/group.ts';
import type { Jid } from './jid.ts';
import type { MessageMedia, MessageParts, MessageType, Person, PlannedEvent, Poll } from './messages/parts.ts';

export const eventKinds = [
  'connection.open',
  'connection.closed',
  'connection.auth',
  'connection.timeout',
  'connection.logout',
  'message.received',
  'message.sent',
  'message.updated',
  'message.deleted',
  'call',
] as const;

export type EventKind = (typeof eventKinds)[number];

/** Kinds of the device itself: of the additional webhooks only account-wide ones get them. */
export const deviceKinds = ['device.created', 'device.deleted'] as const;

/** Kinds that no `webhookEvents` names: they are in the streams, and in the log for those who ask for them. */
const furtherKinds = [
  'chat.presence',
  'chat.settled',
  'chat.updated',
  'contact.updated',
  'history.loaded',
  'account.limited',
  'group.updated',
  'group.joined',
  'group.left',
  ...deviceKinds,
] as const;

export const allKinds = [...eventKinds, ...furtherKinds] as const;

export type AnyKind = (typeof allKinds)[number];

/** `online` and `offline`: the person; `text`, `voice` and `none`: writing, recording, and neither any more. */
export const presenceStates = ['online', 'offline', 'text', 'voice', 'none'] as const;

export type PresenceState = (typeof presenceStates)[number];

/**
 * Why a message has no content: the network withholds what is to be looked at once (`viewOnce`), of a business on a hosted account
 * (`hosted`) and of a bot (`bot`); `waiting`, the phone was asked for it; `undecryptable`, it could not be decrypted by the last retry.
 */
export const unavailableReasons = ['viewOnce', 'hosted', 'bot', 'waiting', 'undecryptable'] as const;

export type Unavailable = (typeof unavailableReasons)[number];

/** `message` of the message events as it is stored (`event-view.ts` shows it): both addresses of a person whenever the network has told either. */
export interface MessageData extends MessageParts {
  readonly id: string;
  /** The phone JID of the other person when it is known, else the LID; the group's JID in a group. */
  readonly chat: Jid;
  /** Both addresses of the other person of a 1:1 chat; null in a group. */
  readonly chatNumber: string | null;
  readonly chatLid: Jid | null;
  readonly from: Jid;
  readonly fromNumber: string | null;
  readonly fromLid: Jid | null;
  readonly pushName: string | null;
  readonly isGroup: boolean;
  /** ms. */
  readonly timestamp: number;
  readonly type: MessageType;
  readonly text: string | null;
  readonly quotedMessageId: string | null;
  readonly media: MessageMedia | null;
  /** Made to be looked at once; its media is not served. */
  readonly viewOnce: boolean;
  readonly unavailable: Unavailable | null;
}

export type MessageUpdate =
  /** `from`: who, in a group. */
  | { readonly status: 'delivered' | 'read' | 'played' | 'failed'; readonly from?: Person }
  /** An edit; of a poll or an event with what it is now. */
  | { readonly text: string | null; readonly poll?: Poll; readonly event?: PlannedEvent }
  /** The content of a message that was told without it. */
  | { readonly message: MessageData }
  /** The media of the same image or video in HD, in place of the former. */
  | { readonly media: MessageMedia }
  | { readonly reaction: string | null; readonly from: Person }
  /** All that a person has chosen in a poll: it replaces the earlier vote. */
  | { readonly votes: readonly Vote[]; readonly from: Person }
  /** An answer to an invitation to an event. */
  | { readonly response: EventResponse; readonly guests: number; readonly from: Person }
  | { readonly pinned: boolean; readonly from: Person }
  /** The timer of the chat, in seconds; null: messages stay. */
  | { readonly expiresInSeconds: number | null; readonly from: Person };

/** `option`: null when the poll's options are not known here. */
export interface Vote {
  readonly option: string | null;
}

export const eventResponses = ['going', 'notGoing', 'maybe'] as const;

export type EventResponse = (typeof eventResponses)[number];

export const closedReasons = [
  'lost',
  'replaced',
  'restart',
  'inactive',
  'shutdown',
  'requested',
  'removed_by_phone',
  'banned',
  'temporarily_banned',
] as const;

export type ConnectionClosedReason = (typeof closedReasons)[number];

export type DeviceEvent =
  | GroupEvent
  | ChatEvent
  | ContactEvent
  | { readonly type: (typeof deviceKinds)[number]; readonly data: { readonly name: string } }
  | {
      readonly type: 'connection.open';
      readonly data: {
        readonly phoneNumber: string;
        readonly jid: Jid;
        readonly lid: Jid | null;
        readonly name: string | null;
      };
    }
  | {
      readonly type: 'connection.closed';
      readonly data: {
        readonly reason: ConnectionClosedReason;
        readonly willReconnect: boolean;
        /** With `temporarily_banned` alone, RFC 3339; null: the network did not say. */
        readonly until?: string | null;
      };
    }
  | {
      readonly type: 'connection.auth';
      readonly data: {
        readonly qr: string | null;
        readonly qrText: string | null;
        readonly pairingCode: string | null;
        /** The network asks for a passkey: `GET /devices/{id}/passkey` says what to do. */
        readonly passkey: boolean;
        readonly expiresAt: string;
      };
    }
  | { readonly type: 'connection.timeout'; readonly data: Readonly<Record<string, never>> }
  | {
      readonly type: 'connection.logout';
      readonly data: { readonly reason: 'requested' | 'removed_by_phone' | 'banned' };
    }
  | { readonly type: 'message.received'; readonly data: { readonly message: MessageData } }
  | {
      readonly type: 'message.sent';
      readonly data: { readonly message: MessageData; readonly source: 'api' | 'phone' };
    }
  | {
      readonly type: 'message.updated';
      readonly data: {
        readonly messageId: string;
        readonly chat: Jid;
        readonly chatNumber: string | null;
        readonly chatLid: Jid | null;
        readonly update: MessageUpdate;
      };
    }
  | {
      readonly type: 'message.deleted';
      readonly data: {
        readonly messageId: string;
        readonly chat: Jid;
        readonly chatNumber: string | null;
        readonly chatLid: Jid | null;
        readonly by: Person;
      };
    }
  | {
      readonly type: 'call';
      readonly data: {
        readonly callId: string;
        readonly from: Jid;
        readonly fromNumber: string | null;
        readonly fromLid: Jid | null;
        readonly isVideo: boolean;
        readonly isGroup: boolean;
        readonly status: 'offer' | 'accept' | 'reject' | 'timeout' | 'terminate';
      };
    }
  | {
      readonly type: 'chat.presence';
      readonly data: {
        readonly chat: Jid;
        readonly person: Person;
        readonly state: PresenceState;
        /** ms; with `offline` alone, where the person shows it. */
        readonly lastSeenAt: number | null;
      };
    }
  | {
      /** The network has restricted the account, or has changed or lifted its restriction. */
      readonly type: 'account.limited';
      readonly data: {
        /** RFC 3339; null: without an end that is known, or nothing is restricted any more. */
        readonly until: string | null;
        /** In words that a person can act on; null: nothing is restricted any more. */
        readonly reason: string | null;
      };
    }
  | {
      /** A person has stopped writing: all that was written since the last answer. */
      readonly type: 'chat.settled';
      readonly data: {
        readonly chat: Jid;
        readonly chatNumber: string | null;
        readonly chatLid: Jid | null;
        readonly settleSeconds: number;
        readonly messages: readonly MessageData[];
      };
    }
  | {
      /** Older messages have come from the phone, or the wait for them is over. */
      readonly type: 'history.loaded';
      readonly data: {
        /** Null: of the pairing, all chats. */
        readonly chat: Jid | null;
        /** How many messages were added to the log. */
        readonly count: number;
        /** The phone has older ones; null: it has not said so. */
        readonly more: boolean | null;
      };
    };

/** A change that only the author of a message may make: a peer could name any message in an edit. */
export interface Claim {
  readonly messageId: string;
  readonly chat: Jid;
  /** The person who makes the change. */
  readonly author: Person;
}

/** An event to be written to the log and, where the device wants it, to the outbox. */
export interface NewEvent {
  readonly event: DeviceEvent;
  /** When it happened, ms. */
  readonly at: number;
  /** A second event of the device with the same key is not written: at-least-once input becomes one event id. */
  readonly dedupeKey?: string;
  /** Deliveries with the same key are posted one after the other: the chat, or `connection` for the device's own. */
  readonly orderKey: string;
  /** Not written when the message is kept, and known to be somebody else's. */
  readonly claim?: Claim;
}

/** An event as stored: `id` is `evt_…`, sortable within its device. */
export interface StoredEvent {
  readonly id: string;
  readonly deviceId: number;
  readonly at: number;
  readonly event: DeviceEvent;
}

/** An event that was just committed, with whose device it is of: who listens need not look it up. */
export interface CommittedEvent extends StoredEvent {
  readonly userId: number;
  /** A delivery to a webhook was written with it. */
  readonly isPosted: boolean;
}

/** The one envelope of every event (docs/spec/events.md, Envelope). */
export interface EventEnvelope {
  readonly id: string;
  readonly type: AnyKind | 'test';
  readonly timestamp: string;
  readonly deviceId: number;
  readonly data: unknown;
}
