/** Messages of every kind from a real phone, through the HTTP interface: what is said, who reacted, voted and read. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import type { Person } from '../../src/domain/messages/parts.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import type { SandboxPhone } from '../support/phones.ts';
import { eventually } from '../support/wait.ts';
import { ada, bob, linkDevice, untilEvent } from './steps.ts';

const cyd = '4915550003333';

interface Told {
  readonly messageId: string;
  readonly message: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly update: Readonly<Record<string, unknown>>;
}

describe('kinds of messages', () => {
  let installation: Installation;
  let id: number;
  let bobsPhone: SandboxPhone;
  let cydsPhone: SandboxPhone;
  let group: string;
  const act = <T>(path: string, body: object = {}) => installation.phones.request<T>('POST', path, body);
  const write = async (more: object, to = ada): Promise<string> =>
    (await installation.phones.write(bob, { to, ...more }))[0]!;
  const received = async (more: object): Promise<Told['message']> => {
    const messageId = await write(more);
    const event = await untilEvent(installation, id, 'message.received', (data: Told) => data.message.id === messageId);
    return (event.data as Told).message;
  };
  const updated = (messageId: string, member: string) =>
    untilEvent(
      installation,
      id,
      'message.updated',
      (data: Told) => data.messageId === messageId && member in data.update,
    );
  const get = async (path: string) => (await installation.api.get(`/devices/${id}/messages/${path}`)).body;
  const personOf = ({ number, jid, lid }: SandboxPhone) => ({ jid, number, lid, username: null });

  before(async () => {
    installation = await startInstallation();
    await installation.phones.add(ada, 'Ada');
    bobsPhone = await installation.phones.add(bob, 'Bob');
    cydsPhone = await installation.phones.add(cyd, 'Cyd');
    group = (await act<{ jid: string }>('/groups', { subject: 'Friends', owner: bob, participants: [ada, cyd] })).jid;
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('a place, contacts, an event, a link and what is around a text are read in full', async () => {
    const location = { latitude: 52.5, longitude: 13.4, name: 'Office', address: 'Berlin', live: false };
    assert.partialDeepStrictEqual(await received({ location }), { type: 'location', location });
    const contacts = [
      { name: 'Cyd', numbers: [cyd] },
      { name: 'Dan', numbers: ['4915550004444'], organization: 'Handset' },
    ];
    assert.partialDeepStrictEqual(await received({ contacts }), { type: 'contact', contacts });
    const event = { name: 'Party', description: 'Bring cake', startsAt: '2027-01-01T20:00:00.000Z', canceled: false };
    assert.partialDeepStrictEqual(await received({ event: { ...event, place: 'Garden' } }), {
      type: 'event',
      event: { ...event, place: { name: 'Garden' } },
    });
    const link = { url: 'https://example.com', title: 'Example', description: 'A domain' };
    assert.partialDeepStrictEqual(await received({ text: 'see https://example.com', link }), { type: 'text', link });
    const first = await received({ text: 'first' });
    const referral = { sourceType: 'ad', sourceId: '120', title: 'Sale', clickId: 'Ab' };
    const around = { mentions: [cyd], forwarded: 127, expiresInSeconds: 86_400, referral, quotedMessageId: first.id };
    assert.partialDeepStrictEqual(await received({ text: `hi @${cyd}`, ...around }), {
      mentions: [{ lid: cydsPhone.lid }],
      forwarded: { times: 127 },
      expiresInSeconds: 86_400,
      referral,
      quoted: { id: first.id, from: personOf(bobsPhone), type: 'text', text: 'first' },
    });
  });

  it('invitations, selections, orders, payments, calls and lines of the app have types of their own', async () => {
    const groupInvite = { group, subject: 'Friends', code: 'AbCd', expiresAt: '2027-01-01T00:00:00.000Z' };
    const written: readonly (readonly [string, object, object])[] = [
      ['groupInvite', { groupInvite }, { groupInvite }],
      ['text', { selection: { id: 'b1', text: 'Yes' } }, { selection: { id: 'b1', text: 'Yes' }, text: 'Yes' }],
      ['product', { product: { id: 'p1', title: 'Cake' } }, { text: 'Cake' }],
      ['order', { order: { id: 'o1', title: 'Cakes', items: 2 } }, { text: 'Cakes' }],
      ['payment', { payment: { amount: 5, currency: 'EUR' }, caption: 'rent' }, { text: 'rent' }],
      ['callLog', { callLog: { outcome: 'missed' } }, {}],
      ['system', { system: 'requestPhoneNumber' }, {}],
      ['unknown', { message: { placeholderMessage: {} } }, {}],
    ];
    for (const [type, body, members] of written)
      assert.partialDeepStrictEqual(await received(body), { type, ...members }, type);
  });

  it('a voice message has its length and waveform; what is to be viewed once is not served', async () => {
    const audioBase64 = Buffer.from('OggS').toString('base64');
    const voice = { type: 'voice', audioBase64, seconds: 7, waveform: [0, 50, 100] };
    assert.partialDeepStrictEqual(await received(voice), {
      type: 'audio',
      media: { voice: true, seconds: 7, waveform: [0, 50, 100] },
    });
    const picture = await sharp({ create: { width: 8, height: 6, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const once = await received({ imageBase64: picture.toString('base64'), viewOnce: true });
    assert.equal(once['viewOnce'], true);
    const answer = await installation.api.get(`/devices/${id}/messages/${once.id}/media`);
    assert.deepEqual(
      [answer.status, answer.body.status.message],
      [404, 'The media of a view-once message is not served'],
    );
  });

  it('votes on a poll are told and counted: a vote replaces the earlier one', async () => {
    const poll = { question: 'Lunch?', options: ['yes', 'no', 'later'], maxAnswers: 2 };
    const messageId = await write({ poll }, group);
    await untilEvent(installation, id, 'message.received', (data: Told) => data.message.id === messageId);
    await eventually('the poll on the phone of Cyd', async () =>
      (await installation.phones.messages(cyd)).find((message) => message.id === messageId),
    );
    const vote = (number: string, options: readonly string[]) =>
      act(`/phones/${number}/messages/${messageId}/vote`, { options });
    await vote(bob, ['yes']);
    await vote(cyd, ['no', 'later']);
    await vote(bob, ['later']);
    const tally = await eventually('all votes', async () => {
      const { poll: found } = await get(`${messageId}/poll`);
      return found.options[2].votes === 2 && found;
    });
    const [bobs, cyds] = [personOf(bobsPhone), personOf(cydsPhone)];
    // The network tells whole seconds: who voted in the same one comes in no particular order.
    for (const { voters } of tally.options) voters.sort((a: Person, b: Person) => a.jid.localeCompare(b.jid));
    assert.deepEqual(tally, {
      question: 'Lunch?',
      maxAnswers: 2,
      options: [
        { option: 'yes', votes: 0, voters: [] },
        { option: 'no', votes: 1, voters: [cyds] },
        { option: 'later', votes: 2, voters: [bobs, cyds] },
      ],
      voters: 2,
    });
    const event = await updated(messageId, 'votes');
    assert.deepEqual((event.data as Told).update, { votes: [{ option: 'yes' }], from: bobs });
  });

  it('reactions and edits are in the log', async () => {
    const { id: messageId } = await received({ text: 'first' });
    for (const emoji of ['👍', '🎉']) await act(`/phones/${bob}/messages/${messageId}/react`, { emoji });
    await act(`/phones/${bob}/messages/${messageId}/edit`, { text: 'second' });
    await updated(messageId, 'text');
    const { message } = await get(messageId);
    assert.equal(message.text, 'second');
    assert.ok(Date.parse(message.editedAt) > 0);
    assert.deepEqual(
      message.reactions.map(({ from, reaction }: { from: unknown; reaction: string }) => [from, reaction]),
      [[personOf(bobsPhone), '🎉']],
    );
    const { messages } = (await installation.api.get(`/devices/${id}/messages?limit=5`)).body;
    assert.deepEqual(messages.find((each: { id: string }) => each.id === messageId).reactions, message.reactions);
  });

  it('the receipts of a message to a group are there by person, those of one to a person too', async () => {
    const sendTo = async (to: object): Promise<string> =>
      (await installation.api.post(`/devices/${id}/messages/text`, { ...to, message: 'hello' })).body.messageId;
    const [toGroup, toBob] = [await sendTo({ to: group }), await sendTo({ toNumber: bob })];
    for (const [number, messageId] of [
      [bob, toGroup],
      [bob, toBob],
      [cyd, toGroup],
    ] as const) {
      const shown = await eventually('the message on the phone', async () =>
        (await installation.phones.messages(number)).find((message) => message.id === messageId),
      );
      if (number === bob) await act(`/phones/${bob}/messages/${shown.id}/read`);
    }
    const receiptsOf = async (messageId: string, count: number) =>
      eventually('the receipts', async () => {
        const { receipts } = await get(`${messageId}/receipts`);
        const isRead = receipts.some(({ readAt }: { readAt: unknown }) => readAt !== null);
        return receipts.length === count && isRead && receipts;
      });
    const inGroup = await receiptsOf(toGroup, 2);
    const ofPerson = (jid: string) =>
      inGroup.find((receipt: { person: { jid: string } }) => receipt.person.jid === jid);
    assert.deepEqual(
      [bobsPhone, cydsPhone].map(({ jid }) => [ofPerson(jid).deliveredAt !== null, ofPerson(jid).readAt !== null]),
      [
        [true, true],
        [true, false],
      ],
    );
    const [bobs] = await receiptsOf(toBob, 1);
    assert.deepEqual(bobs.person, personOf(bobsPhone));
    const none = await installation.api.get(`/devices/${id}/messages/NONE/receipts`);
    assert.deepEqual([none.status, none.body.status.message], [404, 'Message not found']);
    const noPoll = await installation.api.get(`/devices/${id}/messages/${toBob}/poll`);
    assert.deepEqual([noPoll.status, noPoll.body.status.message], [404, 'Poll not found']);
  });
});
