/** Typing, read marks, presence and calls: on phones, for stock Baileys, in the log and in the events (docs/spec/conversation.md). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../support/wait.ts';
import { ada, bob, cyd, callsOf, type Rig, startRig } from '../say/rig.ts';
import { eventsOf, untilOpen } from '../steps.ts';

interface Seen {
  readonly chat: string;
  readonly from: string;
  readonly state: string;
  readonly lastSeenAt: string | null;
}

describe('the acts of a conversation', () => {
  let rig: Rig;
  /** Presence that stock Baileys, Bob's companion, has seen. */
  const atBobs: string[] = [];
  const { done, refused } = callsOf(() => rig);
  const phone = <T>(method: string, path: string, body?: unknown) =>
    rig.installation.phones.request<T>(method, `/phones${path}`, body);
  const seenBy = async (number: string): Promise<readonly Seen[]> =>
    (await phone<{ presence: { seen: Seen[] } }>('GET', `/${number}/presence`)).presence.seen;
  const settings = (body: object) => done('PUT', '/settings', body);
  const presences = async () =>
    (await rig.installation.api.get(`/devices/${rig.id}/events?types=chat.presence&limit=1000`)).body.events.map(
      ({ data }: { data: unknown }) => data,
    );

  before(async () => {
    rig = await startRig();
    rig.companion.socket.ev.on('presence.update', ({ presences: told }) => {
      for (const { lastKnownPresence } of Object.values(told)) atBobs.push(lastKnownPresence);
    });
    await rig.fromBob(rig.jids.ada, { text: 'hello' });
    await rig.fromBob(rig.group, { text: 'hello, all' });
  });
  after(() => rig[Symbol.asyncDispose]());

  it('typing shows at the other side, ends by itself, and ends with a send', async () => {
    const chat = `/chats/${bob}/typing`;
    const states = async () =>
      (await seenBy(bob)).filter(({ chat: at }) => at === rig.jids.ada).map(({ state }) => state);
    const { typing } = await done('PUT', chat, { state: 'text', seconds: 1 });
    assert.equal(typing.state, 'text');
    await eventually('the end', async () => (await states()).join() === 'text,none');
    await done('PUT', `/chats/${encodeURIComponent(rig.jids.bob)}/typing`, { state: 'voice' });
    await rig.send('text', { toNumber: bob, message: 'done' });
    await eventually('the end at the send', async () => (await states()).join() === 'text,none,voice,none');
    await done('PUT', chat, { state: 'text' });
    await done('PUT', chat, { state: 'none' });
    await eventually('the end at will', async () => (await states()).slice(4).join() === 'text,none');
    await eventually('stock Baileys saw it', () => atBobs.includes('composing') && atBobs.includes('recording'));
    await done('PUT', `/chats/${rig.group}/typing`, { state: 'text' });
    await eventually('typing in the group', async () =>
      (await seenBy(cyd)).some((one) => one.chat === rig.group && one.from === rig.jids.ada && one.state === 'text'),
    );
  });

  it('reading tells the writer and the own phone, and only once', async () => {
    const first = await rig.fromBob(rig.jids.ada, { text: 'one' });
    const second = await rig.fromBob(rig.jids.ada, { text: 'two' });
    const { messageIds } = await done('POST', `/chats/${bob}/read`, { messageIds: [first] });
    assert.deepEqual(messageIds, [first]);
    await rig.until(bob, first, ({ state }) => state === 'read');
    await rig.until(ada, first, ({ state }) => state === 'read');
    assert.notEqual((await rig.logged(first)).readAt, null);
    const others = await done('POST', `/chats/${bob}/read`, { typing: 'voice' });
    assert.ok(others.messageIds.includes(second) && !others.messageIds.includes(first));
    await rig.until(bob, second, ({ state }) => state === 'read');
    await eventually('typing', async () => (await seenBy(bob)).at(-1)?.state === 'voice');
    await done('PUT', `/chats/${bob}`, { unread: true });
    assert.deepEqual((await done('POST', `/chats/${bob}/read`)).messageIds, []);
    assert.equal((await done('GET', `/chats/${bob}`)).chat.unread, 0);
    await eventually('the mark is gone from the phone', async () => {
      const { chat } = await phone<{ chat: { markedUnread: boolean } }>('GET', `/${ada}/chats/${bob}`);
      return !chat.markedUnread;
    });
    await done('PUT', `/chats/${bob}`, { unread: true });
    await phone('POST', `/${ada}/messages/${second}/read`, {});
    await eventually('it is read on the phone and here', async () => {
      const { chat } = await phone<{ chat: { markedUnread: boolean } }>('GET', `/${ada}/chats/${bob}`);
      return !chat.markedUnread && (await done('GET', `/chats/${bob}`)).chat.unread === 0;
    });
    const inGroup = await rig.fromBob(rig.group, { text: 'all' });
    await done('POST', `/chats/${rig.group}/read`);
    await rig.until(bob, inGroup, ({ state }) => state === 'read');
  });

  it('without read receipts the own phone alone learns it', async () => {
    await settings({ readReceipts: false });
    const id = await rig.fromBob(rig.jids.ada, { text: 'secretly read' });
    await done('POST', `/chats/${bob}/read`);
    await rig.until(ada, id, ({ state }) => state === 'read');
    await settings({ readReceipts: true });
    const next = await rig.fromBob(rig.jids.ada, { text: 'openly read' });
    await done('POST', `/chats/${bob}/read`);
    await rig.until(bob, next, ({ state }) => state === 'read');
    assert.notEqual((await rig.shown(bob, id)).state, 'read');
  });

  it('the presence of the chats in the settings is followed, also after a new login, and of no other', async () => {
    await phone('PUT', `/${bob}/presence`, { available: true });
    await settings({ presence: [bob] });
    const person = { jid: rig.jids.bob, number: bob };
    const until = (state: string, count: number) =>
      eventually(`${count} times ${state}`, async () => {
        const all = (await presences()) as Seen[];
        return all.filter((each) => each.state === state).length >= count;
      });
    await until('online', 1);
    await phone('POST', `/${bob}/typing`, { to: ada, state: 'text' });
    await phone('POST', `/${bob}/typing`, { to: ada, state: 'text' });
    await phone('POST', `/${cyd}/typing`, { to: ada, state: 'text' });
    await phone('POST', `/${bob}/typing`, { to: ada, state: 'voice' });
    await phone('PUT', `/${bob}/presence`, { available: false });
    await until('offline', 1);
    const told = (await presences()) as (Seen & { person: { jid: string; number: string } })[];
    assert.deepEqual(
      told.map(({ state }) => state),
      ['online', 'text', 'voice', 'offline'],
    );
    for (const one of told) assert.partialDeepStrictEqual(one, { chat: rig.jids.bob, person });
    assert.notEqual(told.at(-1)!.lastSeenAt, null);
    await rig.installation.api.post(`/devices/${rig.id}/restart`);
    await untilOpen(rig.installation, rig.id);
    await phone('PUT', `/${bob}/presence`, { available: true });
    await until('online', 2);
    // Kinds that no webhook gets are left out of the log unless asked for.
    assert.ok((await eventsOf(rig.installation, rig.id)).every(({ type }) => type !== 'chat.presence'));
  });

  const ring = async (from = bob): Promise<string> =>
    (await phone<{ callId: string }>('POST', `/${from}/call`, { to: ada })).callId;
  const callState = async (id: string, number = bob): Promise<string | undefined> =>
    (await phone<{ calls: { id: string; state: string }[] }>('GET', `/${number}/calls`)).calls.find(
      (each) => each.id === id,
    )?.state;
  const untilRejected = (id: string, number = bob) =>
    eventually('the rejection', async () => (await callState(id, number)) === 'reject');

  it('rejects a call by its id, once', async () => {
    const id = await ring();
    await rig.told('call', ({ callId, status }) => callId === id && status === 'offer');
    await done('POST', `/calls/${id}/reject`);
    await untilRejected(id);
    await rig.told('call', ({ callId, status }) => callId === id && status === 'reject');
    assert.deepEqual(await refused('POST', `/calls/${id}/reject`), [400, 'The call was rejected already']);
    const gone = await ring();
    await rig.told('call', ({ callId, status }) => callId === gone && status === 'offer');
    await rig.installation.phones.request('DELETE', `/calls/${gone}?reason=timeout`);
    await rig.told('call', ({ callId, status }) => callId === gone && status === 'timeout');
    assert.deepEqual(await refused('POST', `/calls/${gone}/reject`), [400, 'The call has ended: nobody answered']);
    assert.deepEqual(await refused('POST', '/calls/NONE/reject'), [404, 'Call not found']);
  });

  it('rejects all calls where the settings say so, with one answer in words for each, also over a restart', async () => {
    await settings({ rejectCalls: 'Please write.' });
    const answers = async (number: string) =>
      (await rig.installation.phones.messages(number)).filter(({ text }) => text === 'Please write.').length;
    const id = await ring();
    await untilRejected(id);
    await eventually('the answer', async () => (await answers(bob)) === 1);
    await rig.installation.stop();
    const late = await ring(cyd);
    await rig.installation.restart();
    await untilRejected(late, cyd);
    await eventually('the answer after the restart', async () => (await answers(cyd)) === 1);
    await rig.installation.restart();
    await untilOpen(rig.installation, rig.id);
    await settings({ rejectCalls: true });
    const silent = await ring();
    await untilRejected(silent);
    await settings({ rejectCalls: false });
    assert.deepEqual([await answers(bob), await answers(cyd)], [1, 1]);
  });

  it('refuses in words what is wrong; nothing leaves', async () => {
    const seen = (await seenBy(bob)).length;
    const sent = await rig.send('text', { toNumber: bob, message: 'mine' });
    const chat =
      'chat must be the digits of a phone number, or a JID: <digits>@s.whatsapp.net, <digits>@lid or <id>@g.us';
    const seconds = 'seconds must be a whole number from 1 to 25';
    const cases: readonly (readonly [string, string, unknown, readonly unknown[]])[] = [
      ['PUT', '/chats/bob/typing', { state: 'text' }, [400, chat]],
      ['PUT', '/chats/4915550009999/typing', { state: 'text' }, [404, 'Chat not found']],
      ['PUT', `/chats/${bob}/typing`, { state: 'text', seconds: 26 }, [400, seconds]],
      ['PUT', `/chats/${bob}/typing`, { state: 'writing' }, [400, 'state must be one of text, voice, none']],
      ['POST', '/chats/4915550009999/read', {}, [404, 'Chat not found']],
      ['POST', `/chats/${bob}/read`, { messageIds: ['NONE'] }, [404, 'Message NONE not found']],
      ['POST', `/chats/${cyd}/read`, { messageIds: [sent] }, [404, `Message ${sent} not found`]],
      ['POST', `/chats/${bob}/read`, { messageIds: [] }, [400, 'messageIds must be 1 to 100 ids of messages']],
      ['POST', `/chats/${bob}/read`, { typing: 'none' }, [400, 'typing must be text or voice']],
      ['PUT', '/settings', { presence: ['nobody'] }, [400, chat.replace('chat', 'presence')]],
      [
        'PUT',
        '/settings',
        { rejectCalls: '' },
        [400, 'rejectCalls must be true, false, or a text of 1 to 4,096 characters'],
      ],
    ];
    for (const [method, path, body, answer] of cases) assert.deepEqual(await refused(method, path, body), answer, path);
    const [status, words] = await refused('POST', `/chats/${bob}/read`, { messageIds: [sent] });
    assert.deepEqual([status, /received messages/.test(String(words))], [400, true]);
    assert.equal(
      (await rig.installation.api.call('PUT', `/devices/999999/chats/${bob}/typing`, { state: 'text' })).status,
      404,
    );
    assert.equal((await seenBy(bob)).length, seen);
  });
});
