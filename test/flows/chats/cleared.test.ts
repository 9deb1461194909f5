/** Chats that are cleared and deleted: on the phone, by stock Baileys as another device of the account, and by the API. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Companion, type Place } from '../../sandbox/companion.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, callsOf, type Rig, startRig } from '../say/rig.ts';
import { eventsOf } from '../steps.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('chats that are cleared', () => {
  let rig: Rig;
  const { done, refused } = callsOf(() => rig);
  const phone = (method: string, path: string, body?: unknown) =>
    rig.installation.phones.request(method, `/phones/${ada}${path}`, body);
  const idsIn = async (chat: string): Promise<readonly string[]> =>
    (await done('GET', `/messages?chat=${chat}`)).messages.map(({ id }: { id: string }) => id);
  const untilIds = (chat: string, ids: readonly string[]) =>
    eventually('the messages that are left', async () => (await idsIn(chat)).join() === ids.join());
  const told = async (type: string) =>
    (await eventsOf(rig.installation, rig.id)).filter((event) => event.type === type);
  const toldOf = (type: string, count: number) =>
    eventually(`${count} times ${type}`, async () => {
      const { events } = await done('GET', `/events?types=${type}&limit=100`);
      return events.length >= count && events;
    });

  before(async () => {
    rig = await startRig();
  });
  after(() => rig[Symbol.asyncDispose]());

  it('on the phone: gone here, told once, and what comes later stays', async () => {
    const first = await rig.fromBob(rig.jids.ada, { text: 'one' });
    await rig.send('media', { toNumber: bob, mediaBase64: png });
    await rig.until(ada, first, () => true);
    await phone('POST', `/chats/${bob}/clear`, {});
    await untilIds(bob, []);
    const { chat } = await done('GET', `/chats/${bob}`);
    assert.deepEqual([chat.lastMessage, chat.unread], [null, 0]);
    const [event] = await toldOf('chat.cleared', 1);
    assert.partialDeepStrictEqual(event.data, { chat: rig.jids.bob, chatNumber: bob, starredKept: false });
    assert.ok(Date.parse(event.data.until) <= Date.now() + 1_000);
    const { status } = (await rig.call('GET', `/${first}`)).body;
    assert.equal(status.code, 404);
    const later = await rig.fromBob(rig.jids.ada, { text: 'two' });
    await untilIds(bob, [later]);
    assert.equal((await told('chat.deleted')).length, 0);
  });

  it('messages with a star stay where they are to stay', async () => {
    const kept = await rig.fromBob(rig.jids.ada, { text: 'kept' });
    await rig.fromBob(rig.jids.ada, { text: 'not kept' });
    await done('PUT', `/messages/${kept}/star`, { starred: true });
    await rig.until(ada, kept, ({ starred }) => starred === true);
    await done('DELETE', `/chats/${bob}?keepStarred=true`);
    await untilIds(bob, [kept]);
    const events = await toldOf('chat.cleared', 2);
    assert.equal(
      events.some(({ data }: { data: { starredKept: boolean } }) => data.starredKept),
      true,
    );
    assert.equal((await rig.shown(ada, kept))['deletedForMe'], undefined);
  });

  it('by the API: the phone clears it, the other side keeps its messages', async () => {
    const id = await rig.send('text', { toNumber: bob, message: 'between us' });
    await rig.shown(ada, id);
    const { chat, status } = await done('DELETE', `/chats/${encodeURIComponent(rig.jids.bob)}`);
    assert.deepEqual([chat.lastMessage, status.message], [null, 'Chat cleared']);
    await rig.until(ada, id, (shown) => shown['deletedForMe'] === true);
    assert.equal((await rig.shown(bob, id))['text'], 'between us');
    assert.deepEqual(await refused('DELETE', '/chats/4915559999999'), [404, 'Chat not found']);
    assert.deepEqual(await refused('DELETE', `/chats/${bob}?keepStarred=1`), [
      400,
      'keepStarred must be true or false',
    ]);
  });

  it('deleted on the phone, in a group and with a person: gone from the list until somebody writes', async () => {
    await rig.fromBob(rig.group, { text: 'hello, all' });
    await rig.fromBob(rig.jids.ada, { text: 'hello' });
    for (const chat of [rig.group, bob]) {
      await phone('DELETE', `/chats/${chat}`);
      await eventually('it is gone', async () => (await refused('GET', `/chats/${chat}`))[0] === 404);
    }
    const events = await toldOf('chat.deleted', 2);
    assert.deepEqual(
      new Set(events.map(({ data }: { data: { chat: string } }) => data.chat)),
      new Set([rig.group, rig.jids.bob]),
    );
    const id = await rig.fromBob(rig.group, { text: 'again' });
    assert.equal((await done('GET', `/chats/${rig.group}`)).chat.lastMessage.id, id);
  });

  it('by stock Baileys as another device of the account; and stock sees that it is deleted on the phone', async () => {
    const { phones } = rig.installation;
    await using other = new Companion(await phones.request<Place>('GET', '/'));
    await other.link((qr) => phones.scan(ada, qr));
    const id = await rig.fromBob(rig.jids.ada, { text: 'for two devices' });
    const message = await other.received(id);
    const lastMessages = [{ key: message.key, messageTimestamp: message.messageTimestamp! }];
    await eventually('stock has the keys', async () => {
      await other.socket.chatModify({ clear: true, lastMessages }, rig.jids.bob);
      return true;
    });
    await untilIds(bob, []);
    const deleted: string[] = [];
    other.socket.ev.on('chats.delete', (chats) => deleted.push(...chats));
    await rig.fromBob(rig.jids.ada, { text: 'last' });
    await phone('DELETE', `/chats/${bob}`);
    await eventually('stock deletes it', () => deleted.includes(rig.jids.bob));
    await eventually('it is gone', async () => (await refused('GET', `/chats/${bob}`))[0] === 404);
  });
});
