/** Sessions as bytes, in the form in which Signal's own implementations keep them. */
import { FieldReader, FieldWriter } from './fields.ts';
import type { Pending, ReceivingChain, SendingChain, SessionState } from './ratchet.ts';
import { Session } from './session.ts';

const VERSION = 3;
const none: Uint8Array = new Uint8Array(0);

// A chain: 1 = ratchet key, 2 = its private half, 3 = key (1 = number, 2 = key), 4 = keys of messages that have not come yet.
const writeChain = ({ key, next }: SendingChain | ReceivingChain, ratchetKey: Uint8Array, privateKey: Uint8Array) =>
  new FieldWriter(128)
    .field(1, ratchetKey)
    .field(2, privateKey)
    .field(3, new FieldWriter(48).int(1, next).field(2, key).done());

const writeReceiving = (chain: ReceivingChain): Uint8Array => {
  const out = writeChain(chain, chain.ratchetKey, none);
  for (const [number, key] of chain.skipped ?? []) {
    const parts = new FieldWriter(96).int(1, number);
    out.field(4, parts.field(2, key.subarray(0, 32)).field(3, key.subarray(32, 64)).field(4, key.subarray(64)).done());
  }
  return out.done();
};

const writeState = (state: SessionState): Uint8Array => {
  const { sending, pending } = state;
  const out = new FieldWriter(512)
    .int(1, VERSION)
    .field(2, state.localIdentity)
    .field(3, state.remoteIdentity)
    .field(4, state.rootKey)
    .int(5, state.previousCounter)
    .field(6, writeChain(sending, sending.ratchet.pubKey, sending.ratchet.privKey).done());
  for (const chain of state.receiving) out.field(7, writeReceiving(chain));
  if (pending !== null) {
    const setup = new FieldWriter(48);
    if (pending.preKeyId !== null) setup.int(1, pending.preKeyId);
    out.field(9, setup.field(2, pending.baseKey).int(3, pending.signedPreKeyId).done());
  }
  return out.int(10, state.remoteRegistrationId).int(11, state.localRegistrationId).field(13, state.baseKey).done();
};

/** A record: 1 = the current state, 2 = each former one. */
export const writeRecord = ({ states }: Session): Uint8Array => {
  const out = new FieldWriter(1024);
  for (const [index, state] of states.entries()) out.field(index === 0 ? 1 : 2, writeState(state));
  return out.done();
};

const readKey = (bytes: Uint8Array): { readonly next: number; readonly key: Uint8Array } => {
  const fields = new FieldReader(bytes);
  let [next, key] = [0, none];
  while (fields.next()) {
    if (fields.number === 1) next = fields.value;
    else if (fields.number === 2) key = fields.copy();
  }
  return { next, key };
};

const readSkipped = (bytes: Uint8Array): readonly [number, Uint8Array] => {
  const fields = new FieldReader(bytes);
  const key = new Uint8Array(80);
  let number = 0;
  while (fields.next()) {
    if (fields.number === 1) number = fields.value;
    else if (fields.number <= 4) key.set(fields.bytes(), (fields.number - 2) * 32);
  }
  return [number, key];
};

const readChain = (bytes: Uint8Array) => {
  const fields = new FieldReader(bytes);
  let [ratchetKey, privateKey] = [none, none];
  let at = { next: 0, key: none };
  const skipped: (readonly [number, Uint8Array])[] = [];
  while (fields.next()) {
    if (fields.number === 1) ratchetKey = fields.copy();
    else if (fields.number === 2) privateKey = fields.copy();
    else if (fields.number === 3) at = readKey(fields.bytes());
    else if (fields.number === 4) skipped.push(readSkipped(fields.bytes()));
  }
  return { ...at, ratchetKey, privateKey, skipped: skipped.length === 0 ? null : new Map(skipped) };
};

const readSending = (bytes: Uint8Array): SendingChain => {
  const { ratchetKey, privateKey, key, next } = readChain(bytes);
  return { ratchet: { pubKey: ratchetKey, privKey: privateKey }, key, next };
};

const readReceiving = (bytes: Uint8Array): ReceivingChain => {
  const { ratchetKey, key, next, skipped } = readChain(bytes);
  return { ratchetKey, key, next, skipped };
};

const readPending = (bytes: Uint8Array): Pending => {
  const fields = new FieldReader(bytes);
  let preKeyId: number | null = null;
  let [signedPreKeyId, baseKey] = [0, none];
  while (fields.next()) {
    if (fields.number === 1) preKeyId = fields.value;
    else if (fields.number === 2) baseKey = fields.copy();
    else if (fields.number === 3) signedPreKeyId = fields.value;
  }
  return { preKeyId, signedPreKeyId, baseKey };
};

const readState = (bytes: Uint8Array): SessionState => {
  const single = new Map<number, Uint8Array>();
  const numbers = new Map<number, number>();
  const receiving: ReceivingChain[] = [];
  for (const fields = new FieldReader(bytes); fields.next();) {
    if (fields.number === 7) receiving.push(readReceiving(fields.bytes()));
    else if (fields.number === 1 || fields.number === 5 || (fields.number >= 10 && fields.number <= 12))
      numbers.set(fields.number, fields.value);
    else single.set(fields.number, fields.copy());
  }
  const pending = single.get(9);
  return {
    localIdentity: single.get(2) ?? none,
    remoteIdentity: single.get(3) ?? none,
    localRegistrationId: numbers.get(11) ?? 0,
    remoteRegistrationId: numbers.get(10) ?? 0,
    baseKey: single.get(13) ?? none,
    rootKey: single.get(4) ?? none,
    previousCounter: numbers.get(5) ?? 0,
    sending: readSending(single.get(6) ?? none),
    receiving,
    pending: pending === undefined ? null : readPending(pending),
  };
};

export const readRecord = (bytes: Uint8Array): Session => {
  const states: SessionState[] = [];
  for (const fields = new FieldReader(bytes); fields.next();) {
    if (fields.number === 1) states.unshift(readState(fields.bytes()));
    else if (fields.number === 2) states.push(readState(fields.bytes()));
  }
  return new Session(states);
};
