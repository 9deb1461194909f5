/** Messages on chains that are there, played against the bridge: the same bytes, the same records, and nothing of what only it may say. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  generateKeyPair,
  generatePreKey,
  generateRegistrationId,
  generateSignedPreKey,
  type KeyPair,
  ProtocolAddress,
  type PreKeyBundleInput,
  SessionBuilder,
  SessionCipher,
  type SessionRecord,
  type SignalStorage,
} from 'whatsapp-rust-bridge';
import { ChainReader, openOnChain, sealOnChain } from '../../../src/whatsapp/signal/on-chain.ts';

const peer = new ProtocolAddress('peer', 0);

/** Whole numbers below a limit; the same ones from the same seed. */
const randomFrom = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

interface Message {
  readonly type: 'pkmsg' | 'msg';
  readonly ciphertext: Uint8Array;
  readonly plaintext: Uint8Array;
}

type Outcome = { readonly record: Uint8Array; readonly plaintext: Uint8Array } | null;

/** One end, by the bridge alone. */
class End implements SignalStorage {
  record: Uint8Array | null = null;
  readonly #identity = generateKeyPair();
  readonly #registration = generateRegistrationId();
  readonly #signed = generateSignedPreKey(this.#identity, 1);
  readonly #preKeys = new Map<number, KeyPair>();
  #lastPreKey = 0;

  loadSession = (): Uint8Array | null => this.record;
  storeSessionRaw(_: string, record: Uint8Array): void {
    this.record = record;
  }
  storeSession(_: string, record: SessionRecord): void {
    this.record = record.serialize();
  }
  getOurIdentity = (): KeyPair => this.#identity;
  getOurRegistrationId = (): number => this.#registration;
  isTrustedIdentity = (): boolean => true;
  loadPreKey = (id: number): KeyPair | null => this.#preKeys.get(id) ?? null;
  removePreKey(id: number): void {
    this.#preKeys.delete(id);
  }
  loadSignedPreKey = () => this.#signed;
  loadSenderKey = () => null;
  storeSenderKey(): void {}

  bundle(withPreKey: boolean): PreKeyBundleInput {
    const { keyPair, keyId, signature } = this.#signed;
    const base = {
      registrationId: this.#registration,
      identityKey: this.#identity.pubKey,
      signedPreKey: { keyId, publicKey: keyPair.pubKey, signature },
    };
    if (!withPreKey) return base;
    this.#lastPreKey += 1;
    const preKey = generatePreKey(this.#lastPreKey);
    this.#preKeys.set(preKey.keyId, preKey.keyPair);
    return { ...base, preKey: { keyId: preKey.keyId, publicKey: preKey.keyPair.pubKey } };
  }

  begin = (other: End, withPreKey: boolean): Promise<void> =>
    new SessionBuilder(this, peer).initOutgoing(other.bundle(withPreKey));

  async encrypt(plaintext: Uint8Array): Promise<Message> {
    const { type, body } = await new SessionCipher(this, peer).encrypt(plaintext);
    return { type: type === 3 ? 'pkmsg' : 'msg', ciphertext: body, plaintext };
  }

  /** Leaves the record as it was, whatever comes of it. */
  async tryDecrypt({ type, ciphertext }: Message): Promise<Outcome> {
    const before = this.record;
    const cipher = new SessionCipher(this, peer);
    try {
      const plaintext = await (type === 'pkmsg'
        ? cipher.decryptPreKeyWhisperMessage(ciphertext)
        : cipher.decryptWhisperMessage(ciphertext));
      return { record: this.record!, plaintext };
    } catch {
      return null;
    } finally {
      this.record = before;
    }
  }
}

const same = (a: Uint8Array, b: Uint8Array, what: string): void =>
  assert.deepEqual(Buffer.from(a), Buffer.from(b), what);

/** What a run of random steps has met. */
const counts = () => ({ sealed: 0, sealedHere: 0, setups: 0, opened: 0, openedHere: 0, refused: 0 });

/** Encrypts both ways, and goes on with what one of them left behind. */
const send = async (from: End, plaintext: Uint8Array, seen: ReturnType<typeof counts>): Promise<Message> => {
  const before = Buffer.from(from.record!);
  const here = sealOnChain(from.record!, plaintext);
  same(from.record!, before, 'what was given is not changed');
  const message = await from.encrypt(plaintext);
  seen.sealed += 1;
  if (message.type === 'pkmsg') seen.setups += 1;
  if (here === null) return message;
  seen.sealedHere += 1;
  assert.equal(here.type, message.type);
  same(here.ciphertext, message.ciphertext, 'ciphertext');
  same(here.record, from.record!, 'record');
  if (seen.sealed % 2 === 0) from.record = here.record;
  return message;
};

const receive = async (to: End, message: Message, seen: ReturnType<typeof counts>): Promise<boolean> => {
  const before = to.record === null ? null : Buffer.from(to.record);
  const given = Buffer.from(message.ciphertext);
  const here = to.record === null ? null : openOnChain(to.record, message.type, message.ciphertext);
  if (before !== null) same(to.record!, before, 'what was given is not changed');
  same(message.ciphertext, given, 'nor the message');
  const outcome = await to.tryDecrypt(message);
  if (outcome === null) {
    seen.refused += 1;
    assert.equal(here, null, 'what the bridge refuses is not read here');
    return false;
  }
  seen.opened += 1;
  same(outcome.plaintext, message.plaintext, 'plaintext');
  if (here !== null) {
    seen.openedHere += 1;
    same(here.plaintext, outcome.plaintext, 'plaintext here');
    same(here.record, outcome.record, 'record');
  }
  to.record = seen.opened % 2 === 0 && here !== null ? here.record : outcome.record;
  return true;
};

const spoilt = (message: Message, random: (below: number) => number): Message => {
  const ciphertext = Uint8Array.from(message.ciphertext);
  if (random(4) === 0) return { ...message, ciphertext: ciphertext.subarray(0, random(ciphertext.length)) };
  ciphertext[random(ciphertext.length)]! ^= 1 << random(8);
  return { ...message, ciphertext };
};

const play = async (seed: number, steps: number, seen: ReturnType<typeof counts>): Promise<void> => {
  const random = randomFrom(seed);
  const ends = [new End(), new End()] as const;
  /** On the way to each end. */
  const waiting: [Message[], Message[]] = [[], []];
  const done: [Message[], Message[]] = [[], []];
  await ends[0].begin(ends[1], true);
  for (let step = 0; step < steps; step += 1) {
    const side = random(2);
    const other = 1 - side;
    const [end, inbox] = [ends[side]!, waiting[side]!];
    const what = random(100);
    if (what < 45 && end.record !== null) {
      waiting[other]!.push(await send(end, randomBytes(random(random(10) === 0 ? 2_000 : 200)), seen));
    } else if (what < 47) await end.begin(ends[other]!, random(2) === 0);
    else if (what < 55 && inbox.length > 0) await receive(end, spoilt(inbox[0]!, random), seen);
    else if (what < 60 && done[side]!.length > 0)
      await receive(end, done[side]!.at(-1 - random(Math.min(5, done[side]!.length)))!, seen);
    else if (inbox.length > 0) {
      const [message] = inbox.splice(random(8) === 0 ? random(inbox.length) : 0, 1);
      if (await receive(end, message!, seen)) done[side]!.push(message!);
    }
  }
};

test('on a chain: thousands of random steps give the bytes and the records that the bridge gives', async () => {
  const seen = counts();
  for (let seed = 1; seed <= 4; seed += 1) await play(seed, 400, seen);
  // Each way was met often.
  assert.ok(seen.sealed > 500 && seen.sealedHere > 0.95 * seen.sealed, JSON.stringify(seen));
  assert.ok(seen.opened > 300 && seen.openedHere > 150, JSON.stringify(seen));
  assert.ok(seen.setups > 30 && seen.refused > 80, JSON.stringify(seen));
});

test('on a chain: a long one-sided conversation, past the places where the counter takes more room', async () => {
  const seen = counts();
  const [from, to] = [new End(), new End()] as const;
  await from.begin(to, true);
  await receive(to, await send(from, Buffer.from('setup'), seen), seen);
  await receive(from, await send(to, Buffer.from('answer'), seen), seen);
  for (let index = 0; index < 300; index += 1) await receive(to, await send(from, Buffer.from([index]), seen), seen);
  assert.equal(seen.refused, 0);
  // The counter grows by a byte behind 127, which is left to the bridge at either end; so is each new ratchet key.
  assert.deepEqual([seen.sealed - seen.sealedHere, seen.opened - seen.openedHere], [1, 4]);
});

test('on a chain: fields that nobody knows stay where they are', async () => {
  const seen = counts();
  const [from, to] = [new End(), new End()] as const;
  await from.begin(to, true);
  await receive(to, await send(from, Buffer.from('setup'), seen), seen);
  // Field 31 of the record.
  const unknown = Buffer.from([0xfa, 0x01, 0x02, 0xab, 0xcd]);
  const sealed = sealOnChain(Buffer.concat([from.record!, unknown]), Buffer.from('more'))!;
  same(sealed.record.subarray(-5), unknown, 'sealing keeps it');
  const opened = openOnChain(Buffer.concat([to.record!, unknown]), sealed.type, sealed.ciphertext)!;
  same(opened.plaintext, Buffer.from('more'), 'and it can be read');
  same(opened.record.subarray(-5), unknown, 'opening keeps it');
});

test('on a chain: records that are written in another way are left to the bridge', async () => {
  const from = new End();
  await from.begin(new End(), true);
  const record = from.record!;
  for (let length = 0; length < record.length; length += 1) {
    assert.equal(sealOnChain(record.subarray(0, length), Buffer.from('x')), null);
  }
  assert.equal(sealOnChain(Buffer.concat([record, record]), Buffer.from('x')), null, 'two current states');
});

test('on a chain: many messages out of one session, spoilt ones and forgotten ones among them, as the bridge reads them', async () => {
  const random = randomFrom(7);
  const [from, to] = [new End(), new End()] as const;
  await from.begin(to, true);
  await receive(to, await send(from, Buffer.from('setup'), counts()), counts());
  let given = to.record!;
  let reader = new ChainReader(given);
  const seen = { kept: 0, left: 0, refused: 0, renewed: 0 };
  const read = async (message: Message): Promise<void> => {
    const before = Buffer.from(given);
    const plaintext = reader.open(message.type, message.ciphertext);
    const outcome = await to.tryDecrypt(message);
    if (plaintext === null) {
      if (outcome === null) return void (seen.refused += 1);
      seen.renewed += 1;
      to.record = given = outcome.record;
      reader = new ChainReader(given);
      return;
    }
    same(plaintext, outcome!.plaintext, 'plaintext');
    same(reader.record, to.record!, 'nothing has happened before it is kept');
    if (random(5) === 0) return void (seen.left += 1);
    reader.keep();
    seen.kept += 1;
    same(reader.record, outcome!.record, 'record');
    same(given, before, 'what was given is not changed');
    to.record = Uint8Array.from(reader.record);
  };
  for (let index = 0; index < 300; index += 1) {
    // The answer gives the next messages another ratchet key.
    if (random(40) === 0) await receive(from, await send(to, Buffer.from('answer'), counts()), counts());
    if (to.record !== null && Buffer.compare(to.record, reader.record) !== 0)
      reader = new ChainReader((given = to.record));
    const message = await send(from, randomBytes(random(200)), counts());
    if (random(4) === 0) await read(spoilt(message, random));
    await read(message);
    if (random(4) === 0) await read(message);
  }
  assert.ok(seen.kept > 150 && seen.left > 30 && seen.refused > 60 && seen.renewed > 5, JSON.stringify(seen));
});
