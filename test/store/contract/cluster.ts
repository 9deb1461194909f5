/** Guarantees for several nodes on one database: one owner of a device, fenced writes, exact rates, each other's events. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FreshDelivery } from '../../../src/domain/delivery.ts';
import { LeaseLost, type LeaseStore } from '../../../src/domain/lease.ts';
import type { Stores } from '../../../src/domain/stores.ts';
import { eventually } from '../../support/wait.ts';
import { bytes, chatB, received } from './fixture.ts';
import { messageIds, result } from './outbox/outbox.steps.ts';
import { logOf } from '../../support/event-log.ts';

export interface SharedDatabase {
  /** As one more node. */
  readonly open: () => Promise<Stores>;
  release(): Promise<void>;
}

/** Stores of as many nodes as are asked for, and one device. */
const withNodes =
  (
    prepare: () => Promise<SharedDatabase>,
    count: number,
    run: (stores: readonly Stores[], deviceId: number) => Promise<void>,
  ) =>
  async (): Promise<void> => {
    const database = await prepare();
    // At once: the schema is made by one of them.
    const stores = await Promise.all(Array.from({ length: count }, database.open));
    try {
      const user = await stores[0]!.users.create('owner', 100, 0);
      const wish = { userId: user.id, name: 'Phone', webhookUrl: null, webhookEvents: ['call' as const] };
      await run(stores, (await stores[0]!.devices.create(wish, 0)).id);
    } finally {
      await Promise.all(stores.map((each) => each.close()));
      await database.release();
    }
  };

const leasesOf = (stores: Stores): LeaseStore => stores.cluster!.leases;
const node = (id: string) => ({ id, url: `http://${id}`, draining: false });

const epochOf = async (stores: Stores, id: string, deviceId: number): Promise<number> => {
  const given = await leasesOf(stores).acquire(id, deviceId);
  assert.equal(given.kind, 'held');
  return given.kind === 'held' ? given.lease.epoch : -1;
};

export const clusterContract = (prepare: () => Promise<SharedDatabase>): void => {
  describe('nodes', () => {
    it(
      'post what they write, behind what another node has written and not posted yet',
      withNodes(prepare, 2, async ([a, b], deviceId) => {
        await a!.devices.update(deviceId, { webhookUrl: 'https://x.example', webhookEvents: ['message.received'] });
        const now = Date.now();
        const taken = [a!, b!].map((stores) => {
          const due: FreshDelivery[] = [];
          stores.outbox.takeFresh({ accepts: () => true, take: (each) => void due.push(each) });
          return due;
        });
        const claim = async () =>
          messageIds(
            await b!.outbox.claim({ now: now + 10_000, leaseUntil: now + 40_000, limit: 9, exceptWebhooks: [] }),
          );
        const delivered = (due: FreshDelivery): Promise<unknown> =>
          a!.outbox.record([result({ clock: { now: () => now } }, due)]);
        await a!.changes.commit(deviceId, { facts: [received('A1')] });
        await b!.changes.commit(deviceId, { facts: [received('A2')] });
        await a!.changes.commit(deviceId, { facts: [received('A3')] });
        await b!.changes.commit(deviceId, { facts: [received('B1', chatB)] });
        assert.deepEqual(taken.map(messageIds), [['A1'], ['B1']]);
        assert.deepEqual(await claim(), []);
        await delivered(taken[0]![0]!);
        assert.deepEqual(await claim(), ['A2']);
      }),
    );

    it(
      'own a device one at a time, and it moves with a new epoch',
      withNodes(prepare, 2, async ([a, b], deviceId) => {
        await leasesOf(a!).renew(node('a'));
        const nodes = await leasesOf(b!).renew(node('b'));
        assert.deepEqual(await leasesOf(a!).nodes(), nodes);
        assert.deepEqual(
          nodes.map(({ id }) => id),
          ['a', 'b'],
        );
        const first = await epochOf(a!, 'a', deviceId);
        assert.deepEqual(await leasesOf(b!).acquire('b', deviceId), {
          kind: 'elsewhere',
          owner: { id: 'a', url: 'http://a' },
        });
        assert.equal(await epochOf(a!, 'a', deviceId), first, 'asking again changes nothing');
        await leasesOf(a!).release(deviceId, first, true);
        const [taken] = await leasesOf(b!).take('b', 10, 'none');
        assert.equal(taken?.deviceId, deviceId);
        assert.ok(taken.epoch > first);
        assert.equal((await leasesOf(a!).find([deviceId])).get(deviceId)?.owner?.id, 'b');
      }),
    );

    it(
      'take orphans by a wish that is not too late',
      withNodes(prepare, 2, async ([a, b], deviceId) => {
        await leasesOf(a!).renew(node('a'), 1);
        const { epoch } = (await leasesOf(a!).take('a', 10, 'none'))[0] ?? { epoch: await epochOf(a!, 'a', deviceId) };
        const [taken] = await eventually('the end of the lease', async () => {
          const nodes = await leasesOf(b!).renew(node('b'));
          const ownLeaseEnd = nodes.find(({ id }) => id === 'b')!.leaseEnd;
          // At every moment, also in the one in which the other wish is heard.
          const late = { ownLeaseEnd: ownLeaseEnd - 1 };
          assert.deepEqual(await leasesOf(b!).take('b', 10, late), []);
          await assert.rejects(leasesOf(b!).acquire('b', deviceId, late), LeaseLost);
          const leases = await leasesOf(b!).take('b', 10, { ownLeaseEnd });
          return leases.length > 0 && leases;
        });
        assert.deepEqual([taken?.deviceId, taken?.epoch], [deviceId, epoch + 1]);
      }),
    );

    it(
      'are refused every write under an old epoch',
      withNodes(prepare, 2, async ([a, b], deviceId) => {
        await leasesOf(a!).renew(node('a'));
        await leasesOf(b!).renew(node('b'));
        const old = await epochOf(a!, 'a', deviceId);
        await a!.changes.commit(deviceId, { credentials: bytes('1') }, old);
        await leasesOf(a!).leave('a');
        const present = await epochOf(b!, 'b', deviceId);
        await b!.changes.commit(deviceId, { credentials: bytes('2') }, present);
        const stale = [
          () => a!.changes.commit(deviceId, { credentials: bytes('3') }, old),
          () => a!.changes.commit(deviceId, { facts: [received('M1')] }, old),
          () => a!.changes.clearCredentials(deviceId, {}, old),
        ];
        for (const write of stale) await assert.rejects(write, LeaseLost);
        await assert.rejects(() => a!.changes.commit(deviceId, { credentials: bytes('4') }), /without a lease/);
        assert.equal(Buffer.from((await a!.credentials.loadCredentials(deviceId))!).toString(), '2');
        assert.deepEqual(await logOf(a!.events, deviceId), []);
      }),
    );

    it(
      'count the requests of a user together, exactly',
      withNodes(prepare, 2, async (stores) => {
        const taken = await Promise.all(
          Array.from({ length: 60 }, (_, index) => stores[index % 2]!.cluster!.rates.take(1, 40, 60_000)),
        );
        assert.equal(taken.filter(({ allowed }) => allowed).length, 40);
        assert.deepEqual(taken.map(({ remaining }) => remaining).sort((x, y) => x - y)[0], 0);
        const refused = taken.find(({ allowed }) => !allowed)!;
        assert.ok(refused.resetMs > 50_000 && refused.resetMs <= 60_000);
      }),
    );

    it(
      'learn with the count that a key has been revoked, or has expired',
      withNodes(prepare, 2, async ([a, b]) => {
        const owner = await a!.users.create('holder', 1, 0);
        const made = { userId: owner.id, name: 'key', hint: 'abcd', createdAt: 0, expiresAt: null };
        const [first, second] = [
          await a!.users.createKey({ ...made, hash: bytes('1') }),
          await a!.users.createKey({ ...made, hash: bytes('2') }),
        ];
        const valid = async (keyId?: number): Promise<boolean> =>
          (await b!.cluster!.rates.take(owner.id, 40, 60_000, keyId)).valid;
        assert.deepEqual([await valid(first.id), await valid(second.id), await valid()], [true, true, true]);
        await a!.users.revokeKey(owner.id, first.id, 1);
        await a!.users.updateKey(owner.id, second.id, { expiresAt: 1 });
        assert.deepEqual([await valid(first.id), await valid(second.id), await valid()], [false, false, true]);
      }),
    );

    it(
      "hear of each other's events",
      withNodes(prepare, 2, async ([a, b], deviceId) => {
        await leasesOf(a!).renew(node('a'));
        const heard: string[] = [];
        const owners = new Set<number>();
        const last: unknown[] = [];
        b!.onEvents((events) => {
          for (const { id, event, userId } of events) {
            if (event.type === 'device.deleted') last.push(event.data);
            else if (event.type !== 'device.created') heard.push(id);
            owners.add(userId);
          }
        });
        const epoch = await epochOf(a!, 'a', deviceId);
        const written = await a!.changes.commit(deviceId, { facts: [received('M1'), received('M2')] }, epoch);
        await eventually('news of the events', () => heard.length === 2);
        assert.deepEqual(
          heard,
          written.map(({ id }) => id),
        );
        const device = await b!.devices.find(deviceId);
        await a!.devices.delete(deviceId);
        await eventually('news of the end', () => last.length > 0);
        assert.deepEqual(last, [{ name: device!.name }], 'once, though its log is gone');
        assert.deepEqual([...owners], [device!.userId], 'and whose they are');
      }),
    );

    it(
      'a person who is not to be written to is known to all nodes, also to one that starts later',
      withNodes(prepare, 2, async ([a, b], deviceId) => {
        const user = (await a!.users.list())[0]!;
        assert.equal(b!.suppressions.users.has(user.id), false);
        await a!.suppressions.add(user.id, { number: '4915112345678', reason: null }, 0);
        await eventually('the other node knows', () => b!.suppressions.users.has(user.id));
        assert.equal(await b!.suppressions.has(deviceId, '4915112345678@s.whatsapp.net'), true);
      }),
    );
  });
};
