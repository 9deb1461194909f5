/** The unit of work of a session: everything one protocol step changes, written in one transaction. */
import type { AccountLimits } from './account-limits.ts';
import type { AppStateChange, AppStateKind } from './app-state.ts';
import type { ChatChange } from './chats/chat.ts';
import type { ContactChange } from './chats/contact.ts';
import type { StopWord } from './chats/suppressions.ts';
import type { NewEvent } from './event.ts';
import type { KeptGroup } from './groups/group.ts';
import type { MessageChange, MessageRecord } from './message.ts';
import type { Annotation } from './messages/annotation.ts';
import type { Account } from './sessions/state.ts';

export interface KeyName {
  readonly type: string;
  readonly id: string;
}

/** `value` null deletes it. */
export interface KeyChange extends KeyName {
  readonly value: Uint8Array | null;
}

/**
 * Left by the store among a device's keys when its database was restored to an earlier state. The driver handles and removes it at the
 * next login.
 */
export const restoredNote: KeyName = { type: 'restored', id: 'restored' };

/** The plaintext of a decrypted stanza, kept to answer a redelivery after a crash (docs/internals/durability.md, The contract). */
export interface InboxRow {
  /** Hex SHA-256 of the ciphertext. */
  readonly key: string;
  readonly plaintext: Uint8Array;
}

export interface SessionChanges {
  readonly credentials?: Uint8Array;
  readonly keys?: readonly KeyChange[];
  readonly inbox?: readonly InboxRow[];
  /** New messages; existing ones (same device, chat and id) are left unchanged. */
  readonly messages?: readonly MessageRecord[];
  readonly messageChanges?: readonly MessageChange[];
  /** Messages that reached nobody: removed as if never written, with chats that contain nothing else. */
  readonly withdrawn?: readonly MessageRecord[];
  readonly annotations?: readonly Annotation[];
  readonly events?: readonly NewEvent[];
  /** Added to the device's `messagesSent`. */
  readonly sent?: number;
  /** The linked account; null if it is no longer linked. */
  readonly account?: Account | null;
  readonly announcedOpen?: boolean;
  /** When the current pairing last offered something (ms); null when it has ended. */
  readonly pairingAt?: number | null;
  readonly lastSeenAt?: number;
  /** The latest restrictions reported by the network. */
  readonly limits?: AccountLimits;
  /** Kinds of application state whose entries are all deleted before `appState` is written. */
  readonly appStateReset?: readonly AppStateKind[];
  readonly appState?: readonly AppStateChange[];
  /** Chats and contacts are loaded as a whole, so nothing is news (`chat.updated`, `contact.updated`). */
  readonly loaded?: true;
  readonly chats?: readonly ChatChange[];
  /** Unblocks everybody that `contacts` does not block. */
  readonly blockedReset?: true;
  readonly contacts?: readonly ContactChange[];
  readonly groups?: readonly KeptGroup[];
  readonly stopWords?: readonly StopWord[];
}

const lists = [
  'keys',
  'inbox',
  'messages',
  'messageChanges',
  'withdrawn',
  'annotations',
  'events',
  'chats',
  'contacts',
  'groups',
] as const;

/** Joins changes in order; of a field that is no list, the last one counts. */
export const joinChanges = (all: readonly SessionChanges[]): SessionChanges => {
  const joined: SessionChanges = Object.assign({}, ...all);
  const whole: Partial<Record<(typeof lists)[number], unknown[]>> = {};
  for (const each of all)
    for (const list of lists) if (each[list] !== undefined) (whole[list] ??= []).push(...each[list]);
  return Object.assign(joined, whole);
};
