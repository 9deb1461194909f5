/** A device's credentials at the start of a session, and their changes. */
import { restoredNote } from '../../domain/changes.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { isLinked, setFacts } from '../identity/account.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { SessionStore } from '../state/session-store.ts';
import { newCredentials, parseCredentials, serializeCredentials } from '../signal/credentials.ts';

/** Prekey ids have 24 bits (libsignal's bundles; whatsmeow prekeys.go, 2026-07-13); 0 is unused. */
const maxPreKeyId = 2 ** 24 - 1;
/** More than a device uses between a backup and its restoration. */
const restoredJump = 2 ** 16;

/**
 * After a restore the network may have prekeys that the database lacks: their ids are not reused (`login.ts`). And nothing tells again of the settings that
 * were changed since the copy: they are asked for (`app-state.ts`).
 */
const heedRestoration = async (
  deviceId: number,
  creds: AuthenticationCreds,
  { store, memory }: { readonly store: SessionStore; readonly memory: DeviceMemory },
): Promise<void> => {
  const jumped = creds.nextPreKeyId + restoredJump;
  const next = jumped > maxPreKeyId - restoredJump ? 1 + (jumped % restoredJump) : jumped;
  Object.assign(creds, { nextPreKeyId: next, firstUnuploadedPreKeyId: next });
  setFacts(creds, { appStateBehind: true });
  await store.commit(deviceId, {
    credentials: serializeCredentials(creds),
    keys: [{ ...restoredNote, value: null }],
  });
  memory.forget();
};

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
  // Remains of an unfinished pairing would turn the next handshake into a login that cannot succeed.
  await store.clearCredentials(deviceId, {});
  memory.forget();
  return newCredentials();
};

export const keepCredentials = ({
  sock,
  deviceId,
  creds,
  store,
  log,
}: {
  readonly sock: Pick<Socket, 'on'>;
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
  sock.on('credentials', () => {
    // Before the confirmation of a pairing nothing is kept.
    if (!isLinked(creds)) return;
    changed = true;
    if (!writing) void write();
  });
};
