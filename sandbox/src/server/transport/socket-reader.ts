/**
 * The reading side of a WebSocket (RFC 6455, 5.2): binary messages of a client, as they come off the connection. `ws` takes
 * each through layers of streams and events that cost more than the message.
 */

const FIN = 0x80;
const MASKED = 0x80;
const CONTINUATION = 0;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const MASK_BYTES = 4;

export interface Heard {
  /** A message: the bytes of `data` from `from` to `to`, for the length of the call. */
  message(data: Buffer, from: number, to: number): void;
  ping(data: Buffer): void;
  /** The client ends the connection. */
  close(): void;
}

interface Head {
  readonly opcode: number;
  readonly final: boolean;
  /** Where the mask begins. */
  readonly maskAt: number;
  readonly length: number;
}

/** Null where more bytes are needed. */
const headAt = (data: Buffer, at: number): Head | null => {
  if (data.length < at + 2) return null;
  const [first, second] = [data[at]!, data[at + 1]!];
  if ((second & MASKED) === 0) throw new Error('a client has to mask what it sends');
  const short = second & 127;
  const maskAt = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
  if (data.length < maskAt + MASK_BYTES) return null;
  const length = short < 126 ? short : short === 126 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2));
  return { opcode: first & 15, final: (first & FIN) !== 0, maskAt, length };
};

const unmask = (data: Buffer, maskAt: number, to: number): void => {
  const [a, b, c, d] = [data[maskAt]!, data[maskAt + 1]!, data[maskAt + 2]!, data[maskAt + 3]!];
  let at = maskAt + MASK_BYTES;
  for (; at + 3 < to; at += 4) {
    data[at]! ^= a;
    data[at + 1]! ^= b;
    data[at + 2]! ^= c;
    data[at + 3]! ^= d;
  }
  if (at < to) data[at]! ^= a;
  if (at + 1 < to) data[at + 1]! ^= b;
  if (at + 2 < to) data[at + 2]! ^= c;
};

/** Takes what comes off the connection, piece by piece. Throws where it is not the protocol, or too much of it. */
export const makeSocketReader = (heard: Heard, mostBytes: number): ((data: Buffer) => void) => {
  /** What has come of a frame that is not whole yet. */
  let pieces: Buffer[] = [];
  let have = 0;
  let needed = 0;
  /** The frames of a message that is not whole yet. */
  let parts: Buffer[] = [];
  let partBytes = 0;
  const takePart = (final: boolean, payload: Buffer): void => {
    parts.push(payload);
    partBytes += payload.length;
    if (partBytes > mostBytes) throw new Error('a message that is too large');
    if (!final) return;
    const whole = Buffer.concat(parts);
    [parts, partBytes] = [[], 0];
    heard.message(whole, 0, whole.length);
  };
  const take = ({ opcode, final }: Head, data: Buffer, from: number, to: number): void => {
    if (opcode === PING) return heard.ping(data.subarray(from, to));
    if (opcode === PONG) return;
    if (opcode === CLOSE) return heard.close();
    if (opcode !== (parts.length === 0 ? BINARY : CONTINUATION)) throw new Error('a message of another kind');
    if (final && parts.length === 0) heard.message(data, from, to);
    else takePart(final, data.subarray(from, to));
  };
  /** Null while the frame that has begun is not whole. */
  const whole = (data: Buffer): Buffer | null => {
    if (have === 0) return data;
    pieces.push(data);
    have += data.length;
    return have < needed ? null : Buffer.concat(pieces);
  };
  return (come) => {
    const data = whole(come);
    if (data === null) return;
    needed = 0;
    let at = 0;
    for (let head = headAt(data, at); head !== null; head = headAt(data, at)) {
      if (head.length > mostBytes) throw new Error('a message that is too large');
      const from = head.maskAt + MASK_BYTES;
      const to = from + head.length;
      if (data.length < to) {
        needed = to - at;
        break;
      }
      unmask(data, head.maskAt, to);
      at = to;
      take(head, data, from, to);
    }
    have = data.length - at;
    if (have > 0) pieces = [data.subarray(at)];
    else if (pieces.length > 0) pieces = [];
  };
};
