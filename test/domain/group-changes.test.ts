/** Changes of members, of groups as large as a stanza can make them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyChange } from '../../src/domain/groups/changes.ts';
import type { KeptGroup } from '../../src/domain/groups/group.ts';
import type { Person } from '../../src/domain/messages/parts.ts';
import { cpuMsOf } from '../support/cpu.ts';

const personOf = (n: number): Person => ({
  jid: `${4_910_000_000 + n}@s.whatsapp.net`,
  number: String(4_910_000_000 + n),
  lid: `${n}@lid`,
});
/** People known by the LID alone. */
const byLid = (n: number): Person => ({ jid: `${n}@lid`, number: null, lid: `${n}@lid` });
const many = 65_000;
const all = (of: (n: number) => Person): Person[] => Array.from({ length: many }, (_, n) => of(n));

const group: KeptGroup = {
  jid: '120363000000000001@g.us',
  subject: 'G',
  description: null,
  owner: null,
  createdAt: null,
  members: [],
  announceOnly: false,
  locked: false,
  joinApproval: false,
  memberAddMode: 'everyone',
  expiresInSeconds: null,
  community: null,
  isMember: true,
  isCommunity: false,
  hasPicture: null,
  version: null,
  checkedAt: 0,
  addressing: 'lid',
};

test('group changes: members by either address, 65,000 of them in less than a second each', () => {
  const ms = cpuMsOf(() => {
    const added = applyChange(group, { added: all(personOf) }).group;
    assert.equal(applyChange(added, { added: all(byLid) }).news, null);
    const promoted = applyChange(added, { promoted: all(byLid) }).group;
    assert.ok(promoted.members.every(({ admin }) => admin));
    assert.equal(applyChange(promoted, { promoted: all(personOf) }).news, null);
    assert.deepEqual(applyChange(promoted, { removed: all(byLid) }).group.members, []);
  });
  // Each took a minute, as the square of their number.
  assert.ok(ms < 5_000, `${ms} ms`);
});

test('a notice of a link that comes after the description of the group takes no role away', () => {
  const community = { jid: '120363000000000009@g.us', role: 'announcements' } as const;
  const described = { ...group, community };
  const told = applyChange(described, { community: { ...community, role: 'group' } });
  assert.deepEqual([told.group.community, told.news], [community, null]);
  assert.equal(applyChange(described, { community: null }).group.community, null);
});
