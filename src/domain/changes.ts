/** The unit of work of a session: everything that one protocol step changed, written in one transaction. */
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

/** One Signal key or other entry of the authentication state. */
export interface KeyName {
  readonly type: string;
  readonly id: string;
}

/** `value` null deletes it. */
export interface KeyChange extends KeyName {
  readonly value: Uint8Array | null;
}

/**
 * The store leaves it among a device's keys when its database was put back to an earlier state. The driver acts on it and removes it at
 * the next login.
 */
export const restoredNote: KeyName = { type: 'restored', id: 'restored' };

/** The plaintext of a decrypted stanza, kept to answer a redelivery after a crash (docs/internals/durability.md, The contract). */
export interface InboxRow {
  /** Hex SHA-256 of the ciphertext. */
  readonly key: string;
  readonly plaintext: Uint8Array;
}

export interface SessionChanges {
  /** Serialised credentials (without the Signal keys). */
  readonly credentials?: Uint8Array;
  readonly keys?: readonly KeyChange[];
  readonly inbox?: readonly InboxRow[];
  /** New messages; one that exists already (same device, chat and id) is left as it is. */
  readonly messages?: readonly MessageRecord[];
  readonly messageChanges?: readonly MessageChange[];
  /** Messages that reach nobody: they go as if they had never been written, and so do the chats that they alone have made. */
  readonly withdrawn?: readonly MessageRecord[];
  readonly annotations?: readonly Annotation[];
  readonly events?: readonly NewEvent[];
  /** Added to the device's `messagesSent`. */
  readonly sent?: number;
  /** The linked account; null when the link is gone. */
  readonly account?: Account | null;
  readonly announcedOpen?: boolean;
  /** When the pairing under way last offered something (ms); null when it has ended. */
  readonly pairingAt?: number | null;
  readonly lastSeenAt?: number;
  /** Restrictions on the account, as the network told them last. */
  readonly limits?: AccountLimits;
  /** Kinds of application state of which every entry is deleted, before `appState` is written. */
  readonly appStateReset?: readonly AppStateKind[];
  readonly appState?: readonly AppStateChange[];
  /** Chats and contacts are loaded as a whole: nothing of it is news (`chat.updated`, `contact.updated`). */
  readonly loaded?: true;
  readonly chats?: readonly ChatChange[];
  /** Nobody is blocked but whom `contacts` blocks. */
  readonly blockedReset?: true;
  readonly contacts?: readonly ContactChange[];
  /** Groups as they are now. */
  readonly groups?: readonly KeptGroup[];
  /** Stop words among the received messages of this unit. */
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

/** Changes in their order; of a member that is no list, the last. */
export const joinChanges = (all: readonly SessionChanges[]): SessionChanges => {
  const joined: SessionChanges = Object.assign({}, ...all);
  const whole: Partial<Record<(typeof lists)[number], unknown[]>> = {};
  for (const each of all)
    for (const list of lists) if (each[list] !== undefined) (whole[list] ??= []).push(...each[list]);
  return Object.assign(joined, whole);
};
