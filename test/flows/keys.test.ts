/** Keys that run out, change or are lost, on either side: in the end every message is read. */
import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { BinaryNode } from 'baileys';
import { INITIAL_PREKEY_COUNT } from '../../src/whatsapp/library/protocol.ts';
import { Companion, type Place } from '../sandbox/companion.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, linkDevice, untilEvent, untilOpen, untilShown } from './steps.ts';

const cyd = '4915550003333';

const childrenOf = (node: BinaryNode | undefined): readonly BinaryNode[] =>
  Array.isArray(node?.content) ? node.content : [];

describe('keys', () => {
  let installation: Installation;
  let place: Place;
  let id: number;
  const send = async (message: string, toNumber = bob): Promise<string> => {
    const sent = await installation.api.post(`/devices/${id}/messages/text`, { toNumber, message });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    return sent.body.messageId;
  };
  const heard = (text: string) =>
    untilEvent(
      installation,
      id,
      'message.received',
      (data: { message: { text: string } }) => data.message.text === text,
    );
  const write = (from: string, text: string) => installation.phones.write(from, { to: ada, text });
  const act = (path: string, body: object = {}) => installation.phones.request('POST', path, body);
  const pingPong = async (rounds: number, name: string): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      await send(`${name} ping ${round}`);
      await untilShown(installation, bob, `${name} ping ${round}`);
      await write(bob, `${name} pong ${round}`);
      await heard(`${name} pong ${round}`);
    }
  };

  before(async () => {
    installation = await startInstallation({}, undefined, undefined, { firstPreKeys: INITIAL_PREKEY_COUNT });
    place = await installation.phones.request<Place>('GET', '');
    await addPhones(installation);
    id = await linkDevice(installation);
    await pingPong(1, 'first');
  });
  after(() => installation[Symbol.asyncDispose]());

  it('retry receipts: a phone that lost its session shows what was sent before and after a restart of the service', async () => {
    await installation.phones.request('PATCH', `/phones/${bob}`, { online: false });
    const early = await send('sent before the restart');
    await installation.restart();
    await untilOpen(installation, id);
    const late = await send('sent after the restart');
    await act(`/phones/${bob}/lose-sessions`);
    await installation.phones.request('PATCH', `/phones/${bob}`, { online: true });
    assert.equal((await untilShown(installation, bob, 'sent before the restart')).id, early);
    assert.equal((await untilShown(installation, bob, 'sent after the restart')).id, late);
    await untilEvent(
      installation,
      id,
      'message.updated',
      (data: { messageId: string; update: { status?: string } }) =>
        data.messageId === early && data.update.status === 'delivered',
    );
    const { retriesAsked } = await installation.phones.stats();
    assert.ok(Number(retriesAsked) >= 1, 'it had to be asked for');
    await pingPong(2, 'after the loss');
  });

  it('retry receipts: what the service cannot read any more after an old backup, the phone writes again', async () => {
    const copy = `${installation.dataDir}-old`;
    await installation.stop();
    await cp(installation.dataDir, copy, { recursive: true });
    await installation.restart();
    await untilOpen(installation, id);
    await pingPong(3, 'forgotten');
    await installation.stop();
    // The file beside the database stays: by it the old one is noticed.
    await cp(join(installation.dataDir, 'generation.json'), join(copy, 'generation.json'));
    await rm(installation.dataDir, { recursive: true });
    await cp(copy, installation.dataDir, { recursive: true });
    await rm(copy, { recursive: true });
    const { retriesAnswered: earlier } = await installation.phones.stats();
    await write(bob, 'to the old backup');
    await installation.restart();
    await untilOpen(installation, id);
    await heard('to the old backup');
    const { retriesAnswered: now } = await installation.phones.stats();
    assert.ok(Number(now) > Number(earlier));
    await pingPong(2, 'with the backup');
  });

  it('identity change: a reinstalled phone is written to and understood, without a message lost', async () => {
    await act(`/phones/${bob}/reinstall`);
    await send('to the new phone');
    await untilShown(installation, bob, 'to the new phone');
    await write(bob, 'from the new phone');
    await heard('from the new phone');
    // The other way round: the new phone is the first to write.
    await act(`/phones/${bob}/reinstall`);
    await write(bob, 'new again');
    await heard('new again');
    await pingPong(2, 'new again');
  });

  it('device-list changes: a companion that is linked later reads the next message, and one that is gone stops nothing', async () => {
    const companion = new Companion(place);
    try {
      await companion.link((qr) => installation.phones.scan(bob, qr));
      const sent = await send('to all of Bob');
      const got = await companion.received(sent);
      assert.equal(got.message?.conversation ?? got.message?.extendedTextMessage?.text, 'to all of Bob');
      const { linkedDevices } = await installation.phones.get(bob);
      await installation.phones.request('DELETE', `/phones/${bob}/linked-devices/${linkedDevices[0]!.device}`);
      await eventually('the end of the companion', () => companion.closed === 401);
      await send('to Bob alone');
      await untilShown(installation, bob, 'to Bob alone');
    } finally {
      await companion.end();
    }
  });

  it('prekey exhaustion and refill: a service whose prekeys are used up is still reached, and makes new ones', async () => {
    const thief = new Companion(place);
    try {
      await thief.link((qr) => installation.phones.scan(bob, qr));
      const [linked] = (await installation.phones.get(ada)).linkedDevices;
      const { lid } = await installation.phones.get(ada);
      const jid = lid.replace('@', `:${linked!.device}@`);
      const take = async (count: number): Promise<number> => {
        const users = Array.from({ length: count }, () => ({ tag: 'user', attrs: { jid } }));
        const answer: BinaryNode = await thief.socket.query({
          tag: 'iq',
          attrs: { xmlns: 'encrypt', type: 'get', to: '@s.whatsapp.net' },
          content: [{ tag: 'key', attrs: {}, content: users }],
        });
        const bundles = childrenOf(childrenOf(answer)[0]);
        return bundles.filter((bundle) => childrenOf(bundle).some(({ tag }) => tag === 'key')).length;
      };
      assert.equal(await take(1), 1);
      let taken = await take(2_000);
      assert.ok(taken > 700 && taken < 2_000, `${taken} prekeys were there`);
      await installation.phones.add(cyd, 'Cyd');
      await write(cyd, 'with or without a prekey');
      await heard('with or without a prekey');
      taken = await eventually('new prekeys', () => take(1));
      assert.equal(taken, 1);
      await send('and back', cyd);
      await untilShown(installation, cyd, 'and back');
    } finally {
      await thief.end();
    }
  });

  it('nothing is left waiting', async () => {
    await eventually(
      'no stanza waits for anybody',
      async () => Object.keys((await installation.phones.stats()).pending as object).length === 0,
    );
  });
});
