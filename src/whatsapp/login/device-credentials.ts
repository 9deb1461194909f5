/** The credentials of a device: those that a session begins with, and each change of them. */
import { restoredNote } from '../../domain/changes.ts';
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { isLinked } from '../identity/account.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { SessionStore } from '../state/session-store.ts';
import { newCredentials, parseCredentials, serializeCredentials } from '../signal/credentials.ts';

/** Ids of prekeys have 24 bits (libsignal's bundles; whatsmeow prekeys.go, 2026-07-13); none has the id 0. */
const maxPreKeyId = 2 ** 24 - 1;
/** More than a device uses between a backup and its restoration. */
const restoredJump = 2 ** 16;

/**
 * The network may have prekeys of ours that a restored database does not know: none of their ids is used again. Those that follow are
 * published with this login, for the newest one is missing (`login.ts`).
 */
const heedRestoration = async (
  deviceId: number,
  creds: AuthenticationCreds,
  { store, memory }: { readonly store: SessionStore; readonly memory: DeviceMemory },
): Promise<void> => {
  const jumped = creds.nextPreKeyId + restoredJump;
  const next = jumped > maxPreKeyId - restoredJump ? 1 + (jumped % restoredJump) : jumped;
  Object.assign(creds, { nextPreKeyId: next, firstUnuploadedPreKeyId: next });
  await store.commit(deviceId, {
    credentials: serializeCredentials(creds),
    keys: [{ ...restoredNote, value: null }],
  });
  memory.forget();
};

/** The stored ones of a linked device; else new ones, for a pairing. */
export const loadCredentials = async (
  deviceId: number,
  store: SessionStore,
  memory: DeviceMemory,
): Promise<AuthenticationCreds> => {
  const { type, id } = restoredNote;
  const [bytes, notes] = await Promise.all([store.loadCredentials(deviceId), store.readKeys(deviceId, type, [id])]);
  const creds = bytes === null ? null : parseCredentials(bytes);
  if (creds !== null && isLinked(creds)) {
    if (notes.size > 0) await heedRestoration(deviceId, creds, { store, memory });
    store.beginLogin(deviceId, creds);
    return creds;
  }
  // What an unfinished pairing left would turn the next handshake into a login that cannot succeed.
  await store.clearCredentials(deviceId, {});
  memory.forget();
  return newCredentials();
};

/** Writes the credentials after each change, in order; changes made meanwhile go together into the next write. */
export const keepCredentials = ({
  sock,
  deviceId,
  creds,
  store,
  log,
}: {
  readonly sock: Pick<WASocket, 'ev'>;
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
  readonly log: Logger;
}): void => {
  let changed = false;
  let writing = false;
  const write = async (): Promise<void> => {
    writing = true;
    try {
      while (changed) {
        changed = false;
        await store.commit(deviceId, { credentials: serializeCredentials(creds) });
      }
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'failed to write credentials');
    } finally {
      writing = false;
    }
  };
  sock.ev.on('creds.update', () => {
    // What a pairing leaves behind before it is confirmed is thrown away anyway.
    if (!isLinked(creds)) return;
    changed = true;
    if (!writing) void write();
  });
};
