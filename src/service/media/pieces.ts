/** Pieces of a kept file: hashed on arrival, and each checked before it is served. */
import { createHash } from 'node:crypto';
import { type FilePieces, MediaFileMissing, pieceBytes } from '../../domain/messages/kept-media.ts';

type Bytes = AsyncIterable<Uint8Array>;

async function* regrouped(bytes: Bytes): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let held = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + pieceBytes - held);
      parts.push(part);
      held += part.length;
      at += part.length;
      if (held < pieceBytes) continue;
      yield Buffer.concat(parts);
      parts = [];
      held = 0;
    }
  }
  if (held > 0) yield Buffer.concat(parts);
}

const hashOf = (piece: Uint8Array): string => createHash('sha256').update(piece).digest('base64');

export class PieceHashes {
  readonly #hashes: string[] = [];
  #hash = createHash('sha256');
  #length = 0;

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + pieceBytes - (this.#length % pieceBytes));
      this.#hash.update(part);
      this.#length += part.length;
      at += part.length;
      if (this.#length % pieceBytes === 0) this.#next();
    }
  }

  end(): FilePieces {
    if (this.#length % pieceBytes > 0) this.#next();
    return { length: this.#length, hashes: this.#hashes };
  }

  #next(): void {
    this.#hashes.push(this.#hash.digest('base64'));
    this.#hash = createHash('sha256');
  }
}

/** Reads the pieces of a range. Throws MediaFileMissing if one differs from what was kept; at once for the first. */
export const checkedRead =
  ({ length, hashes }: FilePieces, read: (from: number, to: number) => Promise<Bytes>) =>
  async (from: number, to: number): Promise<Bytes> => {
    const first = Math.floor(from / pieceBytes);
    const bytes = await read(first * pieceBytes, Math.min(Math.ceil(to / pieceBytes) * pieceBytes, length));
    async function* checked(): AsyncGenerator<Uint8Array> {
      let index = first;
      for await (const piece of regrouped(bytes)) {
        if (hashOf(piece) !== hashes[index]) throw new MediaFileMissing('a kept media file is not what it was');
        const start = index * pieceBytes;
        index += 1;
        yield piece.subarray(Math.max(from - start, 0), to - start);
      }
    }
    const pieces = checked();
    const begun = await pieces.next();
    return (async function* all() {
      try {
        if (begun.done !== true) yield begun.value;
        yield* pieces;
      } finally {
        await pieces.return(undefined);
      }
    })();
  };
