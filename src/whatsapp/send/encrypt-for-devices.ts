/** Encrypts for devices, and sets up the sessions that are missing. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { DevicePlaintext, EncryptBatch } from '../signal/batches.ts';
import type { SignalMessage } from '../signal/bridge.ts';
import type { BeginSessions } from './key-bundles.ts';

interface Parts {
  readonly encrypt: EncryptBatch;
  readonly beginSessions: BeginSessions;
}

/**
 * In the order of the plaintexts; null for a device that has no session and whose keys the network does not give. Throws, and commits nothing,
 * if the network does not answer.
 */
export const encryptForDevices = async (
  { encrypt, beginSessions }: Parts,
  plaintexts: readonly DevicePlaintext[],
  changes: SessionChanges = {},
): Promise<readonly (SignalMessage | null)[]> => {
  const first = await encrypt(plaintexts, changes, false);
  if (first.missing.length === 0) return first.encrypted;
  const keyless = await beginSessions(first.missing);
  const { encrypted, missing } = await encrypt(plaintexts, changes, true);
  // A session may end before it is used (`receive/retry-requests.ts`).
  const ended = missing.filter((jid) => !keyless.has(jid));
  if (ended.length === 0) return encrypted;
  const left = plaintexts.filter(({ jid }) => ended.includes(jid));
  try {
    await beginSessions(ended);
    const payloads = [...(await encrypt(left, {}, true)).encrypted];
    return encrypted.map((payload, index) =>
      ended.includes(plaintexts[index]!.jid) ? (payloads.shift() ?? null) : payload,
    );
  } catch {
    return encrypted;
  }
};
