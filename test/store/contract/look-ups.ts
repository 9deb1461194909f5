/** The contract of the count of look-ups: no more on a day than may be, whoever asks at once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OpenStore, withStore } from './fixture.ts';

const dayMs = 86_400_000;

export const lookUpsContract = (open: OpenStore): void => {
  describe('look-ups', () => {
    it(
      'are counted for each device, kind and day; where there would be too many, nothing is counted',
      withStore(open, async ({ stores: { lookUps, devices }, device }) => {
        const { id } = await device();
        const { id: other } = await device();
        const now = 20_000 * dayMs + 5;
        const take = (count: number, at = now, of = id) => lookUps.take(of, 'numbers', { count, most: 200, now: at });
        const twenties = await Promise.all(Array.from({ length: 12 }, () => take(20)));
        assert.equal(twenties.filter(Boolean).length, 10);
        assert.equal(await take(1), false);
        assert.equal(await lookUps.take(id, 'people', { count: 1, most: 1, now }), true);
        assert.equal(await lookUps.take(id, 'people', { count: 1, most: 1, now }), false);
        assert.equal(await take(20, now, other), true);
        assert.equal(await take(20, now + dayMs), true);
        await devices.delete(id);
        assert.equal(await take(20, now, other), true);
      }),
    );
  });
};
