/** The contract of statuses: kept for a day, first come first kept, seen by people, gone with the link and the device. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Person } from '../../../../src/domain/messages/parts.ts';
import { statusLifeMs } from '../../../../src/domain/messages/statuses.ts';
import { statusOf } from '../../../support/statuses/fixture.ts';
import { type OpenStore, withStore } from '../fixture.ts';

const page = { limit: 10, cursor: null };
const ann: Person = { jid: '4915110000001@s.whatsapp.net', number: '4915110000001', lid: '1@lid' };
const bob: Person = { jid: '2@lid', number: null, lid: '2@lid' };

export const statusesContract = (open: OpenStore): void => {
  describe('statuses', () => {
    it(
      'are kept as they came, with their audience, and listed newest first',
      withStore(open, async ({ stores: { changes }, device, clock, reopen }) => {
        const { id } = await device();
        const at = clock.now();
        const own = statusOf('OWN', 'out', { at });
        const theirs = statusOf('THEIRS', 'in', { at: at + 1 });
        await changes.commit(id, {
          statuses: [
            { kind: 'new', status: own, audience: ['1@lid', '2@lid'] },
            { kind: 'new', status: theirs, audience: null },
            { kind: 'new', status: statusOf('THEIRS', 'in', { text: 'a second one of this id' }), audience: null },
          ],
        });
        const { statuses } = await reopen();
        const found = await statuses.find(id, 'OWN');
        assert.deepEqual(
          { ...found, message: { ...found?.message, content: Buffer.from(found!.message.content!) } },
          own,
        );
        assert.deepEqual(await statuses.audience(id, 'OWN'), ['1@lid', '2@lid']);
        assert.equal(await statuses.audience(id, 'THEIRS'), null);
        const ids = async (wanted: object) =>
          (await statuses.list(id, { ...page, ...wanted })).items.map(({ message }) => message.id);
        assert.deepEqual(await ids({}), ['THEIRS', 'OWN']);
        assert.deepEqual(await ids({ own: true }), ['OWN']);
        assert.deepEqual(await ids({ own: false }), ['THEIRS']);
        assert.equal((await statuses.find(id, 'THEIRS'))?.message.text, 'hello');
        const first = await statuses.list(id, { ...page, limit: 1 });
        const second = await statuses.list(id, { limit: 1, cursor: first.nextCursor });
        assert.deepEqual(
          [first, second].map(({ items }) => items[0]?.message.id),
          ['THEIRS', 'OWN'],
        );
        assert.equal(second.nextCursor, null);
      }),
    );

    it(
      'are accepted, withdrawn and deleted',
      withStore(open, async ({ stores: { changes, statuses }, device }) => {
        const { id } = await device();
        const pending = (name: string) => ({ ...statusOf(name, 'out'), acceptedAt: null, recipients: 0 });
        for (const name of ['A', 'B'])
          await changes.commit(id, { statuses: [{ kind: 'new', status: pending(name), audience: [] }] });
        await changes.commit(id, { statuses: [{ kind: 'accepted', id: 'A', at: 5, recipients: 7 }] });
        for (const name of ['A', 'B']) await changes.commit(id, { statuses: [{ kind: 'withdrawn', id: name }] });
        await changes.commit(id, { statuses: [{ kind: 'deleted', id: 'A', at: 9 }] });
        const found = await statuses.find(id, 'A');
        assert.deepEqual([found?.acceptedAt, found?.recipients, found?.deletedAt], [5, 7, 9]);
        assert.equal(await statuses.find(id, 'B'), null);
      }),
    );

    it(
      'know who got and saw those of the account, each person once',
      withStore(open, async ({ stores: { changes, statuses }, device }) => {
        const { id } = await device();
        await changes.commit(id, {
          statuses: [
            { kind: 'new', status: statusOf('OWN', 'out'), audience: [] },
            { kind: 'new', status: statusOf('THEIRS', 'in'), audience: null },
            { kind: 'seen', id: 'OWN', person: ann, deliveredAt: 1 },
            { kind: 'seen', id: 'OWN', person: ann, viewedAt: 2 },
            { kind: 'seen', id: 'OWN', person: ann, viewedAt: 3, reaction: '💚' },
            { kind: 'seen', id: 'OWN', person: ann, deliveredAt: 4 },
            { kind: 'seen', id: 'OWN', person: bob, viewedAt: 5 },
            { kind: 'seen', id: 'THEIRS', person: bob, viewedAt: 5 },
            { kind: 'seen', id: 'UNKNOWN', person: bob, viewedAt: 5 },
          ],
        });
        const { items } = await statuses.viewers(id, 'OWN', page);
        assert.deepEqual(
          new Set(items),
          new Set([
            { person: ann, deliveredAt: 1, viewedAt: 2, reaction: '💚' },
            { person: bob, deliveredAt: 5, viewedAt: 5, reaction: null },
          ]),
        );
        assert.deepEqual((await statuses.viewers(id, 'THEIRS', page)).items, []);
        const first = await statuses.viewers(id, 'OWN', { ...page, limit: 1 });
        const second = await statuses.viewers(id, 'OWN', { limit: 1, cursor: first.nextCursor });
        assert.equal(new Set([...first.items, ...second.items].map(({ person }) => person.jid)).size, 2);
      }),
    );

    it(
      'are gone after a day, with the link, and with the device',
      withStore(open, async ({ stores: { changes, statuses, devices, retention }, device, clock }) => {
        const [one, two] = [(await device()).id, (await device()).id];
        const old = statusOf('OLD', 'out', { at: clock.now() - statusLifeMs });
        for (const id of [one, two])
          await changes.commit(id, {
            statuses: [
              { kind: 'new', status: old, audience: [] },
              { kind: 'new', status: statusOf('NEW', 'out', { at: clock.now() }), audience: [] },
              { kind: 'seen', id: 'OLD', person: ann, viewedAt: 2 },
            ],
          });
        assert.equal(await statuses.find(one, 'OLD'), null);
        assert.equal((await statuses.list(one, page)).items.length, 1);
        await retention.prune({ events: 0, messages: 0, inbox: 0, idempotency: 0 });
        assert.deepEqual((await statuses.viewers(one, 'OLD', page)).items, []);
        await changes.clearCredentials(one, {});
        assert.deepEqual((await statuses.list(one, page)).items, []);
        assert.equal((await statuses.list(two, page)).items.length, 1);
        await devices.delete(two);
        assert.deepEqual((await statuses.list(two, page)).items, []);
      }),
    );
  });
};
