/** Older messages: on demand and after a pairing, into the log and never as received (docs/spec/conversation.md, History). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answerMs } from '../../../src/whatsapp/chats/history/requests.ts';
import { shiftedClock } from '../../support/clock.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilEvent, untilOpen } from '../steps.ts';

const cyd = '4915550003333';
const clock = shiftedClock();

interface Loaded {
  readonly chat: string | null;
  readonly count: number;
  readonly more: boolean | null;
}

describe('history', () => {
  let installation: Installation;
  const write = (from: string, to: string, text: string, count: number) =>
    installation.phones.write(from, { to, text, count });
  const log = async (id: number) =>
    (await installation.api.get(`/devices/${id}/messages?limit=1000`)).body.messages as {
      readonly id: string;
      readonly text: string;
      readonly historic: boolean;
      readonly state: string;
    }[];
  const loaded = async (id: number): Promise<readonly Loaded[]> =>
    (await installation.api.get(`/devices/${id}/events?types=history.loaded`)).body.events.map(
      ({ data }: { data: Loaded }) => data,
    );
  const untilLoaded = (id: number, times: number) =>
    eventually(`history is loaded ${times} times`, async () => {
      const all = await loaded(id);
      return all.length >= times && all.at(-1);
    });
  const ask = (id: number, chat: string, body: unknown) =>
    installation.api.post(`/devices/${id}/chats/${chat}/history`, body);

  before(async () => {
    installation = await startInstallation({}, undefined, clock);
    await addPhones(installation);
    await write(bob, ada, 'old {n}', 30);
    await write(ada, bob, 'answer {n}', 10);
    await installation.phones.add(cyd, 'Cyd');
    await write(cyd, ada, 'burst {n}', 12);
  });
  after(() => installation[Symbol.asyncDispose]());

  let id: number;

  it('comes on demand, marked as historic, and makes no message.received', async () => {
    id = await linkDevice(installation);
    await write(bob, ada, 'new', 1);
    await untilEvent(installation, id, 'message.received');
    assert.equal((await log(id)).length, 1);
    const answer = await ask(id, bob, { count: 25 });
    assert.deepEqual([answer.status, answer.body.status.code], [202, 202]);
    const { jid } = await installation.phones.get(bob);
    assert.deepEqual(await untilLoaded(id, 1), { chat: jid, count: 25, more: true });
    const messages = await log(id);
    assert.equal(messages.filter(({ historic }) => historic).length, 25);
    assert.ok(messages.some(({ text }) => text.startsWith('answer')));
    assert.equal((await eventsOf(installation, id)).filter(({ type }) => type === 'message.received').length, 1);
    await ask(id, bob, { count: 500 });
    assert.deepEqual(await untilLoaded(id, 2), { chat: jid, count: 15, more: false });
    assert.equal((await log(id)).length, 41);
    // Old messages are not marked as read once more.
    const { messageIds } = (await installation.api.post(`/devices/${id}/chats/${bob}/read`)).body;
    assert.equal(messageIds.length, 1);
  });

  it('while the phone is off nothing comes, which the event says, also after a restart', async () => {
    await installation.phones.behave(ada, { online: false });
    assert.equal((await ask(id, bob, { count: 10 })).status, 202);
    // The minute for which a phone is waited for is over while the service is off.
    await installation.stop();
    clock.ahead(answerMs);
    await installation.restart();
    const { jid } = await installation.phones.get(bob);
    assert.deepEqual(await untilLoaded(id, 3), { chat: jid, count: 0, more: null });
    await installation.phones.behave(ada, { online: true });
    // It answers when it is back: there is nothing older.
    await untilLoaded(id, 4);
  });

  it('is read to its beginning a few messages at a time, although they are of one second', async () => {
    await write(cyd, ada, 'later', 1);
    const texts = async () => (await log(id)).map(({ text }) => text).filter((text) => /later|burst/.test(text));
    await eventually('the first one', async () => (await texts()).length === 1);
    const { length } = await loaded(id);
    for (const [index, count] of [5, 5, 2].entries()) {
      await ask(id, cyd, { count: 5 });
      const { count: came, more } = await untilLoaded(id, length + index + 1);
      assert.deepEqual([came, more], [count, index < 2]);
    }
    assert.equal((await texts()).length, 13);
  });

  it('refuses in words what cannot be asked for', async () => {
    const words = async (chat: string, body: unknown) => {
      const answer = await ask(id, chat, body);
      return [answer.status, answer.body.status.message];
    };
    assert.deepEqual(await words('4915550009999', { count: 1 }), [404, 'Chat not found']);
    for (const count of [0, 501, 'all', undefined])
      assert.equal((await ask(id, bob, { count })).status, 400, String(count));
    assert.equal((await ask(999_999, bob, { count: 1 })).status, 404);
  });

  it('comes after a pairing where the settings say so', async () => {
    await installation.api.post(`/devices/${id}/disconnect`);
    const other = (await installation.api.post('/devices')).body.device;
    await installation.api.put(`/devices/${other.id}/settings`, { history: 'recent' });
    const { body } = await installation.api.get(`/devices/${other.id}`);
    await installation.phones.scan(ada, body.device.qr);
    await untilOpen(installation, other.id);
    await eventually('the history', async () =>
      (await loaded(other.id)).some(({ chat, count }) => chat === null && count > 20),
    );
    const messages = await log(other.id);
    assert.ok(messages.length > 20 && messages.every(({ historic }) => historic));
    assert.ok((await eventsOf(installation, other.id)).every(({ type }) => type !== 'message.received'));
  });
});
