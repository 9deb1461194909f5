/** Keeps the one large member of a body as raw bytes: as text it would take twice the memory while parsed, and again during the request. */
import { randomUUID } from 'node:crypto';

const largeBytes = 262_144;

const quote = 0x22;
const backslash = 0x5c;

/** Null once taken. */
const kept = new WeakMap<object, Buffer | null>();

/** Offsets between the quotes; null if there are escapes or the member is not found this way. */
const rangeOf = (bytes: Buffer, member: string): { readonly start: number; readonly end: number } | null => {
  const name = bytes.indexOf(`"${member}"`);
  if (name < 0) return null;
  const colon = /^\s*:\s*"/.exec(bytes.toString('latin1', name + member.length + 2, name + member.length + 66));
  if (colon === null) return null;
  const start = name + member.length + 2 + colon[0].length;
  const end = bytes.indexOf(quote, start);
  const escape = bytes.indexOf(backslash, start);
  return end < start || (escape >= 0 && escape < end) ? null : { start, end };
};

const hasLines = (value: Buffer): boolean => [0x0a, 0x0d, 0x09].some((byte) => value.includes(byte));

/** Parses with a random token in place of the member's value. If the token is not in the result, the body is parsed whole. */
export const parseLargeMember = (bytes: Buffer, member: string, parse: (bytes: Buffer) => object): object => {
  const range = bytes.length < largeBytes ? null : rangeOf(bytes, member);
  if (range === null) return parse(bytes);
  const value = bytes.subarray(range.start, range.end);
  if (hasLines(value)) return parse(bytes);
  const token = randomUUID();
  const rest = Buffer.concat([bytes.subarray(0, range.start), Buffer.from(token), bytes.subarray(range.end)]);
  const body = parse(rest);
  if (Reflect.get(body, member) !== token) return parse(bytes);
  kept.set(body, value);
  return body;
};

const takeLargeMember = (body: object): Buffer | undefined => {
  const value = kept.get(body);
  if (value === undefined || value === null) return undefined;
  kept.set(body, null);
  return value;
};

/** Whether the body has a token where its large member was, and so is no longer what was sent. */
export const lacksLargeMember = (body: object): boolean => kept.has(body);

/**
 * Runs with the large member, or undefined; then frees the body of which it was a part at once. Left to the garbage collector, bodies of
 * megabytes would each make it run and hold everybody up.
 */
export const withLargeMember = async <T>(body: object, run: (large: Buffer | undefined) => Promise<T>): Promise<T> => {
  const large = takeLargeMember(body);
  try {
    return await run(large);
  } finally {
    if (large?.buffer instanceof ArrayBuffer) large.buffer.transfer(0);
  }
};
