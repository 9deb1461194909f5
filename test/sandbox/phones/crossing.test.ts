/** Sessions of phones that are opened anew while messages of the former ones are under way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PreKeyBundleInput } from 'whatsapp-rust-bridge';
import { SignalPeer } from '../../../sandbox/src/phones/signal/signal-peer.ts';
import {
  addPreKey,
  newSignalState,
  type SignalState,
  typedKey,
  type Ciphertext,
} from '../../../sandbox/src/phones/signal/signal-state.ts';

interface End {
  readonly address: string;
  readonly state: SignalState;
  readonly peer: SignalPeer;
}

interface Way {
  readonly from: End;
  readonly to: End;
  readonly underWay: { readonly ciphertext: Ciphertext; readonly text: string }[];
}

const end = (address: string): End => {
  const state = newSignalState();
  return { address, state, peer: new SignalPeer(state) };
};

const bundleOf = ({ state }: End): PreKeyBundleInput => {
  const { keyId, keyPair, signature } = state.signedPreKey;
  const preKey = addPreKey(state);
  return {
    registrationId: state.registrationId,
    identityKey: state.identity.pubKey,
    signedPreKey: { keyId, publicKey: keyPair.pubKey, signature },
    preKey: { keyId: preKey.id, publicKey: typedKey(preKey.publicKey) },
  };
};

const open = ({ from, to }: Way): Promise<void> => from.peer.open(to.address, bundleOf(to));

const write = async ({ from, to, underWay }: Way, text: string): Promise<void> => {
  underWay.push({ ciphertext: await from.peer.encrypt(to.address, Buffer.from(text)), text });
};

const deliver = async ({ from, to, underWay }: Way): Promise<void> => {
  const next = underWay.shift();
  if (next === undefined) return;
  assert.equal(Buffer.from(await to.peer.decrypt(from.address, next.ciphertext)).toString(), next.text);
};

const pair = async (): Promise<readonly [Way, Way]> => {
  const [a, b] = [end('1000_1.0'), end('2000_1.0')];
  const ways: readonly [Way, Way] = [
    { from: a, to: b, underWay: [] },
    { from: b, to: a, underWay: [] },
  ];
  await open(ways[0]);
  for (const way of ways) {
    await write(way, 'hello');
    await deliver(way);
  }
  return ways;
};

test('a message of the former session comes when a new one has been opened: both are read', async () => {
  const [there, back] = await pair();
  await write(back, 'on the former session');
  await open(there);
  await write(there, 'on the new one');
  await deliver(there);
  await write(back, 'an answer on the new one');
  await deliver(back);
  await deliver(back);
  await write(there, 'and another');
  await deliver(there);
});

test('a message that cannot be read leaves the session as it was', async () => {
  const [there, back] = await pair();
  await write(there, 'spoiled');
  const { ciphertext } = there.underWay.shift()!;
  ciphertext.body[ciphertext.body.length - 1]! ^= 1;
  await assert.rejects(there.to.peer.decrypt(there.from.address, ciphertext));
  await write(back, 'still here');
  await deliver(back);
  await write(there, 'and here');
  await deliver(there);
});

test('two phones that write, open anew and receive late, in any order, always read each other', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    // A linear congruential generator: the same in every run.
    let state = seed;
    const next = (): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state / 2 ** 31;
    };
    const ways = await pair();
    for (let step = 0; step < 50; step += 1) {
      const way = ways[next() < 0.5 ? 0 : 1];
      const dice = next();
      if (dice < 0.5) await write(way, `${seed}.${step}`);
      else if (dice < 0.9) await deliver(way);
      else await open(way);
    }
    for (const way of ways) while (way.underWay.length > 0) await deliver(way);
  }
});
