/** Receiving: a decryption and its effects in one transaction, and redeliveries answered from the inbox. */
import { hash } from 'node:crypto';
import type { SessionChanges } from '../../domain/changes.ts';
import type { RecordStore, UnitOfWork } from './signal-records.ts';

export interface Decrypted {
  readonly ciphertext: Uint8Array;
  readonly plaintext: Uint8Array;
  readonly jid: string;
  readonly group: string | null;
}

/** Returns changes for the commit, and what the inbox keeps instead of the plaintext. An error fails the decryption and changes nothing. */
export type OnPlaintext = (decrypted: Decrypted) => Read | Promise<Read>;

type Read = Omit<SessionChanges, 'inbox'> & { readonly instead?: Uint8Array };

export interface Received extends Omit<Decrypted, 'plaintext'> {
  /** Checks the inbox first, if decrypting would not fail on a redelivery. */
  readonly inboxFirst: boolean;
}

export type Receive = (
  unit: UnitOfWork,
  received: Received,
  decrypt: () => Promise<Uint8Array>,
  onPlaintext: OnPlaintext | undefined,
) => Promise<Uint8Array>;

/** Commits before the plaintext is returned. A redelivery fails to decrypt, and is answered from its inbox row. */
export const makeReceive =
  ({ deviceId, store }: { readonly deviceId: number; readonly store: RecordStore }): Receive =>
  async (unit, { ciphertext, jid, group, inboxFirst }, decrypt, onPlaintext) => {
    const key = hash('sha256', ciphertext, 'hex');
    const kept = inboxFirst ? await store.readInbox(deviceId, key) : null;
    if (kept !== null) return kept;
    let plaintext: Uint8Array;
    try {
      plaintext = await decrypt();
    } catch (error) {
      const earlier = await store.readInbox(deviceId, key);
      if (earlier !== null) return earlier;
      throw error;
    }
    const { instead = plaintext, ...beside } = (await onPlaintext?.({ ciphertext, plaintext, jid, group })) ?? {};
    await unit.commit({ ...beside, inbox: [{ key, plaintext: instead }] });
    return instead;
  };
