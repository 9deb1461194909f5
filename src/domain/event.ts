/** The events of a device, as a union by kind (docs/spec/events.md, Event kinds). */
import type { ChannelEvent } from './channels/channel.ts';
import type { ChatEvent } from './chats/chat-event.ts';
import type { ContactEvent } from './chats/contact.ts';
import type { LabelEvent } from './chats/label.ts';
import type { GroupEvent } from './groups/group.ts';
import type { Jid } from './jid.ts';
import type { StatusEvent } from './messages/status-event.ts';
import type { MessageMedia, MessageParts, MessageType, Order, Person, PlannedEvent, Poll } from './messages/parts.ts';

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

/** About the device itself; among additional webhooks only account-wide ones get them. */
export const deviceKinds = ['device.created', 'device.deleted'] as const;

/** Only for additional webhooks and streams, and in the log on request: `webhookEvents` may not name them. */
const furtherKinds = [
  'chat.presence',
  'chat.settled',
  'chat.updated',
  'chat.cleared',
  'chat.deleted',
  'contact.updated',
  'label.updated',
  'history.loaded',
  'account.limited',
  'group.updated',
  'group.joined',
  'group.left',
  'status.received',
  'status.deleted',
  'status.viewed',
  'channel.message',
  'channel.message.updated',
  'channel.updated',
  ...deviceKinds,
] as const;

export const allKinds = [...eventKinds, ...furtherKinds] as const;

export type AnyKind = (typeof allKinds)[number];

/** Online state; and writing (`text`), recording (`voice`) or neither. */
export const presenceStates = ['online', 'offline', 'text', 'voice', 'none'] as const;

export type PresenceState = (typeof presenceStates)[number];

/** `viewOnce`, `hosted` (businesses), `bot`: withheld by the network; `waiting`: requested from the phone; `undecryptable`: every retry failed. */
export const unavailableReasons = ['viewOnce', 'hosted', 'bot', 'waiting', 'undecryptable'] as const;

export type Unavailable = (typeof unavailableReasons)[number];

/** `message` of message events as stored (`event-view.ts` converts it), with both addresses of a person if known. */
export interface MessageData extends MessageParts {
  readonly id: string;
  readonly chat: Jid;
  /** Of the other person in a 1:1 chat; null in a group. */
  readonly chatNumber: string | null;
  readonly chatLid: Jid | null;
  readonly from: Jid;
  readonly fromNumber: string | null;
  readonly fromLid: Jid | null;
  readonly fromUsername?: string | null;
  readonly pushName: string | null;
  readonly isGroup: boolean;
  readonly timestamp: number;
  readonly type: MessageType;
  readonly text: string | null;
  readonly quotedMessageId: string | null;
  readonly media: MessageMedia | null;
  readonly viewOnce: boolean;
  readonly unavailable: Unavailable | null;
}

export type MessageUpdate =
  /** `from`: who, in a group. `error`: why a scheduled message failed. */
  | { readonly status: 'delivered' | 'read' | 'played' | 'failed'; readonly from?: Person; readonly error?: string }
  | { readonly text: string | null; readonly poll?: Poll; readonly event?: PlannedEvent }
  /** Content of a message reported without it. */
  | { readonly message: MessageData }
  | { readonly media: MessageMedia }
  /** An order with its lines, which must be queried. */
  | { readonly order: Order }
  | { readonly reaction: string | null; readonly from: Person }
  /** All choices of a person; replaces the earlier vote. */
  | { readonly votes: readonly Vote[]; readonly from: Person }
  | { readonly response: EventResponse; readonly guests: number; readonly from: Person }
  | { readonly pinned: boolean; readonly from: Person }
  /** All labels that the message has now. */
  | { readonly labels: readonly string[] }
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
  | LabelEvent
  | StatusEvent
  | ChannelEvent
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
        readonly until?: number | null;
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
        readonly expiresAt: number;
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
        readonly fromUsername?: string | null;
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
      readonly type: 'account.limited';
      readonly data: {
        readonly until: number | null;
        readonly reason: string | null;
      };
    }
  | {
      /** A person has stopped writing: everything since the last answer. */
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
        readonly chat: Jid | null;
        readonly count: number;
        /** The phone has older ones; null: unknown. */
        readonly more: boolean | null;
      };
    };

/** `id` is `evt_…`, sortable within its device. */
export interface StoredEvent {
  readonly id: string;
  readonly deviceId: number;
  readonly at: number;
  readonly event: DeviceEvent;
}

/** With the device's owner, so that listeners need no look-up. */
export interface CommittedEvent extends StoredEvent {
  readonly userId: number;
  /** A delivery to be claimed, or a turn, was written with it. */
  readonly isPosted: boolean;
}

export interface EventEnvelope {
  readonly id: string;
  readonly type: AnyKind | 'test';
  readonly timestamp: string;
  readonly deviceId: number;
  readonly data: unknown;
}
