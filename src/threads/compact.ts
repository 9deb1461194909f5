/** Values as they go to another thread: a view of a large buffer would take the whole buffer along. */

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** What is shared between threads, or stands alone in its buffer, stays as it is. */
const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength || bytes.buffer instanceof SharedArrayBuffer
    ? bytes
    : new Uint8Array(bytes);

export const compact = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return ownBytes(value);
  if (Array.isArray(value)) return value.map(compact);
  if (value instanceof Map) return new Map([...value].map(([key, held]) => [key, compact(held)]));
  if (!isPlain(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) copy[name] = compact(member);
  return copy;
};
