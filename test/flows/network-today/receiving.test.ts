/**
 * The network of 2026, receiving, through the whole service. Old counters, retry requests of days ago and stanzas of unknown kinds are
 * played against the driver (`driver.hostile-receipts`, `driver.placeholders`, `driver.status`), expired media in `network-today.media.test.ts`.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import type { MessageData } from '../../../src/domain/event.ts';
import { Companion, type Place } from '../../sandbox/companion.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilEvent, untilOpen, untilShown } from '../steps.ts';

interface Received {
  readonly message: MessageData;
}
interface Updated {
  readonly messageId: string;
  readonly update: { readonly text?: string; readonly reaction?: string; readonly message?: MessageData };
}

describe('what the network delivers', () => {
  let installation: Installation;
  let id: number;
  const act = (path: string, body: object = {}) => installation.phones.request('POST', path, body);
  const write = async (message: Record<string, unknown>) =>
    (await installation.phones.write(bob, { to: ada, ...message }))[0]!;
  const received = async (messageId: string): Promise<MessageData> => {
    const { data } = await untilEvent(
      installation,
      id,
      'message.received',
      ({ message }: Received) => message.id === messageId,
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the interface says of this type of event
    return (data as Received).message;
  };
  const updated = (matches: (data: Updated) => boolean) => untilEvent(installation, id, 'message.updated', matches);
  const count = async (type: string) =>
    (await eventsOf(installation, id)).filter((event) => event.type === type).length;
  /** Everything before it has been handled, once this has been. */
  const mark = async (text: string) => received(await write({ text }));
  const untilAcknowledged = () =>
    eventually('everything to be acknowledged', async () => {
      const { pending } = await installation.phones.stats();
      return !Object.keys(pending as object).some((jid) => jid.startsWith(ada));
    });

  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
    id = await linkDevice(installation);
    await mark('a session');
  });
  afterEach(() => installation.phones.faults({}));
  after(() => installation[Symbol.asyncDispose]());

  for (const statusAs of ['status', 'message']) {
    it(`status of a contact as <${statusAs}>: acknowledged, and told to nobody`, async () => {
      const earlier = await count('message.received');
      await installation.phones.faults({ statusAs });
      await act(`/phones/${bob}/status`, { text: 'on the beach' });
      await mark(`after <${statusAs}>`);
      await untilAcknowledged();
      assert.equal(await count('message.received'), earlier + 1);
    });
  }

  it('status that cannot be decrypted: acknowledged plainly, and what waits behind it comes', async () => {
    const place = await installation.phones.request<Place>('GET', '');
    await using other = new Companion(place);
    await other.link((qr) => installation.phones.scan(bob, qr));
    const { lid, linkedDevices } = await installation.phones.get(ada);
    await installation.stop();
    const jid = lid.replace('@', `:${linkedDevices[0]!.device}@`);
    const content = [{ tag: 'enc', attrs: { v: '2', type: 'msg' }, content: randomBytes(40) }];
    await other.socket.sendNode({
      tag: 'message',
      attrs: { id: 'GARBLED-STATUS', to: 'status@broadcast', type: 'text' },
      content: [{ tag: 'participants', attrs: {}, content: [{ tag: 'to', attrs: { jid }, content }] }],
    });
    const waiting = async (n: number) => {
      const { pending } = await installation.phones.stats();
      return Object.values(pending as Record<string, number>).some((many) => many >= n);
    };
    await eventually('the status to wait', () => waiting(1));
    const behind = await write({ text: 'behind it' });
    await eventually('both to wait', () => waiting(2));
    await installation.restart();
    await untilOpen(installation, id);
    await received(behind);
    await untilAcknowledged();
    assert.equal((await installation.phones.stats())['retriesAnswered'], 0, 'nobody asks for a status again');
  });

  it('edit, sealed as since May 2026: told as an update, and no message of its own', async () => {
    const messageId = await write({ text: 'firts' });
    await received(messageId);
    const earlier = await count('message.received');
    await act(`/phones/${bob}/messages/${messageId}/edit`, { text: 'first' });
    await updated((data) => data.messageId === messageId && data.update.text === 'first');
    await mark('after the edit');
    assert.equal(await count('message.received'), earlier + 1);
    const { body } = await installation.api.get(`/devices/${id}/messages/${messageId}`);
    assert.equal(body.message.text, 'first');
  });

  it('edit of the own account on its phone, of what was sent by the interface', async () => {
    const sent = await installation.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'by API' });
    const { messageId } = sent.body;
    await untilShown(installation, ada, 'by API');
    await act(`/phones/${ada}/messages/${messageId}/edit`, { text: 'by hand' });
    await updated((data) => data.messageId === messageId && data.update.text === 'by hand');
    await untilShown(installation, bob, 'by hand');
  });

  it('reaction, sealed: told; votes and answers to events: silent, and no messages', async () => {
    const poll = await write({ poll: { question: 'Lunch?', options: ['yes', 'no'] } });
    const party = await write({ event: { name: 'Party' } });
    for (const each of [poll, party]) await received(each);
    const earlier = await count('message.received');
    await act(`/phones/${bob}/messages/${poll}/vote`, { options: ['yes'] });
    await act(`/phones/${bob}/messages/${party}/respond`, { answer: 'going' });
    await act(`/phones/${bob}/messages/${poll}/react`, { emoji: '👍', encrypted: true });
    await updated((data) => data.messageId === poll && data.update.reaction === '👍');
    await mark('after the vote');
    assert.equal(await count('message.received'), earlier + 1);
  });

  it('first message of an advertisement, without content: told at once, asked of a phone that sleeps, merged by id', async () => {
    await installation.phones.behave(ada, { online: false });
    const messageId = await write({ text: 'I saw your advertisement', withheld: 'waiting' });
    const { type, unavailable } = await received(messageId);
    assert.deepEqual([type, unavailable], ['unknown', 'waiting']);
    const earlier = await count('message.received');
    await installation.restart();
    await untilOpen(installation, id);
    await installation.phones.behave(ada, { online: true });
    const { data } = await updated((update) => update.messageId === messageId && update.update.message !== undefined);
    assert.partialDeepStrictEqual(data, {
      update: { message: { id: messageId, type: 'text', text: 'I saw your advertisement', unavailable: null } },
    });

    assert.equal(await count('message.received'), earlier);
  });

  it('view once: told without its content, which is never served', async () => {
    const messageId = await write({ text: 'once', withheld: 'viewOnce' });
    const { type, text, viewOnce, unavailable } = await received(messageId);
    assert.deepEqual([type, text, viewOnce, unavailable], ['unknown', null, true, 'viewOnce']);
    const { status } = await installation.api.get(`/devices/${id}/messages/${messageId}/media`);
    assert.equal(status, 404);
  });

  it('all of it: no connection was lost over it, and nothing is left waiting', async () => {
    await untilAcknowledged();
    const { session } = (await installation.api.get(`/devices/${id}/session`)).body;
    assert.deepEqual([session.state, session.reconnects], ['open', 0]);
  });
});
