/** The thread of `large-messages.ts`: decrypts one message at a time, and returns the advanced record. */
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { Mutex } from 'async-mutex';
import {
  GroupCipher,
  ProtocolAddress,
  SessionCipher,
  type SessionRecord,
  type SignalStorage,
} from '../library/bridge.ts';
import type { Decrypted, LargeMessage } from './large-messages.ts';

const peer = new ProtocolAddress('peer', 0);

const decrypt = async ({ type, record, identity, registrationId, ciphertext }: LargeMessage): Promise<Decrypted> => {
  let moved = record;
  const storage: SignalStorage & { storeSessionRaw(address: string, record: Uint8Array): void } = {
    loadSession: () => record,
    storeSessionRaw: (_, changed) => void (moved = changed),
    storeSession(_, changed: SessionRecord) {
      moved = changed.serialize();
      changed.free();
    },
    getOurIdentity: () => identity,
    getOurRegistrationId: () => registrationId,
    isTrustedIdentity: () => true,
    loadPreKey: () => null,
    removePreKey: () => undefined,
    loadSignedPreKey: () => null,
    loadSenderKey: () => record,
    storeSenderKey: (_, changed) => void (moved = changed),
  };
  const cipher = type === 'session' ? new SessionCipher(storage, peer) : new GroupCipher(storage, 'group', peer);
  try {
    const plaintext = await ('decryptWhisperMessage' in cipher
      ? cipher.decryptWhisperMessage(ciphertext)
      : cipher.decrypt(ciphertext));
    return { plaintext, record: moved };
  } catch (error) {
    // The bridge throws strings.
    return { refused: error instanceof Error ? error.message : String(error) };
  } finally {
    cipher.free();
  }
};

const giveWay = (): void => {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not available outside Linux.
  }
};

giveWay();

const mutex = new Mutex();

parentPort?.on('message', (message: LargeMessage) => {
  void mutex.runExclusive(async () => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    parentPort?.postMessage(await decrypt(message));
  });
});
