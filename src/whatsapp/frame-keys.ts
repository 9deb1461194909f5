/**
 * The keys of the Noise transport as key objects. Baileys gives node:crypto the same 32 bytes with every frame, and Node takes
 * three quarters of the time of a frame to find out what they are (`docs/upstream/noise-key-objects.md`).
 */
import crypto, { createSecretKey, type KeyObject } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

interface Known {
  readonly bytes: Uint8Array;
  readonly key: KeyObject;
}

const algorithm = 'aes-256-gcm';
const known = new WeakMap<Uint8Array, Known>();

/** A buffer that holds something else by now is another key. */
const keyOf = (given: Uint8Array): KeyObject => {
  const before = known.get(given);
  if (before !== undefined && Buffer.compare(before.bytes, given) === 0) return before.key;
  const key = createSecretKey(given);
  known.set(given, { bytes: Uint8Array.from(given), key });
  return key;
};

type Make = (name: string, key: unknown, ...rest: readonly unknown[]) => unknown;

const withKeyObject =
  (make: Make): Make =>
  (name, key, ...rest) =>
    make(name, name === algorithm && key instanceof Uint8Array ? keyOf(key) : key, ...rest);

let done = false;

/** There is no way to the keys but the functions that they are given to. What those do is the same. */
export const keepFrameKeys = (): void => {
  if (done) return;
  done = true;
  for (const name of ['createCipheriv', 'createDecipheriv'] as const) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the overloads differ in what their rest is only
    Reflect.set(crypto, name, withKeyObject(crypto[name] as Make));
  }
  syncBuiltinESMExports();
};
