/** The contract of the counts of look-ups and of new chats: no more on a day than may be, whoever asks at once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OpenStore, record, withStore } from './fixture.ts';

const dayMs = 86_400_000;

export const lookUpsContract = (open: OpenStore): void => {
  describe('look-ups', () => {
    it(
      'are counted for each device, kind and day; where there would be too many, nothing is counted',
      withStore(open, async ({ stores: { lookUps, devices }, device }) => {
        const { id } = await device();
        const { id: other } = await device();
        const now = 20_000 * dayMs + 5;
        const take = (count: number, at = now, of = id) => lookUps.take(of, 'numbers', { count, max: 200, now: at });
        const twenties = await Promise.all(Array.from({ length: 12 }, () => take(20)));
        assert.equal(twenties.filter(Boolean).length, 10);
        assert.equal(await take(1), false);
        assert.equal(await lookUps.take(id, 'people', { count: 1, max: 1, now }), true);
        assert.equal(await lookUps.take(id, 'people', { count: 1, max: 1, now }), false);
        assert.equal(await take(20, now, other), true);
        assert.equal(await take(20, now + dayMs), true);
        await devices.delete(id);
        assert.equal(await take(20, now, other), true);
      }),
    );
  });
  describe('new chats', () => {
    it(
      'are counted once for each person and day; a chat in which something was said begins none',
      withStore(open, async ({ stores: { newChats: before }, device, reopen }) => {
        const { id } = await device();
        const { id: other } = await device();
        let newChats = before;
        const now = 20_000 * dayMs + 5;
        const person = (n: number) => `49155500${n}@s.whatsapp.net`;
        const begin = (n: number, max = 3, at = now, of = id) => newChats.begin(of, person(n), { max, now: at });
        const all = await Promise.all(Array.from({ length: 8 }, (_, n) => begin(n)));
        assert.equal(all.filter(Boolean).length, 3);
        const begun = all.indexOf(true);
        assert.deepEqual([await begin(begun), await begin(20), await begin(20, 4)], [true, false, true]);
        assert.equal(await newChats.count(id, now), 4);
        assert.equal(await begin(20, 1, now, other), true);
        const { changes, devices, ...stored } = await reopen();
        newChats = stored.newChats;
        assert.deepEqual([await newChats.count(id, now), await newChats.count(other, now)], [4, 1]);

        const lid = '99887766@lid';
        await changes.commit(id, {
          messages: [
            record('in-1', { chat: person(30), chatLid: lid, direction: 'in', state: 'delivered', acceptedAt: null }),
            record('out-1', { chat: person(31), state: 'pending', acceptedAt: null }),
            record('out-2', { chat: person(32), state: 'failed', acceptedAt: null }),
            record('out-3', { chat: person(33) }),
          ],
          chats: [{ chat: person(34), at: now }],
        });
        const known = await Promise.all([30, 31, 32, 33, 34].map((n) => begin(n, 0)));
        assert.deepEqual(known, [true, false, false, true, true]);
        assert.equal(await newChats.begin(id, lid, { max: 0, now }), true, 'its other address');

        assert.equal(await newChats.count(id, now + dayMs), 0);
        assert.equal(await begin(40, 1, now + dayMs), true);
        assert.equal(await begin(41, 1, now + dayMs), false);
        await devices.delete(id);
        assert.equal(await newChats.count(id, now + dayMs), 0);
      }),
    );
  });
};
