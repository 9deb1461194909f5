/**
 * The messages of a WebSocket out of the bytes that come (RFC 6455): those that are whole, binary and in one piece, which nearly all are. Everything
 * else (control frames, what comes in pieces) goes to the WebSocket library as it is, in its place.
 */

/** The last piece of a binary message, and so all of it. */
const wholeBinary = 0x82;
const opcode = 0x0f;
const closing = 0x08;
/** What this reader leaves alone for good: extensions change what the bytes mean. */
const extended = 0x70;

/** Of a frame that is not masked, as what servers send is not. */
const headBytes = (second: number): number => (second < 126 ? 2 : second === 126 ? 4 : 10);

export class MessageReader {
  readonly #take: (message: Buffer) => void;
  readonly #others: (bytes: Buffer) => void;
  /** Bytes of a frame of the library's that are still to come; all that come where the library has taken over. */
  #theirs = 0;
  /** Whether the other end has said farewell: what comes after it is nobody's. */
  #isOver = false;
  /** A head that is not whole. */
  #rest: Buffer | null = null;

  constructor(take: (message: Buffer) => void, others: (bytes: Buffer) => void) {
    this.#take = take;
    this.#others = others;
  }

  read(chunk: Buffer): void {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = null;
    let at = 0;
    while (at < bytes.length) {
      if (this.#theirs > 0) at = this.#pass(bytes, at);
      else if (this.#isOver) return;
      else {
        const next = this.#frame(bytes, at);
        if (next === null) {
          this.#rest = bytes.subarray(at);
          return;
        }
        at = next;
      }
    }
  }

  #pass(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#theirs);
    this.#theirs -= end - at;
    this.#others(bytes.subarray(at, end));
    return end;
  }

  /** Where the next frame begins, or where it is to be passed on; null while its head is not whole. */
  #frame(bytes: Buffer, at: number): number | null {
    const [first, second] = [bytes[at]!, bytes[at + 1]];
    if (second === undefined || bytes.length - at < headBytes(second)) return null;
    const begin = at + headBytes(second);
    const length =
      second < 126 ? second : second === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    if (first === wholeBinary && second <= 127 && begin + length <= bytes.length) {
      this.#take(bytes.subarray(begin, begin + length));
      return begin + length;
    }
    const isStrange = (first & extended) !== 0 || second > 127;
    this.#isOver = (first & opcode) === closing;
    this.#theirs = isStrange ? Number.POSITIVE_INFINITY : begin - at + length;
    return at;
  }
}
