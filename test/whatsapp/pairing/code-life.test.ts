/** How long a pairing code lives: longer than the QR refs beside it, and no longer than the network lets it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BinaryNode, initAuthCreds } from 'baileys';
import type { DisconnectReason, PairingOffer } from '../../../src/domain/sessions/state.ts';
import { codeLifeMs } from '../../../src/whatsapp/pairing/code.ts';
import { Pairing } from '../../../src/whatsapp/pairing/pairing.ts';
import type { Socket } from '../../../src/whatsapp/socket/socket.ts';
import { strictStanzas } from '../socket/strict-stanzas.ts';
import { manualClock } from '../../support/clock.ts';
import { eventually } from '../../support/wait.ts';

const asked = {
  tag: 'iq',
  attrs: { type: 'result' },
  content: [
    {
      tag: 'link_code_companion_reg',
      attrs: {},
      content: [{ tag: 'link_code_pairing_ref', attrs: {}, content: Buffer.from('ref of the code') }],
    },
  ],
};

/** A pairing by code whose socket is played here, with two refs of 60 and 20 s. */
const begin = (answer: () => Promise<BinaryNode>) => {
  const stanzas = strictStanzas();
  const creds = initAuthCreds();
  const sock = {
    stanzas,
    creds,
    sendNode: async () => {},
    query: answer,
    nextId: () => 'tag',
  } as unknown as Socket;
  const offers: PairingOffer[] = [];
  const failures: DisconnectReason[] = [];
  const clock = manualClock();
  const pairing = new Pairing(sock, {
    number: '4915300000001',
    formerCode: undefined,
    clock,
    events: {
      offer: (offer) => offers.push(offer),
      passkey: () => {},
      failed: (reason) => failures.push(reason),
    },
  });
  const refs = ['one', 'two'].map((ref) => ({ tag: 'ref', attrs: {}, content: Buffer.from(ref) }));
  stanzas.dispatch({
    tag: 'iq',
    attrs: { id: '1', type: 'set' },
    content: [{ tag: 'pair-device', attrs: {}, content: refs }],
  });
  return { stanzas, clock, pairing, offers, failures };
};

test('the refs end, the code goes on, and the pairing ends with it, once', async () => {
  const { clock, offers, failures } = begin(async () => asked);
  const { code } = await eventually('a code', () => offers[0]);
  assert.equal(code!.expiresAt, clock.now() + codeLifeMs);
  await clock.advance(80_000);
  await clock.advance(99_000);
  assert.deepEqual(failures, []);
  await clock.advance(1_000);
  assert.deepEqual(failures, [{ kind: 'pairing_expired' }]);
});

test('a code that the network refused keeps nothing alive', async () => {
  const { clock, offers, failures } = begin(() => Promise.reject(new Error('rate-overlimit')));
  await eventually('the refusal', () => offers.some(({ codeRefusal }) => codeRefusal !== undefined));
  await clock.advance(80_000);
  assert.deepEqual(failures, [{ kind: 'pairing_expired' }]);
});

test('a fresh code that the network asks for lives as long as the first', async () => {
  const { stanzas, clock, offers, failures } = begin(async () => asked);
  const first = await eventually('a code', () => offers[0]);
  await clock.advance(50_000);
  const content = [{ tag: 'link_code_pairing_ref', attrs: {}, content: Buffer.from('ref of the code') }];
  stanzas.dispatch({
    tag: 'notification',
    attrs: { id: '9', from: 's.whatsapp.net', type: 'link_code_companion_reg' },
    content: [{ tag: 'link_code_companion_reg', attrs: { stage: 'refresh_code' }, content }],
  });
  const fresh = await eventually(
    'a fresh code',
    () => offers.find(({ code }) => code?.code !== first.code?.code)?.code,
  );
  assert.equal(fresh.expiresAt, clock.now() + codeLifeMs);
  await clock.advance(179_000);
  assert.deepEqual(failures, []);
  await clock.advance(1_000);
  assert.deepEqual(failures, [{ kind: 'pairing_expired' }]);
});

test('a link that is confirmed is not ended by its code', async () => {
  const { clock, pairing, offers, failures } = begin(async () => asked);
  await eventually('a code', () => offers[0]);
  pairing.stop();
  await clock.advance(300_000);
  assert.deepEqual(failures, []);
  assert.equal(clock.waiting, 0);
});
