/** Stored groups: many of many members, as a stranger may add the account to, and notices that come again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { makeDeviceMemory } from '../../../src/whatsapp/state/device-memory.ts';
import { myself } from '../../../src/whatsapp/identity/people.ts';
import { StoredGroups, type StoredGroupsParts } from '../../../src/whatsapp/groups/stored-groups.ts';
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

type Asks = Pick<StoredGroupsParts, 'askAll' | 'askOne'>;

const storedGroups = (
  { stores, deviceId, connect }: Awaited<ReturnType<typeof startIntakes>>,
  asks: Asks,
): StoredGroups =>
  new StoredGroups({
    deviceId,
    store: connect().store,
    groups: stores.groups,
    memory: makeDeviceMemory(),
    me: () => myself(me),
    peek: () => ({ phone: null, lid: null }),
    learn: async () => undefined,
    clock: manualClock(),
    ...asks,
  });

test('groups with 100,000 members in all are listed in turns, at first and when all of them are others', async () => {
  await using rig = await startIntakes();
  const { deviceId, stores } = rig;
  let described = nodes(0);
  const groups = storedGroups(rig, { askAll: async () => described, askOne: async () => described[0]! });
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

test('a notice that comes again, as its acknowledgement was lost, leaves the members as the notices told', async () => {
  await using rig = await startIntakes();
  const jid = '12036301@g.us';
  const participant = { tag: 'participant', attrs: { jid: '900001@lid' } };
  const described: BinaryNode = {
    tag: 'group',
    attrs: { id: '12036301', subject: 'Us', p_v_id: '4' },
    content: [participant],
  };
  let asked = 0;
  const askOne = async (): Promise<BinaryNode> => {
    asked += 1;
    return described;
  };
  const groups = storedGroups(rig, { askAll: async () => [described], askOne });
  await groups.current(jid);
  const attrs = { from: jid, id: '1', type: 'w:gp2', t: '1760000000' };
  const promoted = { tag: 'promote', attrs: { prev_v_id: '4', v_id: '5' }, content: [participant] };
  const notice: BinaryNode = { tag: 'notification', attrs, content: [promoted] };
  for (const _ of [1, 2]) await groups.notice(notice);
  const known = await groups.lastKnown(jid);
  assert.deepEqual([known.members.map(({ admin }) => admin), asked], [[true], 1]);
});
