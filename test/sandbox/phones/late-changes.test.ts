/** Phones pass over edits and revokes that come too late, as the network's apps do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../sandbox/src/base/clock.ts';
import { startPhones } from './phone-pair.ts';

const minuteMs = 60_000;

test('an edit counts for 20 minutes, a revoke for 60 hours, by the clock of the server', async () => {
  let shift = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + shift };
  await using place = await startPhones('491510000001', '491510000002', clock);
  const [alice, bob] = place.phones;
  const written = async (text: string): Promise<string> => {
    const [id] = await alice.writer.write(bob.account.jid, { kind: 'text', text }, { quotedId: null, count: 1 });
    await place.settled();
    return id!;
  };
  const id = await written('one');
  for (const [minutes, text, shown] of [
    [19, 'two', 'two'],
    [21, 'three', 'two'],
  ] as const) {
    shift = minutes * minuteMs;
    await alice.writer.edit(id, text);
    await place.settled();
    assert.equal(bob.view.find(id)?.text, shown, `after ${minutes} minutes`);
  }
  shift = 0;
  const [early, late] = [await written('early'), await written('late')];
  shift = 59 * 60 * minuteMs;
  await alice.writer.revoke(early);
  shift = 61 * 60 * minuteMs;
  await alice.writer.revoke(late);
  await place.settled();
  assert.equal(bob.view.find(early)?.revoked, true);
  assert.equal(bob.view.find(late)?.revoked, false);
  assert.equal(bob.view.find(late)?.text, 'late');
});
