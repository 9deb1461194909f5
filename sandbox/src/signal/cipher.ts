/** AES-256-CBC, with a key that is used once. */
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';

const algorithm = 'aes-256-cbc';

const joined = (first: Buffer, rest: Buffer): Uint8Array => (rest.length === 0 ? first : Buffer.concat([first, rest]));

// Key objects: Node takes longer to find out what a key of plain bytes is than for all the rest.
export const sealCbc = (key: Uint8Array, iv: Uint8Array, plaintext: Uint8Array): Uint8Array => {
  const cipher = createCipheriv(algorithm, createSecretKey(key), iv);
  return joined(cipher.update(plaintext), cipher.final());
};

/** Throws where the padding is not one. */
export const openCbc = (key: Uint8Array, iv: Uint8Array, ciphertext: Uint8Array): Uint8Array => {
  const decipher = createDecipheriv(algorithm, createSecretKey(key), iv);
  return joined(decipher.update(ciphertext), decipher.final());
};
