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
} from '../../../sandbox/src/phones/signal/signal-state.ts';
import type { Ciphertext } from '../../../sandbox/src/signal/session.ts';

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

const open = ({ from, to }: Way): void => from.peer.open(to.address, bundleOf(to));

const write = ({ from, to, underWay }: Way, text: string): void => {
  underWay.push({ ciphertext: from.peer.encrypt(to.address, Buffer.from(text)), text });
};

const deliver = ({ from, to, underWay }: Way): void => {
  const next = underWay.shift();
  if (next === undefined) return;
  assert.equal(Buffer.from(to.peer.decrypt(from.address, next.ciphertext)).toString(), next.text);
};

const pair = (): readonly [Way, Way] => {
  const [a, b] = [end('1000_1.0'), end('2000_1.0')];
  const ways: readonly [Way, Way] = [
    { from: a, to: b, underWay: [] },
    { from: b, to: a, underWay: [] },
  ];
  open(ways[0]);
  for (const way of ways) {
    write(way, 'hello');
    deliver(way);
  }
  return ways;
};

test('a message of the former session comes when a new one has been opened: both are read', () => {
  const [there, back] = pair();
  write(back, 'on the former session');
  open(there);
  write(there, 'on the new one');
  deliver(there);
  write(back, 'an answer on the new one');
  deliver(back);
  deliver(back);
  write(there, 'and another');
  deliver(there);
});

test('a message that cannot be read leaves the session as it was', () => {
  const [there, back] = pair();
  write(there, 'spoiled');
  const { ciphertext } = there.underWay.shift()!;
  ciphertext.body[ciphertext.body.length - 1]! ^= 1;
  assert.throws(() => there.to.peer.decrypt(there.from.address, ciphertext));
  write(back, 'still here');
  deliver(back);
  write(there, 'and here');
  deliver(there);
});

test('two phones that write, open anew and receive late, in any order, always read each other', () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    // A linear congruential generator: the same in every run.
    let state = seed;
    const next = (): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state / 2 ** 31;
    };
    const ways = pair();
    for (let step = 0; step < 50; step += 1) {
      const way = ways[next() < 0.5 ? 0 : 1];
      const dice = next();
      if (dice < 0.5) write(way, `${seed}.${step}`);
      else if (dice < 0.9) deliver(way);
      else open(way);
    }
    for (const way of ways) while (way.underWay.length > 0) deliver(way);
  }
});
