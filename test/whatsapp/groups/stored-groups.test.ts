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

const jid = '12036301@g.us';
const [one, other] = ['900001@lid', '900002@lid'].map((member) => ({ tag: 'participant', attrs: { jid: member } }));
const participants = [one!, other!];

const described = (attrs: BinaryNode['attrs'], content: BinaryNode[] = participants): BinaryNode => ({
  tag: 'group',
  attrs: { id: '12036301', subject: 'Us', p_v_id: '4', ...attrs },
  content,
});

const noticeOf = (id: string, change: BinaryNode): BinaryNode => ({
  tag: 'notification',
  attrs: { from: jid, id, type: 'w:gp2', t: '1760000000' },
  content: [change],
});

const memberChange = (id: string, tag: string, before: number, who: BinaryNode): BinaryNode =>
  noticeOf(id, { tag, attrs: { prev_v_id: String(before), v_id: String(before + 1) }, content: [who] });

const startOne = async (rig: Awaited<ReturnType<typeof startIntakes>>, description: () => BinaryNode) => {
  let asked = 0;
  const askOne = async (): Promise<BinaryNode> => {
    asked += 1;
    return description();
  };
  const groups = storedGroups(rig, { askAll: async () => [description()], askOne });
  await groups.current(jid);
  return { groups, timesAsked: () => asked };
};

const updates = async (rig: Awaited<ReturnType<typeof startIntakes>>): Promise<object[]> =>
  (await rig.events()).flatMap((event) => (event.type === 'group.updated' ? [event.data.change] : []));

test('notices that come again, as their acknowledgements were lost, leave the members as the notices told', async () => {
  await using rig = await startIntakes();
  const { groups, timesAsked } = await startOne(rig, () => described({}));
  const [promoted, removed] = [memberChange('1', 'promote', 4, one!), memberChange('2', 'remove', 5, other!)];
  const added = memberChange('3', 'add', 6, other!);
  for (const notice of [promoted, promoted, removed, added, promoted, removed, added]) await groups.notice(notice);
  const known = await groups.lastKnown(jid);
  assert.deepEqual([known.members.map(({ admin }) => admin), timesAsked()], [[true, false], 1]);
  assert.equal((await updates(rig)).length, 3);
});

test('a change that follows the stored version is news, whatever the number of its own', async () => {
  await using rig = await startIntakes();
  const { groups, timesAsked } = await startOne(rig, () => described({}));
  await groups.current(jid);
  await groups.notice(noticeOf('1', { tag: 'promote', attrs: { prev_v_id: '4', v_id: '3' }, content: [one!] }));
  const known = await groups.lastKnown(jid);
  assert.deepEqual([known.members.map(({ admin }) => admin), timesAsked()], [[true, false], 1]);
});

test('notices that have waited while the group was asked for are no news', async () => {
  await using rig = await startIntakes();
  const description = {
    tag: 'description',
    attrs: { t: '1760000005' },
    content: [{ tag: 'body', attrs: {}, content: 'new' }],
  };
  const { groups, timesAsked } = await startOne(rig, () =>
    described({ subject: 'New', s_t: '1760000009', p_v_id: '9' }, [...participants, description]),
  );
  const before = await groups.lastKnown(jid);
  await groups.notice(memberChange('1', 'remove', 4, other!));
  await groups.notice(memberChange('2', 'promote', 5, one!));
  await groups.notice(noticeOf('3', { tag: 'subject', attrs: { subject: 'Old', s_t: '1760000000' } }));
  await groups.notice(
    noticeOf('4', { tag: 'description', attrs: {}, content: [{ tag: 'body', attrs: {}, content: 'old' }] }),
  );
  await groups.notice(noticeOf('5', { tag: 'create', attrs: {}, content: [described({ subject: 'Old' }, [one!])] }));
  assert.deepEqual([await groups.lastKnown(jid), timesAsked(), await updates(rig)], [before, 1, []]);
  await groups.notice(noticeOf('6', { tag: 'subject', attrs: { subject: 'Newest', s_t: '1760000009' } }));
  assert.deepEqual(await updates(rig), [{ subject: 'Newest' }]);
});

test('an invitation that tells of several changes of a known group tells each', async () => {
  await using rig = await startIntakes();
  const { groups } = await startOne(rig, () => described({}));
  await groups.notice(
    noticeOf('1', { tag: 'create', attrs: {}, content: [described({ subject: 'New', p_v_id: '5' }, [one!])] }),
  );
  assert.deepEqual(
    (await updates(rig)).map((change) => Object.keys(change)),
    [['subject'], ['removed']],
  );
});
