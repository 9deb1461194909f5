/** The unit of work of a session: everything one protocol step changes, written in one transaction. */
import type { AccountLimits } from './account-limits.ts';
import type { AppStateChange, AppStateKind } from './app-state.ts';
import type { ChatChange, ChatClearing } from './chats/chat.ts';
import type { ContactChange } from './chats/contact.ts';
import type { LabelChange, LabelMark } from './chats/label.ts';
import type { StopWord } from './chats/suppressions.ts';
import type { DeviceEvent } from './event.ts';
import type { KeptGroup } from './groups/group.ts';
import type { Jid } from './jid.ts';
import type { MessageChange, MessageRecord } from './message.ts';
import type { Annotation } from './messages/annotation.ts';
import type { Person } from './messages/parts.ts';
import type { Account } from './sessions/state.ts';
import type { StatusChange } from './messages/statuses.ts';

export interface KeyName {
  readonly type: string;
  readonly id: string;
}

export interface KeyChange extends KeyName {
  readonly value: Uint8Array | null;
}

/** A note among a device's keys: its prekey ids may lag behind the network's (database restored, session adopted). Removed at the next login. */
export const restoredNote: KeyName = { type: 'restored', id: 'restored' };

/** Written among a device's keys when its link was handed to another program: deleting the device then does not log out. */
export const handedOverNote: KeyName = { type: 'handed-over', id: 'handed-over' };

/** Plaintext of a decrypted stanza, kept to answer a redelivery after a crash (docs/internals/durability.md, The contract). */
export interface InboxRow {
  /** Hex SHA-256 of the ciphertext. */
  readonly key: string;
  readonly plaintext: Uint8Array;
}

/** `reader`: null in a 1:1 chat. */
export interface Receipt {
  readonly messageId: string;
  readonly step: { readonly state: 'delivered' | 'read'; readonly at: number };
  readonly status: 'delivered' | 'read' | 'played';
  readonly place: { readonly chat: Jid; readonly chatNumber: string | null; readonly chatLid: Jid | null };
  readonly reader: Person | null;
}

export interface Report {
  readonly event: DeviceEvent;
  readonly at: number;
  /** What the network calls this report, which it may repeat. */
  readonly id?: string | null | undefined;
  /** If only a message's author may do it: dropped for a message known to be somebody else's. Any peer can name any message in an edit. */
  readonly author?: Person | undefined;
}

/** What happened, as the driver and the services report it. The commit derives the events (`store/commit/events-of.ts`). */
export type Fact =
  | Report
  | { readonly arrived: MessageRecord }
  /** Content of a message that was reported without it. */
  | { readonly completed: MessageRecord; readonly at: number }
  /** A message that the network has accepted. Writes that step. */
  | { readonly accepted: MessageRecord }
  /** `chat`: under which the message is stored. Writes the step. */
  | { readonly receipt: Receipt; readonly chat: Jid };

export interface NewEvent extends Pick<Report, 'event' | 'at' | 'author'> {
  /** Only the first event of a device with this key is written, so redelivered input yields one event. */
  readonly dedupeKey: string | undefined;
  /** Deliveries with the same key are posted in sequence: the chat, or `connection` for events of the device. */
  readonly orderKey: string;
  /** The step that it reports; if the message took it before, there is no event. */
  readonly step?: MessageChange | undefined;
}

export interface SessionChanges {
  /** Nothing was acknowledged, so a power cut may undo the changes. */
  readonly isUnflushed?: true;
  readonly credentials?: Uint8Array;
  readonly keys?: readonly KeyChange[];
  readonly inbox?: readonly InboxRow[];
  /** New messages; existing ones (same device, chat and id) are unchanged. */
  readonly messages?: readonly MessageRecord[];
  readonly messageChanges?: readonly MessageChange[];
  /** Messages that reached nobody, removed together with chats that contain nothing else. */
  readonly withdrawn?: readonly MessageRecord[];
  readonly annotations?: readonly Annotation[];
  readonly facts?: readonly Fact[];
  readonly sent?: number;
  readonly account?: Account | null;
  readonly announcedOpen?: boolean;
  readonly pairingAt?: number | null;
  readonly lastSeenAt?: number;
  readonly limits?: AccountLimits;
  /** Kinds deleted before `appState` is written. */
  readonly appStateReset?: readonly AppStateKind[];
  readonly appState?: readonly AppStateChange[];
  /** Deletes all labels and marks before `labels` and `labelMarks` are written. */
  readonly labelsReset?: true;
  readonly labels?: readonly LabelChange[];
  readonly labelMarks?: readonly LabelMark[];
  /** Chats, contacts and labels were loaded as a whole: no events about them. */
  readonly loaded?: true;
  readonly chats?: readonly ChatChange[];
  readonly cleared?: readonly ChatClearing[];
  /** Unblocks everybody that `contacts` does not block. */
  readonly blockedReset?: true;
  readonly contacts?: readonly ContactChange[];
  readonly groups?: readonly KeptGroup[];
  readonly statuses?: readonly StatusChange[];
  readonly stopWords?: readonly StopWord[];
}

const lists = [
  'keys',
  'inbox',
  'messages',
  'messageChanges',
  'withdrawn',
  'annotations',
  'facts',
  'chats',
  'cleared',
  'contacts',
  'groups',
  'labels',
  'labelMarks',
  'statuses',
] as const;

/** In order; the last value of a non-list field wins. */
export const joinChanges = (all: readonly SessionChanges[]): SessionChanges => {
  const joined: SessionChanges = Object.assign({}, ...all);
  const whole: Partial<Record<(typeof lists)[number], unknown[]>> = {};
  for (const each of all)
    for (const list of lists) if (each[list] !== undefined) (whole[list] ??= []).push(...each[list]);
  return Object.assign(joined, whole);
};
