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
  /** The bytes of a message, for the length of the call. */
  message(data: Buffer): void;
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
const headAt = (data: Buffer): Head | null => {
  if (data.length < 2) return null;
  const [first, second] = [data[0]!, data[1]!];
  if ((second & MASKED) === 0) throw new Error('a client has to mask what it sends');
  const short = second & 127;
  const maskAt = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (data.length < maskAt + MASK_BYTES) return null;
  const length = short < 126 ? short : short === 126 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2));
  return { opcode: first & 15, final: (first & FIN) !== 0, maskAt, length };
};

const unmask = (data: Buffer, maskAt: number, length: number): Buffer => {
  const [a, b, c, d] = [data[maskAt]!, data[maskAt + 1]!, data[maskAt + 2]!, data[maskAt + 3]!];
  const payload = data.subarray(maskAt + MASK_BYTES, maskAt + MASK_BYTES + length);
  let at = 0;
  for (; at + 3 < length; at += 4) {
    payload[at]! ^= a;
    payload[at + 1]! ^= b;
    payload[at + 2]! ^= c;
    payload[at + 3]! ^= d;
  }
  for (const mask of [a, b, c]) {
    if (at === length) break;
    payload[at]! ^= mask;
    at += 1;
  }
  return payload;
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
  const take = ({ opcode, final }: Head, payload: Buffer): void => {
    if (opcode === PING) return heard.ping(payload);
    if (opcode === PONG) return;
    if (opcode === CLOSE) return heard.close();
    if (opcode !== (parts.length === 0 ? BINARY : CONTINUATION)) throw new Error('a message of another kind');
    if (final && parts.length === 0) return heard.message(payload);
    parts.push(payload);
    partBytes += payload.length;
    if (partBytes > mostBytes) throw new Error('a message that is too large');
    if (!final) return;
    const whole = Buffer.concat(parts);
    [parts, partBytes] = [[], 0];
    heard.message(whole);
  };
  return (data) => {
    pieces.push(data);
    have += data.length;
    if (have < needed) return;
    let left = pieces.length === 1 ? data : Buffer.concat(pieces);
    needed = 0;
    for (let head = headAt(left); head !== null; head = headAt(left)) {
      if (head.length > mostBytes) throw new Error('a message that is too large');
      const end = head.maskAt + MASK_BYTES + head.length;
      if (left.length < end) {
        needed = end;
        break;
      }
      const payload = unmask(left, head.maskAt, head.length);
      left = left.subarray(end);
      take(head, payload);
    }
    pieces = left.length === 0 ? [] : [left];
    have = left.length;
  };
};
