/** The credentials that a session begins with. */
import type { AuthenticationCreds } from 'baileys';
import { isLinked } from './account.ts';
import type { DeviceMemory } from './device-memory.ts';
import type { SessionStore } from './session-store.ts';
import { newCredentials, parseCredentials } from './signal/credentials.ts';

/** The stored ones of a linked device; else new ones, for a pairing. */
export const loadCredentials = async (
  deviceId: number,
  store: SessionStore,
  memory: DeviceMemory,
): Promise<AuthenticationCreds> => {
  const bytes = await store.loadCredentials(deviceId);
  const creds = bytes === null ? null : parseCredentials(bytes);
  if (creds !== null && isLinked(creds)) {
    store.beginLogin(deviceId, creds);
    return creds;
  }
  // What an unfinished pairing left would turn the next handshake into a login that cannot succeed.
  await store.clearCredentials(deviceId, {});
  memory.forget();
  return newCredentials();
};
