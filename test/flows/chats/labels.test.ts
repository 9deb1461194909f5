/** Labels, or lists: on the phone, for stock Baileys, in the interface and in the events (docs/spec/labels.md). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Companion, type Place } from '../../sandbox/companion.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import type { SandboxPhone } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { callsOf } from '../say/rig.ts';
import { ada, bob, linkDevice, untilOpen } from '../steps.ts';

const cyd = '4915550003333';

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly color: number;
  readonly type: string | null;
}

interface Told {
  readonly label?: Shown;
  readonly deleted?: boolean;
  readonly change?: object;
  readonly update?: { readonly labels?: readonly string[] };
}

describe('labels', () => {
  let installation: Installation;
  let id: number;
  let bobs: SandboxPhone;
  /** Stock Baileys, linked to Ada's account. */
  let stock: Companion;
  /** What it was told of labels by id, and of chats and messages. */
  const edits = new Map<string, { readonly name: string; readonly color: number; readonly deleted: boolean }>();
  const marks = new Map<string, boolean>();
  const { done, refused } = callsOf(() => ({ installation, id }));
  const phone = <T>(method: string, path: string, body?: unknown) =>
    installation.phones.request<T>(method, `/phones/${ada}${path}`, body);
  const onPhone = async (): Promise<readonly Shown[]> => (await phone<{ labels: Shown[] }>('GET', '/labels')).labels;
  const chatOnPhone = async (chat: string) =>
    (await phone<{ chat: { labels: string[] } }>('GET', `/chats/${chat}`)).chat.labels;
  const labels = async (): Promise<readonly Shown[]> => (await done('GET', '/labels')).labels;
  const labelsOf = async (chat: string): Promise<readonly string[]> =>
    (await done('GET', `/chats/${chat}`)).chat.labels;
  const told = async (types: string): Promise<readonly { type: string; data: Told }[]> =>
    (await done('GET', `/events?types=${types}&limit=1000`)).events;
  const untilTold = (type: string, matches: (data: Told) => boolean) =>
    eventually(`a ${type}`, async () => (await told(type)).some(({ data }) => matches(data)));

  before(async () => {
    installation = await startInstallation();
    await installation.phones.add(ada, 'Ada');
    bobs = await installation.phones.add(bob, 'Bob');
    await installation.phones.add(cyd, 'Cyd');
    await phone('POST', '/labels', { name: '\u200eFavoriten', type: 'favorites' });
    await phone('POST', '/labels', { name: 'Before the link', color: 3 });
    await phone('POST', '/labels', { name: 'Gone' });
    await phone('DELETE', '/labels/3');
    await phone('PATCH', `/chats/${cyd}`, { labels: ['2'] });
    id = await linkDevice(installation);
    stock = new Companion(await installation.phones.request<Place>('GET', '/'));
    await stock.link((qr) => installation.phones.scan(ada, qr));
    stock.socket.ev.on('labels.edit', ({ id: labelId, ...edit }) => edits.set(labelId, edit));
    stock.socket.ev.on('labels.association', ({ type, association }) => {
      const place = 'messageId' in association ? `${association.chatId} ${association.messageId}` : association.chatId;
      marks.set(`${association.labelId} ${place}`, type === 'add');
    });
    await eventually('the keys of the companion', () => stock.creds.myAppStateKeyId);
    await installation.phones.write(bob, { to: ada, text: 'Where is my parcel?' });
    await installation.phones.write(cyd, { to: ada, text: 'Thank you' });
    for (const chat of [bob, cyd]) await eventually(chat, async () => (await labelsOf(chat)) !== undefined);
  });
  after(async () => {
    await stock?.[Symbol.asyncDispose]();
    await installation?.[Symbol.asyncDispose]();
  });

  it('that were made before the link are known with it, and none of them is told', async () => {
    await eventually('the labels', async () => (await labels()).length === 2);
    assert.deepEqual(await labels(), [
      { id: '1', name: '\u200eFavoriten', color: 0, type: 'favorites' },
      { id: '2', name: 'Before the link', color: 3, type: 'custom' },
    ]);
    assert.deepEqual([await labelsOf(cyd), await labelsOf(bob)], [['2'], []]);
    assert.deepEqual(await told('label.updated,chat.updated'), []);
  });

  it('are made, renamed, recoloured and deleted here, and the phone and stock Baileys show it', async () => {
    const { label } = await done('POST', '/labels', { name: 'Parcels', color: 5 });
    assert.deepEqual(
      label,
      { id: '4', name: 'Parcels', color: 5, type: 'custom' },
      'the id of a deleted one is not used again',
    );
    const isShown = async (wanted: Partial<Shown>) =>
      (await onPhone()).some((each) =>
        Object.entries(wanted).every(([key, value]) => each[key as keyof Shown] === value),
      );
    assert.ok(await isShown({ id: '4', name: 'Parcels', color: 5, type: 'custom' }));
    await eventually('it at stock Baileys', () => edits.get('4')?.name === 'Parcels');
    assert.deepEqual((await done('PUT', '/labels/4', { name: 'Lost parcels' })).label, {
      ...label,
      name: 'Lost parcels',
    });
    await done('PUT', '/labels/4', { color: 6 });
    assert.ok(await isShown({ id: '4', name: 'Lost parcels', color: 6, type: 'custom' }));
    await eventually('the colour at stock Baileys', () => edits.get('4')?.color === 6);
    assert.equal((await done('POST', '/labels', { name: 'Short-lived' })).label.id, '5');
    await done('DELETE', '/labels/5');
    assert.deepEqual(
      (await onPhone()).map((each) => each.id),
      ['1', '2', '4'],
    );
    await eventually('the deletion at stock Baileys', () => edits.get('5')?.deleted === true);
    assert.deepEqual(
      (await labels()).map((each) => each.id),
      ['1', '2', '4'],
    );
    assert.deepEqual(
      (await told('label.updated')).map(({ data }) => [data.label?.name, data.deleted]),
      [
        ['Parcels', false],
        ['Lost parcels', false],
        ['Lost parcels', false],
        ['Short-lived', false],
        ['Short-lived', true],
      ],
    );
  });

  it('are put on chats and taken off, of which the list is filtered', async () => {
    const { chat } = await done('PUT', `/chats/${bob}`, { labels: ['2', '4', '2'] });
    assert.deepEqual(chat.labels, ['2', '4']);
    await eventually('both on the phone', async () => (await chatOnPhone(bob)).join() === '2,4');
    await eventually('one at stock Baileys', () => marks.get(`4 ${bobs.jid}`) === true);
    const listed = async (label: string) =>
      (await done('GET', `/chats?label=${label}`)).chats.map((each: { chatNumber: string }) => each.chatNumber);
    assert.deepEqual([await listed('4'), (await listed('2')).toSorted(), await listed('99')], [[bob], [bob, cyd], []]);
    await done('PUT', `/chats/${bob}`, { labels: ['4'] });
    await eventually('one on the phone', async () => (await chatOnPhone(bob)).join() === '4');
    assert.deepEqual(
      (await told('chat.updated')).map(({ data }) => data.change),
      [{ labels: ['2'] }, { labels: ['2', '4'] }, { labels: ['4'] }],
    );
  });

  it('are put on messages and taken off, and the log is filtered', async () => {
    const [messageId] = await installation.phones.write(bob, { to: ada, text: 'It is red' });
    await eventually(
      'the message',
      async () => (await installation.api.get(`/devices/${id}/messages/${messageId}`)).status === 200,
    );
    const { message } = await done('PUT', `/messages/${messageId}/labels`, { labels: ['4'] });
    assert.deepEqual(message.labels, ['4']);
    await eventually('it at stock Baileys', () => marks.get(`4 ${bobs.jid} ${messageId}`) === true);
    const shown = async () =>
      (await phone<{ message: { labels?: string[] } }>('GET', `/messages/${messageId}`)).message.labels?.join();
    await eventually('it on the phone', async () => (await shown()) === '4');
    const listed = (await done('GET', `/messages?label=4`)).messages;
    assert.deepEqual(
      listed.map((each: { id: string }) => each.id),
      [messageId],
    );
    assert.deepEqual((await done('GET', `/messages?label=4&chat=${cyd}`)).messages, []);
    assert.deepEqual((await done('GET', `/chats/${bob}`)).chat.lastMessage.labels, ['4']);
    await phone('POST', `/messages/${messageId}/labels`, { labels: ['2'] });
    await untilTold('message.updated', ({ update }) => update?.labels?.join() === '2');
    await done('PUT', `/messages/${messageId}/labels`, { labels: [] });
    await eventually('none on the phone', async () => (await shown()) === '');
    assert.deepEqual((await done('GET', '/messages?label=2')).messages, []);
  });

  it('that the phone and stock Baileys change are told, by either address of the chat', async () => {
    await phone('PUT', '/labels/2', { name: 'Regulars', color: 9 });
    await untilTold('label.updated', ({ label }) => label?.name === 'Regulars');
    await phone('PATCH', `/chats/${cyd}`, { labels: [] });
    await eventually('that it is off', async () => (await labelsOf(cyd)).length === 0);
    const { socket } = stock;
    await socket.addLabel('', { id: '6', name: 'From stock', color: 7, deleted: false });
    await untilTold('label.updated', ({ label }) => label?.name === 'From stock');
    await socket.addChatLabel(bobs.lid, '6');
    await eventually('it on the chat', async () => (await labelsOf(bob)).join() === '4,6');
    await done('PUT', `/chats/${bob}`, { labels: ['4'] });
    await eventually('that it is off the phone', async () => (await chatOnPhone(bob)).join() === '4');
    assert.deepEqual(await labelsOf(bob), ['4'], 'the mark of the other address is older');
    await phone('DELETE', '/labels/4');
    await untilTold('label.updated', ({ label, deleted }) => label?.id === '4' && deleted === true);
    assert.deepEqual(await labelsOf(bob), []);
    // A label without a type is the owner's.
    assert.equal((await done('PUT', '/labels/6', { name: 'From both' })).label.type, 'custom');
  });

  it('are made at the same moment, each with an id of its own; what was missed comes with the next login', async () => {
    const names = ['one', 'two', 'three'];
    const made = await Promise.all(names.map((name) => done('POST', '/labels', { name })));
    assert.equal(new Set(made.map(({ label }) => label.id)).size, 3);
    const onBoth = [await labels(), await onPhone()].map((all) => all.map(({ name }) => name));
    for (const all of onBoth) assert.ok(names.every((name) => all.includes(name)));
    await installation.stop();
    await phone('POST', '/labels', { name: 'While away' });
    await installation.restart();
    await untilOpen(installation, id);
    await eventually('it', async () => (await labels()).some(({ name }) => name === 'While away'));
  });

  it('one key makes one label, also if the first answer was lost', async () => {
    const create = (name: string) =>
      installation.api.call(
        'POST',
        `/devices/${id}/labels`,
        { name, color: 2 },
        { headers: { 'idempotency-key': name === 'Lost' ? 'label-2' : 'label-1' } },
      );
    const named = async (name: string) => (await onPhone()).filter((label) => label.name === name).length;
    const [first, again] = [await create('Once'), await create('Once')];
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.deepEqual(
      [(await create('Other')).body.status.message, await named('Once'), await named('Other')],
      ['Idempotency-Key was used before with another request', 1, 0],
    );
    await installation.phones.request('PUT', '/faults', { latencyMs: 60_000 });
    const lost = create('Lost');
    await eventually('it on the phone', async () => (await named('Lost')) === 1);
    await installation.phones.request('DELETE', '/faults');
    await installation.api.call('POST', `/devices/${id}/restart`);
    await lost;
    await untilOpen(installation, id);
    const repeated = await create('Lost');
    assert.deepEqual([repeated.status, repeated.body.label?.name], [200, 'Lost'], JSON.stringify(repeated.body));
    assert.equal(await named('Lost'), 1);
  });

  it('refuses in words what is wrong; nothing leaves', async () => {
    const present = [await onPhone(), await labels()];
    const name = 'name must be a string of 1 to 100 characters, at least one of them visible, and none U+0000';
    const color = 'color must be a whole number from 0 to 19';
    const own =
      'This label is the app’s own: only labels that were made by the owner of the account can be changed or deleted';
    const [messageId] = (await done('GET', '/messages?limit=1')).messages.map((each: { id: string }) => each.id);
    const cases: readonly (readonly [string, string, unknown, readonly unknown[]])[] = [
      ['POST', '/labels', { name: 'x'.repeat(1_000) }, [400, name]],
      ['POST', '/labels', { name: ' ' }, [400, name]],
      ['POST', '/labels', { name: '\u200e' }, [400, name]],
      ['POST', '/labels', { name: 'x', color: 99 }, [400, color]],
      ['POST', '/labels', { name: 'x', color: -1 }, [400, color]],
      ['PUT', '/labels/2', { color: 1.5 }, [400, color]],
      ['PUT', '/labels/1', { name: 'Mine' }, [400, own]],
      ['DELETE', '/labels/1', undefined, [400, own]],
      ['PUT', '/labels/99', { name: 'x' }, [404, 'Label not found']],
      ['DELETE', `/labels/${'9'.repeat(500)}`, undefined, [404, 'Label not found']],
      ['PUT', `/chats/${bob}`, { labels: ['99'] }, [400, 'labels names 99, and the account has no such label']],
      [
        'PUT',
        `/chats/${bob}`,
        { labels: ['1'] },
        [400, 'labels: 1 is a list that the app keeps by itself; only its owner’s phone changes it'],
      ],
      ['PUT', `/chats/${bob}`, { labels: 'x' }, [400, 'labels must be a list of at most 50 ids of labels']],
      ['PUT', '/chats/4915550009999', { labels: [] }, [404, 'Chat not found']],
      ['PUT', '/messages/NONE/labels', { labels: [] }, [404, 'Message not found']],
      [
        'PUT',
        `/messages/${messageId}/labels`,
        { labels: ['99'] },
        [400, 'labels names 99, and the account has no such label'],
      ],
      ['GET', `/chats?label=${'9'.repeat(65)}`, undefined, [400, 'label must be the id of a label']],
    ];
    for (const [method, path, body, answer] of cases)
      assert.deepEqual(await refused(method, path, body), answer, `${method} ${path}`);
    assert.deepEqual([await onPhone(), await labels()], present);
  });
});
