/** Many groups of many members, as a stranger may add the account to: they are read and written in turns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { makeDeviceMemory } from '../../../src/whatsapp/state/device-memory.ts';
import { myself } from '../../../src/whatsapp/identity/people.ts';
import { StoredGroups } from '../../../src/whatsapp/groups/stored-groups.ts';
import { manualClock } from '../../support/clock.ts';
import { watchTurns } from '../../support/turns.ts';
import { me } from '../driver.people.ts';
import { startIntakes } from '../receive/intake.ts';

const [groupCount, memberCount] = [100, 1_000];

const members = (from: number): BinaryNode[] =>
  Array.from({ length: memberCount }, (_, n) => {
    const user = 1_000_000 + n + from;
    return { tag: 'participant', attrs: { jid: `${user}@lid`, phone_number: `49151${user}@s.whatsapp.net` } };
  });

const nodes = (from: number): readonly BinaryNode[] =>
  Array.from({ length: groupCount }, (_, group) => ({
    tag: 'group',
    attrs: { id: `1203630${group}`, subject: `Group ${group}` },
    content: members(from),
  }));

test('groups with 100,000 members in all are listed in turns, at first and when all of them are others', async () => {
  await using rig = await startIntakes();
  const { deviceId, stores } = rig;
  const { store } = rig.connect();
  let described = nodes(0);
  const groups = new StoredGroups({
    deviceId,
    store,
    groups: stores.groups,
    memory: makeDeviceMemory(),
    me: () => myself(me),
    peek: () => ({ phone: null, lid: null }),
    learn: async () => undefined,
    askAll: async () => described,
    askOne: async () => described[0]!,
    clock: manualClock(),
  });
  using turns = watchTurns();
  for (const from of [0, memberCount]) {
    described = nodes(from);
    turns.longestMs();
    await groups.list(true);
    const longest = turns.longestMs();
    assert.ok(longest < 200, `a turn took ${longest.toFixed(0)} ms`);
    const kept = await stores.groups.all(deviceId);
    assert.equal(kept.length, groupCount);
    assert.equal(kept[0]?.members[0]?.person.lid, `${1_000_000 + from}@lid`);
  }
});
