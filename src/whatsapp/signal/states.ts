/**
 * The states inside a session record. A session that is set up again leaves its former states behind, and messages of
 * theirs may still be under way. The bridge tries them all, but an attempt that fails leaves its trace on the state that
 * it was made with: a ratchet step that the peer knows nothing of, after which neither end can read the other. So the
 * bridge is shown one state at a time, and only a state that has decrypted is kept.
 */
import { fieldsOf, lengthDelimited, messageOf } from './wire.ts';

// A record: 1 = the current state, 2 = each archived one.
const currentState = 1;
const archivedState = 2;
// A state: 7 = its receiving chains (1 = the ratchet key of each), 13 = the base key of whoever began the session.
const receivingChain = 7;
const chainRatchetKey = 1;
const baseKey = 13;
/** As many archived states as the protocol's own implementations keep. */
const maxArchived = 40;

const bytesIn = (message: Uint8Array, number: number): Uint8Array[] =>
  [...fieldsOf(message)].flatMap((field) =>
    field.number === number && field.value instanceof Uint8Array ? [field.value] : [],
  );

/** The states of a record, the current one first. */
export const statesOf = (record: Uint8Array): Uint8Array[] => [
  ...bytesIn(record, currentState),
  ...bytesIn(record, archivedState),
];

/** A record of these states, of which the first is the current one. */
export const recordOf = ([current, ...archived]: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat([
      ...(current === undefined ? [] : [lengthDelimited(currentState, current)]),
      ...archived.slice(0, maxArchived).map((state) => lengthDelimited(archivedState, state)),
    ]),
  );

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Null for what is malformed: the bridge then says how. */
const readable = (bytes: Uint8Array): ReturnType<typeof messageOf> | null => {
  try {
    return messageOf(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

/** The ratchet key of a `msg`: its first field, between the version byte and the eight bytes of its MAC. */
const ratchetKeyOf = (message: Uint8Array): Uint8Array | null => {
  const key = readable(message.subarray(1, -8))?.get(1);
  return key instanceof Uint8Array ? key : null;
};

/** Those that have a chain for the message come first: mostly one, and the only one that has to be tried. */
export const byLikelihood = (states: readonly Uint8Array[], message: Uint8Array): readonly Uint8Array[] => {
  const key = ratchetKeyOf(message);
  if (states.length < 2 || key === null) return states;
  const knows = (state: Uint8Array): boolean =>
    bytesIn(state, receivingChain).some((chain) => bytesIn(chain, chainRatchetKey).some((each) => same(each, key)));
  const likely = states.filter(knows);
  return likely.length === 0 ? states : [...likely, ...states.filter((state) => !likely.includes(state))];
};

/** What a `pkmsg` carries: the base key of its session, and the message that is meant to be read with it. */
const setupOf = (ciphertext: Uint8Array): { readonly base: Uint8Array; readonly message: Uint8Array } | null => {
  const fields = readable(ciphertext.subarray(1));
  const base = fields?.get(2);
  const message = fields?.get(4);
  return base instanceof Uint8Array && message instanceof Uint8Array ? { base, message } : null;
};

/** The state that a `pkmsg` has set up before, with the message that is to be read with it; null when it is a new one. */
export const knownSetup = (
  states: readonly Uint8Array[],
  ciphertext: Uint8Array,
): { readonly state: Uint8Array; readonly message: Uint8Array } | null => {
  const setup = setupOf(ciphertext);
  if (setup === null) return null;
  const state = states.find((each) => bytesIn(each, baseKey).some((key) => same(key, setup.base)));
  return state === undefined ? null : { state, message: setup.message };
};

/** `record` with the states of `other` behind its own: what comes to either peer address stays readable. */
export const mergeSessions = (record: Uint8Array, other: Uint8Array): Uint8Array =>
  recordOf([...statesOf(record), ...statesOf(other)]);
