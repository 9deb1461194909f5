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

/** Kinds about the device itself; of the additional webhooks only account-wide ones get them. */
export const deviceKinds = ['device.created', 'device.deleted'] as const;

/** Kinds that `webhookEvents` cannot name: they are in the streams, and in the log on request. */
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

/** `online` and `offline` of the person; `text`, `voice` and `none`: writing, recording, and neither. */
export const presenceStates = ['online', 'offline', 'text', 'voice', 'none'] as const;

export type PresenceState = (typeof presenceStates)[number];

/**
 * Why a message has no content. The network withholds view-once messages (`viewOnce`), and those of a business on a hosted account
 * (`hosted`) and of a bot (`bot`); `waiting`: the phone was asked for it; `undecryptable`: it could not be decrypted by the last retry.
 */
export const unavailableReasons = ['viewOnce', 'hosted', 'bot', 'waiting', 'undecryptable'] as const;

export type Unavailable = (typeof unavailableReasons)[number];

/** `message` of message events as stored (`event-view.ts` shows it), with both addresses of a person if the network has told either. */
export interface MessageData extends MessageParts {
  readonly id: string;
  /** Phone JID of the other person if known, else the LID; in a group its JID. */
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
  /** View-once; its media is not served. */
  readonly viewOnce: boolean;
  readonly unavailable: Unavailable | null;
}

export type MessageUpdate =
  /** `from`: who, in a group. */
  | { readonly status: 'delivered' | 'read' | 'played' | 'failed'; readonly from?: Person }
  /** An edit; a poll or an event in its new form. */
  | { readonly text: string | null; readonly poll?: Poll; readonly event?: PlannedEvent }
  /** The content of a message that was reported without it. */
  | { readonly message: MessageData }
  /** The HD version of an image or video, which replaces the media. */
  | { readonly media: MessageMedia }
  | { readonly reaction: string | null; readonly from: Person }
  /** All choices of a person in a poll; replaces the earlier vote. */
  | { readonly votes: readonly Vote[]; readonly from: Person }
  /** A response to an event. */
  | { readonly response: EventResponse; readonly guests: number; readonly from: Person }
  | { readonly pinned: boolean; readonly from: Person }
  /** The chat's disappearing timer, in seconds; null: off. */
  | { readonly expiresInSeconds: number | null; readonly from: Person };

/** `option`: null if the poll's options are unknown. */
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
        /** Only with `temporarily_banned`, RFC 3339; null: unknown. */
        readonly until?: string | null;
      };
    }
  | {
      readonly type: 'connection.auth';
      readonly data: {
        readonly qr: string | null;
        readonly qrText: string | null;
        readonly pairingCode: string | null;
        /** The network asks for a passkey; `GET /devices/{id}/passkey` has the next step. */
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
        /** ms; only with `offline`, if the person shows it. */
        readonly lastSeenAt: number | null;
      };
    }
  | {
      /** The network has restricted the account, or changed or lifted its restriction. */
      readonly type: 'account.limited';
      readonly data: {
        /** RFC 3339; null: no known end, or no restriction any more. */
        readonly until: string | null;
        /** A text for people; null: no restriction any more. */
        readonly reason: string | null;
      };
    }
  | {
      /** A person has stopped writing: everything written since the last answer. */
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
      /** Older messages have arrived from the phone, or the wait for them is over. */
      readonly type: 'history.loaded';
      readonly data: {
        /** Null: all chats, after a pairing. */
        readonly chat: Jid | null;
        /** Number of messages added to the log. */
        readonly count: number;
        /** The phone has older ones; null: unknown. */
        readonly more: boolean | null;
      };
    };

/** A change that only the author of a message may make, as a peer can name any message in an edit. */
export interface Claim {
  readonly messageId: string;
  readonly chat: Jid;
  /** The person who makes the change. */
  readonly author: Person;
}

/** An event for the log and, if the device wants it, the outbox. */
export interface NewEvent {
  readonly event: DeviceEvent;
  /** Time of the event, ms. */
  readonly at: number;
  /** Only one event of a device with the same key is written, so at-least-once input yields one event id. */
  readonly dedupeKey?: string;
  /** Deliveries with the same key are posted in sequence: the chat, or `connection` for events of the device itself. */
  readonly orderKey: string;
  /** Skips the event if the message is stored and known to be somebody else's. */
  readonly claim?: Claim;
}

/** A stored event: `id` is `evt_…`, sortable within its device. */
export interface StoredEvent {
  readonly id: string;
  readonly deviceId: number;
  readonly at: number;
  readonly event: DeviceEvent;
}

/** A committed event with the device's owner, so that listeners need not look it up. */
export interface CommittedEvent extends StoredEvent {
  readonly userId: number;
  /** True if a delivery to a webhook was written with it. */
  readonly isPosted: boolean;
}

/** The envelope of every event (docs/spec/events.md, Envelope). */
export interface EventEnvelope {
  readonly id: string;
  readonly type: AnyKind | 'test';
  readonly timestamp: string;
  readonly deviceId: number;
  readonly data: unknown;
}
