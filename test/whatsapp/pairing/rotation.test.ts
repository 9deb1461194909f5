/** The secret in the QR: when it is renewed, and when nothing may touch it any more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BinaryNode, initAuthCreds } from 'baileys';
import type { DisconnectReason, PairingOffer } from '../../../src/domain/sessions/state.ts';
import { Pairing } from '../../../src/whatsapp/pairing/pairing.ts';
import type { Socket } from '../../../src/whatsapp/socket/socket.ts';
import { strictStanzas } from '../socket/strict-stanzas.ts';
import { manualClock } from '../../support/clock.ts';

const refresh: BinaryNode = {
  tag: 'notification',
  attrs: { id: '7', from: 's.whatsapp.net', type: 'companion_reg_refresh' },
  content: [{ tag: 'companion_reg_refresh', attrs: {} }],
};

/** A pairing whose socket is played here, with two refs on it. */
const begin = () => {
  const stanzas = strictStanzas();
  const sent: BinaryNode[] = [];
  const creds = initAuthCreds();
  const sendNode = async (node: BinaryNode): Promise<void> => {
    sent.push(node);
  };
  const sock = { stanzas, creds, sendNode } as unknown as Socket;
  const offers: PairingOffer[] = [];
  const failures: DisconnectReason[] = [];
  const clock = manualClock();
  const pairing = new Pairing(sock, {
    number: null,
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
  const acks = (): number => sent.filter(({ tag, attrs }) => tag === 'ack' && attrs['id'] === '7').length;
  return { stanzas, creds, clock, pairing, offers, failures, acks };
};

test('a rotation makes a new secret at once, on the ref that is shown, and is acknowledged', () => {
  const { stanzas, creds, offers, acks } = begin();
  const before = creds.advSecretKey;
  stanzas.dispatch(refresh);
  assert.notEqual(creds.advSecretKey, before);
  assert.equal(Buffer.from(creds.advSecretKey, 'base64').length, 32);
  assert.equal(offers.length, 2);
  assert.ok(offers[1]!.qrText.includes('#one,') && offers[1]!.qrText.includes(creds.advSecretKey));
  assert.equal(offers[1]!.qrExpiresAt, offers[0]!.qrExpiresAt);
  assert.equal(acks(), 1);
});

test('once the network confirms the link, no rotation and no ref touches the secret', async () => {
  const { stanzas, creds, clock, pairing, offers, failures, acks } = begin();
  const confirmed = creds.advSecretKey;
  // The first that is done when `pair-success` arrives.
  pairing.stop();
  stanzas.dispatch(refresh);
  await clock.advance(200_000);
  assert.equal(creds.advSecretKey, confirmed);
  assert.equal(offers.length, 1);
  assert.deepEqual(failures, []);
  assert.equal(acks(), 1, 'the network is told that it was heard');
});

test('refs that all had their time end the pairing with a reason', async () => {
  const { clock, offers, failures } = begin();
  await clock.advance(60_000);
  assert.ok(offers[1]!.qrText.includes('#two,'));
  await clock.advance(20_000);
  assert.deepEqual(failures, [{ kind: 'pairing_expired' }]);
});
