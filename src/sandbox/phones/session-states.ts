/**
 * Which state of a session record a message belongs to. The bridge tries one after the other, but an attempt that fails
 * leaves its trace on the state that it was made with; so a phone finds the right one first.
 */

type Fields = ReadonlyMap<number, readonly Uint8Array[]>;

/** The length-delimited fields of a protobuf message, in order. Throws RangeError on bytes that are not one. */
const fieldsOf = (bytes: Uint8Array): Fields => {
  const fields = new Map<number, Uint8Array[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const next = bytes[at++];
      if (next === undefined) break;
      value += (next & 0x7f) * 2 ** shift;
      if (next < 0x80) return value;
    }
    throw new RangeError('not a protobuf message');
  };
  while (at < bytes.length) {
    const tag = varint();
    const value = varint();
    if (tag % 8 !== 2) continue;
    const number = Math.floor(tag / 8);
    if (value > bytes.length - at) throw new RangeError('not a protobuf message');
    fields.set(number, [...(fields.get(number) ?? []), bytes.subarray(at, at + value)]);
    at += value;
  }
  return fields;
};

// A record: 1 = the current state, 2 = each archived one.
const statesOf = (record: Uint8Array): readonly Uint8Array[] => {
  const fields = fieldsOf(record);
  return [...(fields.get(1) ?? []), ...(fields.get(2) ?? [])];
};

const field = (number: number, value: Uint8Array): Uint8Array => {
  const head = [number * 8 + 2];
  let length = value.length;
  for (; length > 0x7f; length >>>= 7) head.push((length & 0x7f) | 0x80);
  return Buffer.concat([Uint8Array.from([...head, length]), value]);
};

const mostArchived = 40;

const recordOf = ([current, ...archived]: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([
    ...(current === undefined ? [] : [field(1, current)]),
    ...archived.slice(0, mostArchived).map((state) => field(2, state)),
  ]);

const has = (list: readonly Uint8Array[] | undefined, key: Uint8Array | undefined): boolean =>
  key !== undefined && (list ?? []).some((each) => Buffer.compare(each, key) === 0);

// A state: 7 = its receiving chains (1 = their ratchet keys), 13 = the base key of the session.
const receivesOn = (state: Uint8Array, ratchetKey: Uint8Array | undefined): boolean =>
  (fieldsOf(state).get(7) ?? []).some((chain) => has(fieldsOf(chain).get(1), ratchetKey));

interface Message {
  readonly type: 'pkmsg' | 'msg';
  readonly body: Uint8Array;
}

/** Records to try one after the other, each with one state; `keep` joins the one that could read with the others again. */
export interface Attempts {
  readonly message: Message;
  readonly records: readonly Uint8Array[];
  readonly keep: (record: Uint8Array, index: number) => Uint8Array;
}

/** Whether its first field is all there is to a record: told from its length, without reading it. */
const hasOneState = (record: Uint8Array): boolean => {
  let length = 0;
  for (let at = 1; at < 6; at += 1) {
    const byte = record[at] ?? 0;
    length += (byte & 0x7f) * 2 ** (7 * (at - 1));
    if (byte < 0x80) return at + 1 + length === record.length;
  }
  return false;
};

/** Null where the bridge's own first attempt is the right one. */
export const attemptsAt = (record: Uint8Array | undefined, { type, body }: Message): Attempts | null => {
  if (record === undefined || hasOneState(record)) return null;
  const states = statesOf(record);
  if (states.length < 2) return null;
  const setup = type === 'pkmsg' ? fieldsOf(body.subarray(1)) : null;
  const inner = setup === null ? body : setup.get(4)?.[0];
  if (inner === undefined) return null;
  // Between the version byte and the MAC: 1 = the ratchet key.
  const ratchetKey = fieldsOf(inner.subarray(1, -8)).get(1)?.[0];
  const known =
    setup === null
      ? states.filter((state) => receivesOn(state, ratchetKey))
      : states.filter((state) => has(fieldsOf(state).get(13), setup.get(2)?.[0]));
  // A new session is the current one at once.
  if (setup !== null && known.length === 0) return null;
  if (known[0] === states[0]) return null;
  const tried = [...known, ...(setup === null ? states.filter((state) => !known.includes(state)) : [])];
  return {
    message: { type: 'msg', body: inner },
    records: tried.map((state) => recordOf([state])),
    keep: (moved, index) => recordOf([...statesOf(moved), ...states.filter((state) => state !== tried[index])]),
  };
};
