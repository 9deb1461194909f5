/** The package of a moved device: compressed, then encrypted with a passphrase (scrypt, AES-256-GCM). */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { invalidRequest } from '../../errors.ts';

const magic = 'handset-device-1';
const saltLength = 16;
const nonceLength = 12;
const tagLength = 16;
/** Limit of an unpacked package; an old device has a few megabytes of keys. */
const maxBytes = 64 * 1024 * 1024;

const compress = promisify(gzip);
const expand = promisify(gunzip);

const keyOf = (passphrase: string, salt: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // 64 MB and a good part of a second per guess.
    const cost = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };
    scrypt(passphrase.normalize('NFKC'), salt, 32, cost, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });

/** `handset-device-1.` and base64url of salt, nonce, ciphertext and tag. */
export const sealPackage = async (content: string, passphrase: string): Promise<string> => {
  const salt = randomBytes(saltLength);
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', await keyOf(passphrase, salt), nonce);
  cipher.setAAD(Buffer.from(magic));
  const body = Buffer.concat([cipher.update(await compress(content)), cipher.final()]);
  return `${magic}.${Buffer.concat([salt, nonce, body, cipher.getAuthTag()]).toString('base64url')}`;
};

/** Throws InvalidRequest if this passphrase did not seal it. */
export const openPackage = async (text: string, passphrase: string): Promise<string> => {
  const [head, data = ''] = text.trim().split('.');
  const bytes = Buffer.from(data, 'base64url');
  const start = saltLength + nonceLength;
  if (head !== magic || bytes.length < start + tagLength) throw invalidRequest('export is no package of a device');
  const key = await keyOf(passphrase, bytes.subarray(0, saltLength));
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(saltLength, start), {
    authTagLength: tagLength,
  });
  decipher.setAAD(Buffer.from(magic));
  decipher.setAuthTag(bytes.subarray(bytes.length - tagLength));
  let plain: Buffer;
  try {
    plain = Buffer.concat([decipher.update(bytes.subarray(start, bytes.length - tagLength)), decipher.final()]);
  } catch {
    throw invalidRequest('passphrase is not the one that the package was sealed with, or the package is damaged');
  }
  return (await expand(plain, { maxOutputLength: maxBytes })).toString('utf8');
};
