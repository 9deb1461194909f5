/** The contract of the commit of a protocol step: credentials, keys, inbox, messages and events in one transaction. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoredEvent } from '../../../src/domain/event.ts';
import {
  type OpenStore,
  bytes,
  chatA,
  hook,
  lidA,
  received,
  record,
  textOf,
  timeoutEvent,
  withStore,
} from './fixture.ts';
import { logOf } from '../../support/event-log.ts';

const account = { jid: chatA, lid: lidA, phoneNumber: '4915112345678', name: 'Ann', platform: null };

export const sessionsContract = (open: OpenStore): void => {
  describe('credentials', () => {
    it(
      'keeps credentials, keys and inbox of each device apart',
      withStore(open, async ({ stores: { changes, credentials }, device, reopen }) => {
        const [one, two] = [(await device()).id, (await device()).id];
        assert.equal(await credentials.loadCredentials(one), null);
        await changes.commit(one, {
          credentials: bytes('first'),
          keys: [
            { type: 'session', id: 'a', value: bytes('session a') },
            { type: 'session', id: 'b', value: bytes('session b') },
            { type: 'pre-key', id: 'a', value: bytes('pre-key a') },
          ],
          inbox: [{ key: 'ff00', plaintext: bytes('plain') }],
        });
        await changes.commit(two, { credentials: bytes('other') });
        await changes.commit(one, { credentials: bytes('second') });
        const again = (await reopen()).credentials;
        assert.equal(textOf(await again.loadCredentials(one)), 'second');
        assert.equal(textOf(await again.loadCredentials(two)), 'other');
        const keys = await again.readKeys(one, 'session', ['b', 'missing', 'a', 'b']);
        assert.deepEqual(
          [...keys].map(([id, value]) => [id, textOf(value)]).sort(([a], [b]) => (a! < b! ? -1 : 1)),
          [
            ['a', 'session a'],
            ['b', 'session b'],
          ],
        );
        assert.equal(textOf((await again.readKeys(one, 'pre-key', ['a'])).get('a')), 'pre-key a');
        assert.equal((await again.readKeys(two, 'session', ['a'])).size, 0);
        assert.equal((await again.readKeys(one, 'session', [])).size, 0);
        const wanted = [
          { type: 'pre-key', id: 'a' },
          { type: 'pre-key', id: 'b' },
          { type: 'session', id: 'b' },
        ];
        const together = (await again.readTogether(one, wanted)).map((value) => value && textOf(value));
        assert.deepEqual(together, ['pre-key a', null, 'session b']);
        assert.deepEqual(await again.readTogether(two, wanted), [null, null, null]);
        assert.equal(textOf(await again.readInbox(one, 'ff00')), 'plain');
        assert.equal(await again.readInbox(two, 'ff00'), null);
        assert.equal(await again.readInbox(one, 'ff01'), null);
      }),
    );

    it(
      'replaces and deletes keys, and reads hundreds at once',
      withStore(open, async ({ stores: { changes, credentials }, device }) => {
        const { id } = await device();
        const ids = Array.from({ length: 300 }, (_, index) => `${index}`);
        await changes.commit(id, {
          keys: ids.map((key) => ({ type: 'pre-key', id: key, value: bytes(`v${key}`) })),
        });
        await changes.commit(id, {
          keys: [
            { type: 'pre-key', id: '7', value: bytes('new') },
            { type: 'pre-key', id: '8', value: null },
            { type: 'pre-key', id: 'never', value: null },
          ],
        });
        for (const count of [2, 3, 5, 64, 65, 300]) {
          const found = await credentials.readKeys(id, 'pre-key', ids.slice(0, count));
          assert.equal(found.size, count > 8 ? count - 1 : count, `${count} ids`);
        }
        const found = await credentials.readKeys(id, 'pre-key', ids);
        assert.equal(textOf(found.get('7')), 'new');
        assert.equal(found.has('8'), false);
        assert.equal(textOf(found.get('299')), 'v299');
      }),
    );

    it(
      'clears the authentication and keeps messages and events',
      withStore(open, async ({ stores, device }) => {
        const { id } = await device();
        await stores.changes.commit(id, {
          credentials: bytes('c'),
          keys: [{ type: 'session', id: 'a', value: bytes('k') }],
          inbox: [{ key: 'ff', plaintext: bytes('p') }],
          messages: [record('M1')],
          account,
        });
        const events = await stores.changes.clearCredentials(id, {
          account: null,
          facts: [{ event: { type: 'connection.logout', data: { reason: 'requested' } }, at: 5 }],
        });
        assert.equal(events.length, 1);
        assert.equal(await stores.credentials.loadCredentials(id), null);
        assert.equal((await stores.credentials.readKeys(id, 'session', ['a'])).size, 0);
        assert.equal(await stores.credentials.readInbox(id, 'ff'), null);
        assert.notEqual(await stores.messages.find(id, 'M1'), null);
        assert.equal((await stores.devices.find(id))?.account, null);
      }),
    );
  });

  describe('commit', () => {
    it(
      "changes the device's own columns with it",
      withStore(open, async ({ stores: { changes, devices }, device }) => {
        const { id } = await device();
        await changes.commit(id, { account, announcedOpen: true, lastSeenAt: 42, sent: 2 });
        await changes.commit(id, { pairingAt: 43 });
        assert.equal((await devices.find(id))?.pairingAt, 43);
        await changes.commit(id, { sent: 1, pairingAt: null });
        const found = await devices.find(id);
        assert.deepEqual(found?.account, account);
        assert.equal(found?.announcedOpen, true);
        assert.equal(found?.lastSeenAt, 42);
        assert.equal(found?.pairingAt, null);
        assert.equal(found?.messagesSent, 3);
        await changes.commit(id, { announcedOpen: false, account: null });
        const later = await devices.find(id);
        assert.equal(later?.announcedOpen, false);
        assert.equal(later?.account, null);
        assert.equal(later?.lastSeenAt, 42);
      }),
    );

    it(
      'writes nothing of a step that fails, and all of its neighbours in the same moment',
      withStore(open, async ({ stores: { changes, credentials, devices }, device }) => {
        const { id } = await device();
        const gone = await device();
        await devices.delete(gone.id);
        const broken = { ...received('M2'), event: undefined };
        const results = await Promise.allSettled([
          changes.commit(id, { credentials: bytes('one'), sent: 1, facts: [received('M1')] }),
          changes.commit(gone.id, { credentials: bytes('ghost'), facts: [received('M1')] }),
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a step that breaks in its middle
          changes.commit(id, { credentials: bytes('half'), sent: 5, facts: [broken as never] }),
          changes.commit(id, { keys: [{ type: 'session', id: 'a', value: bytes('k') }] }),
        ]);
        assert.deepEqual(
          results.map(({ status }) => status),
          ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
        );
        assert.equal(results[1]?.status === 'rejected' && results[1].reason.name, 'DeviceNotFound');
        assert.equal(textOf(await credentials.loadCredentials(id)), 'one');
        assert.equal((await devices.find(id))?.messagesSent, 1);
        assert.equal((await credentials.readKeys(id, 'session', ['a'])).size, 1);
        assert.equal(await credentials.loadCredentials(gone.id), null);
      }),
    );

    it(
      'posts by the webhook of the moment, and numbers on after a step that failed',
      withStore(open, async (fixture) => {
        const { changes, devices, webhooks } = fixture.stores;
        const { id } = await fixture.device(hook);
        const write = (name: string) => changes.commit(id, { facts: [received(name)] });
        await write('M1');
        await devices.update(id, { webhookUrl: null });
        await write('M2');
        await devices.update(id, hook);
        await write('M3');
        await devices.update(id, { webhookEvents: ['call'] });
        await write('M4');
        await devices.update(id, { webhookEvents: ['message.received'] });
        await write('M5');
        await webhooks.disable(await webhooks.primary(id), 1);
        await write('M6');
        const broken = { ...received('M7'), event: undefined };
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a step that breaks in its middle
        const failing = changes.commit(id, { facts: [received('M7'), broken as never] });
        await Promise.allSettled([write('M8'), failing, write('M9')]);
        const stores = await fixture.reopen();
        await stores.changes.commit(id, { facts: [received('M10')] });
        const log = await logOf(stores.events, id);
        const nameOf = ({ event }: (typeof log)[number]) =>
          event.type === 'message.received' ? event.data.message.id : null;
        assert.deepEqual(log.map(nameOf), ['M1', 'M2', 'M3', 'M4', 'M5', 'M6', 'M8', 'M9', 'M10']);
        const { items } = await stores.outbox.list(id, { limit: 20, cursor: null });
        const posted = items.map(({ eventId }) => nameOf(log.find((each) => each.id === eventId)!));
        assert.deepEqual(new Set(posted), new Set(['M1', 'M3', 'M5', 'M6', 'M8', 'M9', 'M10']));
      }),
    );

    it(
      'refuses a device that is gone, whatever the change',
      withStore(open, async ({ stores: { changes, devices }, device }) => {
        const { id } = await device();
        await devices.delete(id);
        for (const given of [{}, { sent: 1 }, { keys: [] }, { account }, { events: [received('M')] }]) {
          await assert.rejects(changes.commit(id, given), { name: 'DeviceNotFound' });
          await assert.rejects(changes.clearCredentials(id, given), { name: 'DeviceNotFound' });
        }
      }),
    );
  });

  describe('events', () => {
    it(
      'have ids that sort, and are found, listed and resumed by them',
      withStore(open, async ({ stores: { changes, events }, device, reopen }) => {
        const [one, two] = [(await device()).id, (await device()).id];
        const beginning = await events.latestId(one);
        const written: StoredEvent[] = [];
        for (let index = 0; index < 5; index += 1) {
          written.push(...(await changes.commit(one, { facts: [received(`M${index}`), received(`N${index}`)] })));
        }
        const [foreign] = await changes.commit(two, {
          facts: [{ event: timeoutEvent, at: 9 }],
        });
        const ids = written.map(({ id }) => id);
        assert.deepEqual([...ids].sort(), ids);
        assert.equal(new Set([...ids, foreign!.id]).size, 11);
        const store = (await reopen()).events;
        assert.equal(await store.latestId(one), ids.at(-1));
        const after = (cursor: string | null, limit: number) => store.listAfter(one, { cursor, limit });
        assert.deepEqual(await after(beginning, 100), { items: written, nextCursor: null });
        assert.deepEqual(await store.find(one, ids[3]!), written[3]);
        assert.equal(await store.find(two, ids[3]!), null);
        assert.equal(await store.find(one, 'evt_nonsense'), null);
        assert.equal(await store.find(one, ids[3]!.replace('evt_', 'dlv_')), null);
        const [created, ...log] = (await after(null, 100)).items;
        assert.deepEqual([created?.id, created?.event.type, log], [beginning, 'device.created', written]);
        assert.deepEqual(await after(ids[2]!, 3), { items: written.slice(3, 6), nextCursor: ids[5] });
        assert.deepEqual(await after(ids.at(-1)!, 3), { items: [], nextCursor: null });
        await assert.rejects(after('evt_1', 3), { name: 'InvalidRequest', message: /after/ });
        await assert.rejects(after(foreign!.id, 3), { name: 'InvalidRequest', message: /after/ });
        for (const id of [beginning!, ...ids]) await store.assertPosition(one, id);
        // One that is still to come: nothing says what happens until then.
        const ahead = ids.at(-1)!.replace(/.{3}$/, 'zzz');
        for (const id of ['evt_1', foreign!.id, ahead]) {
          await assert.rejects(store.assertPosition(one, id), { name: 'InvalidRequest', message: /after/ });
        }
      }),
    );

    it(
      'are written once for a dedupe key of a device',
      withStore(open, async ({ stores: { changes, credentials, events, outbox }, device }) => {
        const [one, two] = [(await device(hook)).id, (await device(hook)).id];
        const first = await changes.commit(one, {
          facts: [received('M1'), received('M1'), received('M2')],
        });
        assert.equal(first.length, 2);
        const second = await changes.commit(one, {
          facts: [received('M1')],
          credentials: bytes('c'),
        });
        assert.deepEqual(second, []);
        assert.notEqual(await credentials.loadCredentials(one), null);
        assert.equal((await changes.commit(two, { facts: [received('M1')] })).length, 1);
        assert.deepEqual(await logOf(events, one), first);
        assert.equal((await outbox.list(one, { limit: 10, cursor: null })).items.length, 2);
      }),
    );

    it(
      'are told to listeners after the commit, in the order of the log, whatever another listener does',
      withStore(open, async ({ stores, device }) => {
        const { id } = await device();
        const told: string[] = [];
        stores.onEvents(() => {
          throw new Error('a broken listener');
        });
        const stop = stores.onEvents((events) => told.push(...events.map((event) => event.id)));
        const commits = await Promise.all(
          Array.from({ length: 20 }, (_, index) => stores.changes.commit(id, { facts: [received(`M${index}`)] })),
        );
        await stores.changes.commit(id, { sent: 1 });
        const ids = commits.flat().map((event) => event.id);
        assert.deepEqual(told, [...ids].sort());
        stop();
        await stores.changes.commit(id, { facts: [received('late')] });
        assert.equal(told.length, 20);
      }),
    );
  });
};
