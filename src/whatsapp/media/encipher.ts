/** Encrypts a media file as the network's own apps do it: AES-256-CBC, the first bytes of an HMAC at its end, and the hashes of both forms. */
import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { release } from '../../domain/bytes.ts';
import { mediaKeysOf } from './keys.ts';

const macLength = 10;
const blockLength = 16;

/** Bytes encrypted at a time, so that one file cannot block the event loop. */
const pieceBytes = 262_144;

/** Up to here the encrypted form is kept from hashing until it is sent; of a longer file it is made twice, and never there as a whole. */
const keptBytes = 1_048_576;

export interface EncipheredMedia {
  readonly mediaKey: Uint8Array;
  readonly sha256: Uint8Array;
  readonly encryptedSha256: Uint8Array;
  /** Bytes of the encrypted file. */
  readonly length: number;
  /** The encrypted form, from the start each time, but for its end. */
  pieces(): Iterable<Uint8Array>;
  readonly end: Uint8Array;
  /** A piece has been read, or, without one, none will be any more: memory is given back. */
  done(piece?: Uint8Array): void;
}

export const encipherImage = async (bytes: Uint8Array): Promise<EncipheredMedia> => {
  const mediaKey = randomBytes(32);
  const { iv, cipherKey, macKey } = mediaKeysOf(mediaKey, 'image');
  const plain = createHash('sha256');
  const whole = createHash('sha256');
  const hmac = createHmac('sha256', macKey).update(iv);
  const kept: Uint8Array[] | null = bytes.length > keptBytes ? null : [];
  function* encrypt(seen?: (piece: Uint8Array) => void): Generator<Uint8Array> {
    const cipher = createCipheriv('aes-256-cbc', cipherKey, iv);
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      seen?.(piece);
      yield cipher.update(piece);
    }
    yield cipher.final();
  }
  for (const piece of encrypt((one) => plain.update(one))) {
    whole.update(piece);
    hmac.update(piece);
    if (kept !== null) kept.push(piece);
    else {
      release(piece);
      await nextTurn();
    }
  }
  const end = hmac.digest().subarray(0, macLength);
  return {
    mediaKey,
    sha256: plain.digest(),
    encryptedSha256: whole.update(end).digest(),
    length: bytes.length - (bytes.length % blockLength) + blockLength + macLength,
    pieces: () => kept ?? encrypt(),
    end,
    done(piece) {
      if (piece === undefined) kept?.splice(0).forEach(release);
      else if (kept === null) release(piece);
    },
  };
};
