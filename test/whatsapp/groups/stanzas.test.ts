/** Groups as stanzas describe them: both addresses of people, results by code, and notices of every kind. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BinaryNode } from 'baileys';
import { isMember, memberJids } from '../../../src/domain/groups/changes.ts';
import type { GroupSession } from '../../../src/whatsapp/groups/group-session.ts';
import { resultsIn } from '../../../src/whatsapp/groups/members.ts';
import { readNotice } from '../../../src/whatsapp/groups/notices.ts';
import { readGroup } from '../../../src/whatsapp/groups/read-group.ts';

const peek = (jid: string) => ({
  phone: jid.endsWith('@s.whatsapp.net') ? jid : null,
  lid: jid.endsWith('@lid') ? jid : null,
});
const context = { peek, now: 5 };
const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content };
const [ann, bob] = ['4915550000001@s.whatsapp.net', '4915550000002@s.whatsapp.net'];
const people = {
  ann: { jid: ann, number: '4915550000001', lid: '1@lid' },
  bob: { jid: bob, number: '4915550000002', lid: '2@lid' },
};

describe('stanzas of groups', () => {
  it('a group of either namespace has both addresses of its members, and is written to by its own', () => {
    const byLid = node('group', { id: '120', addressing_mode: 'lid', creator: '1@lid', creator_pn: ann }, [
      node('participant', { jid: '1@lid', phone_number: ann, type: 'superadmin' }),
      node('participant', { jid: '2@lid', phone_number: bob }),
      node('participant', { jid: '3@lid', error: '403' }),
      node('linked_parent', { jid: '130@g.us' }),
      node('default_sub_group'),
      node('membership_approval_mode', {}, [node('group_join', { state: 'on' })]),
      node('announcement'),
    ]);
    const byPhone = node('group', { id: '120@g.us' }, [
      node('participant', { jid: ann, lid: '1@lid', type: 'admin' }),
      node('participant', { jid: bob, lid: '2@lid' }),
    ]);
    const group = readGroup(byLid, peek, 5)!;
    assert.partialDeepStrictEqual(group, {
      jid: '120@g.us',
      owner: people.ann,
      community: { jid: '130@g.us', role: 'announcements' },
      joinApproval: true,
      announceOnly: true,
    });
    const other = readGroup(byPhone, peek, 5)!;
    const members = [
      { person: people.ann, admin: true },
      { person: people.bob, admin: false },
    ];
    assert.deepEqual([group.members, other.members], [members, members]);
    assert.deepEqual(
      [memberJids(group), memberJids(other)],
      [
        ['1@lid', '2@lid'],
        [ann, bob],
      ],
    );
    // Known by either address.
    assert.ok(isMember(group, { jid: '2@lid', number: null, lid: '2@lid' }));
    assert.ok(isMember(group, { ...people.bob, lid: null }));
  });

  it('each person has a result in words, by the code', () => {
    const session = { lidMapping: { peek } } as unknown as GroupSession;
    const of = (act: 'add' | 'remove', error?: string, content?: BinaryNode[]) => {
      const attrs = { jid: '2@lid', phone_number: bob, ...(error !== undefined && { error }) };
      const [result] = resultsIn(session, node(act, {}, [node('participant', attrs, content)]), act, [people.bob]);
      return [result!.result, result!.reason, result!.invite?.code];
    };
    const request = [node('add_request', { code: 'C', expiration: '9' })];
    assert.deepEqual(of('add'), ['added', null, undefined]);
    assert.deepEqual(of('add', '200'), ['added', null, undefined]);
    assert.deepEqual(of('add', '403', request), ['invited', 'the person does not let the account add them', 'C']);
    const words: Readonly<Record<string, string>> = {
      401: 'the person has blocked the account',
      403: 'the person does not let the account add them',
      404: 'no account has this number or LID',
      408: 'the person left the group recently',
      409: 'the person is a member already',
      417: 'the person cannot be added to the community',
      419: 'the group is full',
      500: 'the network had an error of its own; try again later',
      599: 'the network refused it (599)',
    };
    for (const [code, reason] of Object.entries(words))
      assert.deepEqual(of('add', code), ['refused', reason, undefined]);
    assert.deepEqual(of('remove', '404'), ['refused', 'the person is not a member', undefined]);
    assert.deepEqual(of('remove', '403'), ['refused', 'the owner of a group stays its administrator', undefined]);
    const [silent] = resultsIn(session, node('add'), 'add', [people.bob]);
    assert.deepEqual([silent!.result, silent!.reason], ['refused', 'the network did not answer for this person']);
  });

  it('a notice of several changes tells each, in its order, and unknown ones not at all', () => {
    const attrs = { type: 'w:gp2', from: '120@g.us', id: 'N', participant: '1@lid', participant_pn: ann };
    const notice = (...content: BinaryNode[]) => readNotice(node('notification', attrs, content), context);
    const bobs = [node('participant', { jid: '2@lid', phone_number: bob })];
    const { by, steps } = notice(
      node('modify', {}, bobs),
      node('created_membership_requests', {}, [node('requested_user', { jid: '2@lid', phone_number: bob })]),
      node('revoked_membership_requests', {}, bobs),
      node('membership_approval_mode', {}, [node('group_join', { state: 'off' })]),
      node('announcement'),
      node('link', { link_type: 'parent_group' }, [node('group', { jid: '130@g.us' })]),
      node('unlink', { unlink_type: 'parent_group' }),
      node('something_new', {}, bobs),
    );
    assert.deepEqual(by, people.ann);
    assert.deepEqual(
      steps.map((step) => (step.kind === 'change' ? step.change : step.kind)),
      [
        { numberChanged: { from: people.ann, to: people.bob } },
        { requested: [people.bob] },
        { requestsEnded: [people.bob] },
        { joinApproval: false },
        { announceOnly: true },
        { community: { jid: '130@g.us', role: 'group' } },
        { community: null },
      ],
    );
  });
});
