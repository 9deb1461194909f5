/** Frames in a stream of bytes: a length of three bytes, then as many bytes. */

export const lengthBytes = 3;
/** The longest that three bytes can announce. */
export const maxFrame = 0xff_ffff;

export const framed = (bytes: Uint8Array): Buffer => {
  const frame = Buffer.allocUnsafe(lengthBytes + bytes.length);
  frame.writeUIntBE(bytes.length, 0, lengthBytes);
  frame.set(bytes, lengthBytes);
  return frame;
};

export class FrameReader {
  /** The beginning of a frame whose end has not come. */
  #rest: Buffer | null = null;

  /** Calls `take` with each complete frame: a view into `chunk`. */
  read(chunk: Buffer, take: (frame: Buffer) => void): void {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = null;
    let at = 0;
    while (bytes.length - at >= lengthBytes) {
      const begin = at + lengthBytes;
      const end = begin + bytes.readUIntBE(at, lengthBytes);
      if (end > bytes.length) break;
      at = end;
      take(bytes.subarray(begin, end));
    }
    if (at < bytes.length) this.#rest = bytes.subarray(at);
  }
}
