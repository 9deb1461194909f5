/** Hostile input: every operation ends, the bridge does not hang, no lock stays, and refused input changes nothing. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { isPlain } from '../../../src/whatsapp/translate/parts/envelope.ts';
import { keptOf } from '../../../src/whatsapp/receive/message-reader.ts';
import {
  fieldMapOf,
  lengthDelimited,
  readPreKeyMessage,
  varintField,
} from '../../../src/whatsapp/signal/session-record.ts';
import { cpuMsOf } from '../../support/cpu.ts';
import { decrypt, encrypt, establish, memoryStore, open, ourParty, type Sealed } from './support.ts';

/** A generator of numbers that is the same on every run. */
const makeRandom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
};

const mutate = (original: Uint8Array, random: (below: number) => number): Buffer => {
  const bytes = Buffer.from(original);
  switch (random(5)) {
    case 0:
      return bytes.subarray(0, random(bytes.length));
    case 1:
      bytes[random(bytes.length)]! ^= 1 << random(8);
      return bytes;
    case 2:
      for (let i = 0; i < 4; i += 1) bytes[random(bytes.length)] = random(256);
      return bytes;
    case 3: {
      const at = random(bytes.length);
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([random(256), random(256)]), bytes.subarray(at)]);
    }
    default:
      return Buffer.from(Array.from({ length: random(120) }, (_, i) => (i === 0 ? 0x33 : random(256))));
  }
};

test('3,000 mutated messages', async () => {
  const random = makeRandom(7);
  const store = memoryStore();
  const [ours, peer] = [ourParty('1000@lid', { store }), ourParty('2000@lid')];
  const group = '1@g.us';
  await open(peer, ours);
  // Its registration id is under no signature: once it is read, every mutation of it is a used message key or worse.
  const setup = await encrypt(peer, ours, 'setup');
  await decrypt(ours, peer, setup);
  await establish(peer, ours);
  const { ciphertext: toGroup, senderKeyDistributionMessage: introduction } = await peer.repository.encryptGroupMessage(
    {
      group,
      meId: peer.jid,
      data: Buffer.from('all'),
    },
  );
  const introduce = (distribution: Uint8Array, authorJid: string): Promise<void> =>
    ours.repository.processSenderKeyDistributionMessage({
      item: { groupId: group, axolotlSenderKeyDistributionMessage: distribution },
      authorJid,
    });
  await introduce(introduction, peer.jid);
  const message = await encrypt(peer, ours, 'message');
  const before = new Map(store.keys);

  let refused = 0;
  for (let i = 0; i < 1_000; i += 1) {
    const attempts = [
      ours.repository.decryptMessage({ jid: peer.jid, type: 'pkmsg', ciphertext: mutate(setup.ciphertext, random) }),
      ours.repository.decryptMessage({ jid: peer.jid, type: 'msg', ciphertext: mutate(message.ciphertext, random) }),
      ours.repository.decryptGroupMessage({ group, authorJid: peer.jid, msg: mutate(toGroup, random) }),
    ];
    const outcomes = await Promise.allSettled(attempts);
    refused += outcomes.filter(({ status }) => status === 'rejected').length;
    // It carries no signature of its own: what can be read is taken.
    await introduce(mutate(introduction, random), '3000@lid').catch(() => {});
  }
  assert.equal(refused, 3_000);
  for (const key of store.keys.keys()) if (key.includes('::3000_1::')) store.keys.delete(key);
  assert.deepEqual(store.keys, before);
  assert.equal(ours.locks.size, 0);
  assert.equal(await decrypt(ours, peer, message), 'message');
  assert.equal(
    Buffer.from(await ours.repository.decryptGroupMessage({ group, authorJid: peer.jid, msg: toGroup })).toString(),
    'all',
  );
});

test('bundles of keys that lack something are refused, and the next one is taken', async () => {
  const [ours, peer] = [ourParty('1000@lid'), ourParty('2000@lid')];
  const good = await peer.bundle();
  const { signedPreKey, preKey } = good;
  const without: readonly object[] = [
    ...[undefined, Number.NaN, -1, 1.5, 2 ** 33].map((registrationId) => ({ registrationId })),
    ...[undefined, new Uint8Array(), new Uint8Array(10), new Uint8Array(40)].map((identityKey) => ({ identityKey })),
    { signedPreKey: undefined },
    { signedPreKey: { ...signedPreKey, keyId: undefined } },
    { signedPreKey: { ...signedPreKey, publicKey: new Uint8Array() } },
    ...[undefined, 'text', new Uint8Array(3)].map((signature) => ({ signedPreKey: { ...signedPreKey, signature } })),
    { preKey: { ...preKey, keyId: 2 ** 40 } },
    { preKey: { ...preKey, publicKey: new Uint8Array() } },
  ];
  for (const change of without) {
    const session = { ...good, ...change };
    await assert.rejects(ours.repository.injectE2ESession({ jid: peer.jid, session }), /key bundle|public key/);
  }
  assert.equal(ours.locks.size, 0);
  await ours.repository.injectE2ESession({ jid: peer.jid, session: good });
  assert.equal(await decrypt(peer, ours, await encrypt(ours, peer, 'hello')), 'hello');
});

test('two million fields in a message are not looked at one by one', () => {
  // Each took 300 to 1,000 ms.
  const bytes = Buffer.alloc(4_000_000, Buffer.from([0x08, 0x01]));
  const ciphertext = Buffer.concat([Buffer.from([0x33]), bytes]);
  for (const look of [() => isPlain(bytes), () => keptOf(bytes), () => readPreKeyMessage(ciphertext)]) {
    const ms = cpuMsOf(() => void look());
    assert.ok(ms < 50, `${String(look)} took ${ms} ms`);
  }
});

/** Forged: of a chain that nobody has begun, or of `ratchetKey`, so many messages ahead. */
const aheadBy = (counter: number, ratchetKey = Buffer.concat([Buffer.from([5]), randomBytes(32)])): Buffer =>
  Buffer.concat([
    Buffer.from([0x33]),
    lengthDelimited(1, ratchetKey),
    varintField(2, counter),
    lengthDelimited(4, randomBytes(16)),
    randomBytes(8),
  ]);

test('a forged message far ahead of forty sessions of its sender holds up nobody', async () => {
  const [ours, peer] = [ourParty('1000@lid'), ourParty('2000@lid')];
  for (let begun = 0; begun < 41; begun += 1) {
    await open(peer, ours);
    await decrypt(ours, peer, await encrypt(peer, ours, 'hello'));
  }
  const real = await encrypt(peer, ours, 'real');
  const setup = readPreKeyMessage(real.ciphertext)!;
  const known = fieldMapOf(setup.message!.subarray(1, -8)).get(1);
  assert.ok(known instanceof Uint8Array);
  const fresh = Buffer.concat([Buffer.from([5]), randomBytes(32)]);
  const first = Buffer.concat([
    Buffer.from([0x33]),
    varintField(6, 1),
    varintField(5, 1),
    lengthDelimited(2, fresh),
    lengthDelimited(3, setup.identityKey!),
    lengthDelimited(4, aheadBy(24_999)),
  ]);
  const forged: readonly (readonly [Sealed['type'], Uint8Array])[] = [
    ['msg', aheadBy(24_999)],
    ['msg', aheadBy(24_999, Buffer.from(known))],
    ['msg', Buffer.concat([aheadBy(24_999).subarray(0, -8), Buffer.from([0x79, ...randomBytes(8)]), randomBytes(8)])],
    ['pkmsg', first],
  ];
  for (const [type, ciphertext] of forged) {
    const before = process.threadCpuUsage();
    await assert.rejects(ours.repository.decryptMessage({ jid: peer.jid, type, ciphertext }));
    const { user, system } = process.threadCpuUsage(before);
    // The first took 7.8 s.
    assert.ok(user + system < 100_000, `${(user + system) / 1_000} ms`);
  }
  assert.equal(await decrypt(ours, peer, real), 'real');
});
