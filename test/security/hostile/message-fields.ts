/** The fields of the network's messages, found by decoding: the protobufs that Baileys has been compiled with describe themselves nowhere else. */
import { proto } from 'baileys';

interface MessageClass {
  decode(bytes: Uint8Array): object;
}

interface Field {
  readonly name: string;
  readonly repeated: boolean;
  /** Null: a text. */
  readonly of: MessageClass | null;
}

/** Numbers beyond this one are not in use (baileys 7.0.0-rc14: 129 at most). */
const lastNumber = 400;

const varint = (value: number): readonly number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];

const known = new Map<MessageClass, readonly Field[]>();

const fieldOf = (type: MessageClass, number: number): Field | null => {
  // An empty text or message in this place; what is none of them cannot be read so.
  const bytes = Uint8Array.from([...varint(number * 8 + 2), 0]);
  let decoded: object;
  try {
    decoded = type.decode(bytes);
  } catch {
    return null;
  }
  // Lists are there when they are empty, too.
  const entry = Object.entries(decoded).find(
    (each: [string, unknown]) => !Array.isArray(each[1]) || each[1].length > 0,
  );
  if (entry === undefined) return null;
  const [name, value]: [string, unknown] = entry;
  const repeated = Array.isArray(value);
  const one: unknown = repeated ? value[0] : value;
  if (typeof one === 'string') return { name, repeated, of: null };
  if (typeof one !== 'object' || one === null || one instanceof Uint8Array) return null;
  const { constructor } = one;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- has been seen to decode
  return 'decode' in constructor ? { name, repeated, of: constructor as unknown as MessageClass } : null;
};

/** Texts and messages in a message of this type. */
const fieldsOf = (type: MessageClass): readonly Field[] => {
  const found =
    known.get(type) ??
    Array.from({ length: lastNumber }, (_, n) => fieldOf(type, n + 1)).filter((field) => field !== null);
  known.set(type, found);
  return found;
};

const isMessage = (type: MessageClass): boolean => Object.is(type, proto.Message);

/** Messages deeper than this below the kind's own are left out. */
const maxDepth = 4;

export type Fill = (path: string) => string | undefined;

/** A message with a text in each place for one that `fill` gives; undefined where there is none. */
const filled = (type: MessageClass, fill: Fill, path: string, above: readonly MessageClass[]): object | undefined => {
  const members: [string, unknown][] = [];
  for (const { name, repeated, of } of fieldsOf(type)) {
    const place = `${path}.${name}`;
    if (of !== null && (above.length > maxDepth || above.includes(of))) continue;
    let value: unknown;
    if (of === null) value = fill(place);
    // Of a message in a message the text stands for all.
    else if (isMessage(of)) value = { conversation: fill(`${place}.conversation`) };
    else value = filled(of, fill, place, [...above, of]);
    if (value !== undefined) members.push([name, repeated ? [value] : value]);
  }
  return members.length === 0 ? undefined : Object.fromEntries(members);
};

/** The message whose content is in the field, with its texts. */
export const messageOf = (field: string, fill: Fill): proto.IMessage => {
  const found = fieldsOf(proto.Message).find(({ name }) => name === field);
  if (found === undefined) throw new Error(`${field} is no message of the protobufs`);
  const value = found.of === null ? fill(field) : (filled(found.of, fill, field, [found.of]) ?? {});
  return { [field]: value };
};

const isReadable = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && (Array.isArray(value) || 'decode' in value.constructor);

/** The message, which tells of each text that is read in it. */
const watched = <T extends object>(value: T, path: string, told: (place: string) => void): T =>
  new Proxy(value, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      const place = Array.isArray(target) || typeof name === 'symbol' ? path : `${path}.${name}`;
      if (typeof member === 'string') told(place);
      return isReadable(member) ? watched(member, place, told) : member;
    },
  });

/** The texts of a message that `read` reads. */
export const textsRead = (message: proto.Message, read: (message: proto.Message) => void): readonly string[] => {
  const places = new Set<string>();
  read(watched(message, '', (place) => places.add(place.slice(1))));
  return [...places];
};
