/** The frames in a stream of bytes, each after its length in three bytes. */

export const lengthBytes = 3;
/** What three bytes can say. */
export const maxFrame = 0xff_ffff;

export const writeLength = (target: Uint8Array, at: number, length: number): void => {
  target[at] = length >>> 16;
  target[at + 1] = length >>> 8;
  target[at + 2] = length;
};

export class FrameReader {
  /** Pieces of a frame that is not whole. */
  #rest: Buffer | null = null;

  /** Calls `take` with each frame that is whole now: a view into what came. */
  read(chunk: Buffer, take: (frame: Buffer) => void): void {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = null;
    let at = 0;
    while (bytes.length - at >= lengthBytes) {
      const begin = at + lengthBytes;
      const end = begin + ((bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!);
      if (end > bytes.length) break;
      at = end;
      take(bytes.subarray(begin, end));
    }
    if (at < bytes.length) this.#rest = bytes.subarray(at);
  }
}
