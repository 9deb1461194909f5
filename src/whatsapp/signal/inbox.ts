/** Receiving: a decryption and all that comes of it in one transaction, and redeliveries answered from what it kept. */
import { hash } from 'node:crypto';
import type { SessionChanges } from '../../domain/changes.ts';
import type { SignalRecords, RecordStore, UnitOfWork } from './signal-records.ts';

/** A ciphertext that was decrypted: `ciphertext` is the very buffer that the stanza carries. */
export interface Decrypted {
  readonly ciphertext: Uint8Array;
  readonly plaintext: Uint8Array;
  /** The author's JID, as the caller named it. */
  readonly jid: string;
  /** The group's JID of a group message, else null. */
  readonly group: string | null;
}

type Beside = Omit<SessionChanges, 'inbox'>;

/** Returns further changes for the commit of a decryption, and what is to be handed on in place of the plaintext. An error makes the decryption fail and changes nothing. */
export type OnPlaintext = (decrypted: Decrypted) => Read | Promise<Read>;

type Read = Beside & { readonly instead?: Uint8Array };

export interface Received extends Omit<Decrypted, 'plaintext'> {
  /** Looks for a redelivery before decrypting, where decrypting would not fail on one. */
  readonly inboxFirst: boolean;
}

/**
 * Called when a message cannot be decrypted, before its error is handed on. What it resolves with, if not null, is taken for the plaintext.
 */
export type OnUndecryptable = (ciphertext: Uint8Array, error: unknown) => Promise<Uint8Array | null>;

/** Where decrypted messages go. */
export interface PlaintextReader {
  readonly onPlaintext: OnPlaintext;
  readonly onUndecryptable?: OnUndecryptable | undefined;
}

export type Receive = (unit: UnitOfWork, received: Received, decrypt: () => Promise<Uint8Array>) => Promise<Uint8Array>;

export class Inbox {
  readonly #options: { readonly deviceId: number; readonly store: RecordStore; readonly records: SignalRecords };
  #reader: PlaintextReader = { onPlaintext: () => ({}) };

  constructor(options: { readonly deviceId: number; readonly store: RecordStore; readonly records: SignalRecords }) {
    this.#options = options;
  }

  readBy(reader: PlaintextReader): void {
    this.#reader = reader;
  }

  /**
   * Commits the ratchet, the inbox row and what the reader adds together, before the plaintext is handed on. What was
   * decrypted before is answered from its inbox row: the ratchet is not touched and nobody is told again. Decrypting
   * fails on a redelivery (its message key is used up), so the row is looked for only then.
   */
  readonly receive: Receive = async (unit, { ciphertext, jid, group, inboxFirst }, decrypt) => {
    const { deviceId, store, records } = this.#options;
    const key = hash('sha256', ciphertext, 'hex');
    const kept = inboxFirst ? await store.readInbox(deviceId, key) : null;
    if (kept !== null) return kept;
    let plaintext: Uint8Array;
    try {
      plaintext = await decrypt();
    } catch (error) {
      const earlier = await store.readInbox(deviceId, key);
      const instead = earlier ?? (await this.#reader.onUndecryptable?.(ciphertext, error)) ?? null;
      if (instead !== null) return instead;
      throw error;
    }
    const { instead = plaintext, ...beside } = await this.#reader.onPlaintext({ ciphertext, plaintext, jid, group });
    await records.commit(unit, { ...beside, inbox: [{ key, plaintext: instead }] });
    return instead;
  };
}
