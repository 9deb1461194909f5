/** Numbers of Brazil, Mexico and Argentina have two spellings: whichever a caller gives, it is the person (docs/spec/messages.md, Recipient). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { interestOf, isWanted } from '../../src/domain/webhooks/interest.ts';
import type { Webhook } from '../../src/domain/webhooks/webhook.ts';
import type { DeviceEvent } from '../../src/domain/event.ts';
import { eventually } from '../support/wait.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import type { SandboxPhone } from '../support/phones.ts';
import { ada, linkDevice, untilEvent, untilShown } from '../flows/steps.ts';

/** As the network has it, and as people write it. */
const people = {
  Brazil: ['551187654321', '5511987654321'],
  Mexico: ['5215512345678', '525512345678'],
  Argentina: ['5491123456789', '541123456789'],
} as const;

const [bea, asWritten] = people.Brazil;

describe('a number in its other spelling', () => {
  let installation: Installation;
  let id: number;
  let group: string;
  const phones = new Map<string, SandboxPhone>();
  const call = (method: string, path: string, body?: unknown) =>
    installation.api.call(method, `/devices/${id}${path}`, body);
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  before(async () => {
    installation = await startInstallation();
    await installation.phones.faults({ addressing: 'strict' });
    phones.set(ada, await installation.phones.add(ada, 'Ada'));
    for (const [country, [number]] of Object.entries(people))
      phones.set(number, await installation.phones.add(number, country));
    const body = { subject: 'Friends', owner: bea, participants: [ada, people.Mexico[0]] };
    group = (await installation.phones.request<{ jid: string }>('POST', '/groups', body)).jid;
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('is blocked and named, also where nobody has written to it', async () => {
    const [registered, written] = people.Mexico;
    const { contact } = await done('PUT', `/contacts/${written}`, { name: 'Mia', blocked: true });
    assert.partialDeepStrictEqual(contact, { number: registered, name: 'Mia', blocked: true });
    const { contact: unblocked } = await done('PUT', `/contacts/${written}`, { blocked: false });
    assert.partialDeepStrictEqual(unblocked, { number: registered, name: 'Mia', blocked: false });
    assert.equal((await done('GET', '/contacts?q=Mia')).contacts.length, 1);
  });

  for (const [country, [registered, written]] of Object.entries(people))
    it(`${country}: finds the chat, the contact, its messages and its sender`, async () => {
      const text = `hello from ${country}`;
      const [messageId] = await installation.phones.write(registered, { to: ada, text });
      await untilEvent(
        installation,
        id,
        'message.received',
        (data: { message: { text: string } }) => data.message.text === text,
      );
      const { jid } = phones.get(registered)!;
      for (const given of [written, `${written}@s.whatsapp.net`, registered]) {
        assert.equal((await done('GET', `/chats/${given}`)).chat.chat, jid);
        assert.equal((await done('GET', `/contacts/${given}`)).contact.jid, jid);
        for (const query of [`chat=${given}`, `from=${given}`])
          assert.deepEqual(
            (await done('GET', `/messages?${query}`)).messages.map((message: { text: string }) => message.text),
            [text],
          );
        assert.equal((await done('GET', `/messages/${messageId}?chat=${given}`)).message.text, text);
      }
      for (const list of ['chats', 'contacts'])
        assert.equal((await done('GET', `/${list}?q=${written}`))[list].length, 1, list);
      assert.deepEqual((await done('POST', `/chats/${written}/read`, {})).messageIds, [messageId]);
      await done('PUT', `/chats/${written}`, { archived: true });
      assert.equal((await done('GET', `/chats/${registered}`)).chat.archived, true);
    });

  it('is followed: who writes there is told', async () => {
    await done('PUT', '/settings', { online: true, presence: [asWritten] });
    const typing = () => installation.phones.request('POST', `/phones/${bea}/typing`, { to: ada, state: 'text' });
    const told = async () =>
      (await call('GET', '/events?types=chat.presence')).body.events.find(
        ({ data }: { data: { person: { number: string }; state: string } }) =>
          data.person.number === bea && data.state === 'text',
      );
    await eventually('the presence', async () => {
      await typing();
      return told();
    });
  });

  it('is notified by a mention', async () => {
    const message = `look, @${asWritten}`;
    await done('POST', '/messages/text', { to: group, message, mentions: [asWritten] });
    const { lid } = phones.get(bea)!;
    const shown = await untilShown(installation, bea, `look, @${lid.split('@')[0]}`);
    assert.deepEqual((shown as unknown as { mentions: string[] }).mentions, [phones.get(bea)!.jid]);
    const logged = (await done('GET', `/messages/${shown.id}`)).message;
    assert.deepEqual([logged.text, logged.mentions[0].number], [`look, @${bea}`, bea]);
  });

  it('is taken off the list of suppressions', async () => {
    const { api } = installation;
    await api.post('/suppressions', { number: asWritten });
    await api.post('/suppressions', { number: bea, reason: 'asked for it' });
    const { suppressions } = (await api.get('/suppressions')).body;
    assert.deepEqual(
      suppressions.map(({ number, reason }: { number: string; reason: string }) => [number, reason]),
      [[asWritten, 'asked for it']],
    );
    assert.equal((await call('POST', '/messages/text', { toNumber: bea, message: 'no' })).status, 403);
    assert.equal((await api.call('DELETE', `/suppressions/${bea}`)).status, 200);
    assert.equal((await call('POST', '/messages/text', { toNumber: asWritten, message: 'yes' })).status, 200);
  });

  it('is looked up beside others, in whichever spelling the network answers', async () => {
    // No rule of ours knows these two for one.
    await installation.phones.add('5511923456789', 'Caio');
    const numbers = ['551123456789', asWritten, ada, '4915550009999'];
    const { contacts } = await done('GET', `/contacts/lookup?numbers=${numbers.join(',')}`);
    assert.deepEqual(
      contacts.map(({ number, jid }: { number: string; jid: string | null }) => [number, jid?.split('@')[0] ?? null]),
      [
        ['551123456789', '5511923456789'],
        [asWritten, bea],
        [ada, ada],
        ['4915550009999', null],
      ],
    );
  });

  it('pairs the own account by a code', async () => {
    const { device, pairingCode } = (await installation.api.post('/devices', { phoneNumber: asWritten })).body;
    assert.match(pairingCode, /^[A-Z0-9]{8}$/);
    await installation.phones.enterCode(bea, pairingCode);
    await eventually(
      'the session',
      async () => (await installation.api.get(`/devices/${device.id}/session`)).body.session.phoneNumber === bea,
    );
  });
});

describe('chats of a webhook', () => {
  const event = (number: string): DeviceEvent =>
    ({
      type: 'message.received',
      data: { message: { chat: `${number}@s.whatsapp.net`, chatNumber: number, chatLid: '1@lid' } },
    }) as unknown as DeviceEvent;
  const webhook = (chats: object): Webhook =>
    ({ id: 1, deviceId: null, events: ['message.received'], chats, ordered: true, settleSeconds: null }) as never;

  for (const [country, [registered, written]] of Object.entries(people))
    it(`${country}: fire in either spelling of the number`, () => {
      const list = [`${written}@s.whatsapp.net`];
      assert.equal(isWanted(interestOf(webhook({ only: list })), 1, event(registered)), true);
      assert.equal(isWanted(interestOf(webhook({ except: list })), 1, event(registered)), false);
      assert.equal(isWanted(interestOf(webhook({ only: list })), 1, event(ada)), false);
    });
});
