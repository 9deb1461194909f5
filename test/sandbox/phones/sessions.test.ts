/** Signal sessions of phones: opened from either side, with messages that come late, twice or spoiled, and across restarts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PreKeyBundleInput } from 'whatsapp-rust-bridge';
import { SignalPeer } from '../../../sandbox/src/phones/signal/signal-peer.ts';
import {
  addPreKey,
  newSignalState,
  restoreSignal,
  type SignalState,
  snapshotSignal,
  typedKey,
  type Ciphertext,
} from '../../../sandbox/src/phones/signal/signal-state.ts';

interface End {
  readonly address: string;
  readonly state: SignalState;
  open(address: string, bundle: PreKeyBundleInput): Promise<void>;
  encrypt(address: string, plaintext: Uint8Array): Promise<Ciphertext>;
  decrypt(address: string, ciphertext: Ciphertext): Promise<Uint8Array>;
  /** Goes on from what it would have kept on disk. */
  restart(): void;
}

const newEnd = (address: string): End => {
  let state = newSignalState();
  let peer = new SignalPeer(state);
  return {
    address,
    get state() {
      return state;
    },
    open: (to, bundle) => peer.open(to, bundle),
    encrypt: (to, plaintext) => peer.encrypt(to, plaintext),
    decrypt: (from, ciphertext) => peer.decrypt(from, ciphertext),
    restart: () => {
      state = restoreSignal(snapshotSignal(state));
      peer = new SignalPeer(state);
    },
  };
};

const bundleOf = ({ state }: End, withPreKey: boolean): PreKeyBundleInput => {
  const { keyId, keyPair, signature } = state.signedPreKey;
  const preKey = withPreKey ? addPreKey(state) : null;
  return {
    registrationId: state.registrationId,
    identityKey: state.identity.pubKey,
    signedPreKey: { keyId, publicKey: keyPair.pubKey, signature },
    ...(preKey && { preKey: { keyId: preKey.id, publicKey: typedKey(preKey.publicKey) } }),
  };
};

interface UnderWay {
  readonly from: End;
  readonly to: End;
  readonly text: string;
  readonly ciphertext: Ciphertext;
}

const write = async (from: End, to: End, text: string): Promise<UnderWay> => ({
  from,
  to,
  text,
  ciphertext: await from.encrypt(to.address, Buffer.from(text)),
});

const arrive = async ({ from, to, text, ciphertext }: UnderWay): Promise<void> => {
  assert.equal(Buffer.from(await to.decrypt(from.address, ciphertext)).toString(), text);
};

const ends = () => [newEnd('1000_1.0'), newEnd('2000_1.0')] as const;

for (const withPreKey of [true, false]) {
  test(`${withPreKey ? 'with' : 'without'} a one-time prekey both read each other, also after a restart`, async () => {
    const [a, b] = ends();
    await a.open(b.address, bundleOf(b, withPreKey));
    for (let turn = 0; turn < 8; turn += 1) {
      const [from, to] = turn % 3 === 1 ? [b, a] : [a, b];
      for (let n = 0; n < 3; n += 1) {
        const message = await write(from, to, `${turn}.${n} ${'long '.repeat(n * 20)}`);
        assert.equal(message.ciphertext.type, turn === 0 ? 'pkmsg' : 'msg');
        await arrive(message);
      }
      for (const end of [a, b]) end.restart();
    }
    assert.equal(b.state.preKeys.size, 0);
  });
}

test('messages of several turns come in any order, and each is read once', async () => {
  const [a, b] = ends();
  await a.open(b.address, bundleOf(b, true));
  await arrive(await write(a, b, 'hello'));
  await arrive(await write(b, a, 'hello'));
  const late: UnderWay[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    for (let n = 0; n < 4; n += 1) late.push(await write(a, b, `${turn}.${n}`));
    await arrive(late.pop()!);
    await arrive(await write(b, a, 'turn'));
    for (const end of [a, b]) end.restart();
  }
  for (const message of late.toReversed()) {
    await arrive(message);
    await assert.rejects(async () => arrive(message));
  }
});

test('both ends open a session at once, and agree on one', async () => {
  const [a, b] = ends();
  await a.open(b.address, bundleOf(b, true));
  await b.open(a.address, bundleOf(a, true));
  const crossing = [await write(a, b, 'from a'), await write(b, a, 'from b'), await write(a, b, 'more')];
  for (const message of crossing) await arrive(message);
  for (let turn = 0; turn < 6; turn += 1) {
    await arrive(turn % 2 === 0 ? await write(a, b, String(turn)) : await write(b, a, String(turn)));
  }
});

test('a spoiled message is refused, and leaves the session as it was', async () => {
  const [a, b] = [newEnd('1000_1.0'), newEnd('2000_1.0')];
  await a.open(b.address, bundleOf(b, true));
  for (let turn = 0; turn < 4; turn += 1) {
    const message = await write(a, b, 'text');
    const before = snapshotSignal(b.state);
    for (const at of [20, message.ciphertext.body.length - 12, message.ciphertext.body.length - 1]) {
      const body = Uint8Array.from(message.ciphertext.body);
      body[at]! ^= 1;
      await assert.rejects(b.decrypt(a.address, { ...message.ciphertext, body }));
    }
    assert.deepEqual(snapshotSignal(b.state), before);
    await arrive(message);
    await arrive(await write(b, a, 'answer'));
  }
});

test('keys with a wrong signature open nothing', async () => {
  const [a, b] = [newEnd('1000_1.0'), newEnd('2000_1.0')];
  const bundle = bundleOf(b, true);
  const signature = Uint8Array.from(bundle.signedPreKey.signature);
  signature[3]! ^= 1;
  await assert.rejects(a.open(b.address, { ...bundle, signedPreKey: { ...bundle.signedPreKey, signature } }));
  await assert.rejects(a.encrypt(b.address, Buffer.from('text')));
});
