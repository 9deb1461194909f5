/** Communities: made, with groups put in and taken out, and ended; the phones and stock Baileys see them (docs/spec/communities.md). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../support/wait.ts';
import { ada, bob, callsOf, cyd, type Rig, startRig } from '../say/rig.ts';

interface Community {
  readonly jid: string;
  readonly subject: string;
  readonly description: string | null;
  readonly groups: readonly { readonly jid: string; readonly subject: string; readonly role: string }[];
  readonly people: readonly { readonly number: string }[];
}

describe('communities', () => {
  let rig: Rig;
  let town: Community;
  let tea: string;
  let chess: string;
  const { done, refused } = callsOf(() => rig);
  const made = async (subject: string, members: readonly string[]): Promise<string> =>
    (await done('POST', '/groups', { subject, members })).group.jid;
  const show = async (jid = town.jid): Promise<Community> => (await done('GET', `/communities/${jid}`)).community;
  const communityOf = async (group: string) => (await done('GET', `/groups/${group}`)).group.community;
  const ofRole = ({ groups }: Community, role: string) => groups.filter((group) => group.role === role);

  const announcementsOf = (community: Community) => ofRole(community, 'announcements')[0]!;

  before(async () => {
    rig = await startRig();
    tea = await made('Tea', [bob]);
    chess = await made('Chess', [cyd]);
  });
  after(() => rig[Symbol.asyncDispose]());

  it('are made with groups and an announcement group, which all of their people are in', async () => {
    const body = { subject: 'Town', description: 'All of us', groups: [tea, rig.group] };
    const { community, results } = await done('POST', '/communities', body);
    town = community;
    assert.deepEqual([community.subject, community.description], ['Town', 'All of us']);
    assert.deepEqual(results, [
      { group: tea, result: 'linked', reason: null },
      { group: rig.group, result: 'refused', reason: 'the account is not an administrator of the group' },
    ]);
    assert.deepEqual(ofRole(community, 'group'), [{ jid: tea, subject: 'Tea', role: 'group' }]);
    const announcements = announcementsOf(community);
    assert.equal(announcements.subject, 'Town');
    assert.deepEqual(await communityOf(tea), { jid: town.jid, role: 'group' });
    await eventually(
      'the announcement group',
      async () => (await communityOf(announcements.jid))?.role === 'announcements',
    );
    const numbers = (await show()).people.map(({ number }) => number).toSorted();
    assert.deepEqual(numbers.length, 2);
    assert.ok(numbers.includes(bob));
    const metadata = await rig.companion.socket.groupMetadata(announcements.jid);
    assert.deepEqual([metadata.linkedParent, metadata.isCommunityAnnounce], [town.jid, true]);
    const listed = (await done('GET', '/communities')).communities as Community[];
    assert.deepEqual(
      listed.map(({ jid, groups }) => [jid, groups.length]),
      [[town.jid, 2]],
    );
    assert.ok((await done('GET', '/groups')).groups.every(({ jid }: { jid: string }) => jid !== town.jid));
  });

  it('take groups in and let them go, each told once', async () => {
    await done('PUT', `/communities/${town.jid}/groups/${chess}`);
    assert.deepEqual(
      ofRole(await show(), 'group')
        .map(({ jid }) => jid)
        .toSorted(),
      [tea, chess].toSorted(),
    );
    assert.ok((await show()).people.some(({ number }) => number === cyd));
    await done('DELETE', `/communities/${town.jid}/groups/${chess}`);
    assert.equal(await communityOf(chess), null);
    const { events } = await done('GET', '/events?types=group.updated&limit=1000');
    const changes = (events as { data: { group: string; change: object } }[])
      .filter(({ data }) => data.group === chess && 'community' in data.change)
      .map(({ data }) => data.change);
    assert.deepEqual(changes, [{ community: { jid: town.jid, role: 'group' } }, { community: null }]);
  });

  it('take no messages: those go to the announcement group', async () => {
    const why = 'to is a community, which has no messages: its announcement group has them';
    const held = (await done('GET', '/messages')).messages.length;
    for (const [kind, body] of [
      ['text', { message: 'hello' }],
      ['poll', { question: 'Tea?', options: ['yes', 'no'] }],
    ] as const)
      assert.deepEqual(await refused('POST', `/messages/${kind}`, { to: town.jid, ...body }), [400, why]);
    assert.equal((await done('GET', '/messages')).messages.length, held);
    assert.deepEqual(await refused('GET', `/chats/${town.jid}`), [404, 'Chat not found']);
  });

  it('refuse in words what is wrong', async () => {
    const rule = 'community must be the JID of a community: <id>@g.us';
    const emptySubject =
      'subject must be a string of 1 to 100 characters, at least one of them visible, and none U+0000';
    for (const [method, path, body, answer] of [
      [
        'PUT',
        `/communities/${town.jid}/groups/${town.jid}`,
        undefined,
        [400, 'group must not be the community itself'],
      ],
      [
        'PUT',
        `/communities/${town.jid}/groups/${tea}`,
        undefined,
        [400, 'The network refuses it: the group is in a community already'],
      ],
      ['PUT', `/communities/${tea}/groups/${chess}`, undefined, [400, 'community is a group and not a community']],
      ['GET', `/communities/${bob}`, undefined, [400, rule]],
      ['GET', '/communities/120363000000000009@g.us', undefined, [404, 'Community not found']],
      ['POST', '/communities', { subject: '' }, [400, emptySubject]],
      ['POST', '/communities', { subject: 'a\0' }, [400, emptySubject]],
      ['POST', '/communities', { subject: 'x', groups: [tea, tea] }, [400, `groups names ${tea} twice`]],
      ['POST', '/communities', { subject: 'x', groups: ['tea'] }, [400, 'group must be the JID of a group: <id>@g.us']],
    ] as const)
      assert.deepEqual(await refused(method, path, body), answer, `${method} ${path}`);
  });

  it('are left with all of their groups, unless nobody else is an administrator', async () => {
    const groups = [await made('Street', [bob])];
    const { jid } = (await done('POST', '/communities', { subject: 'Village', groups })).community as Community;
    assert.deepEqual(await refused('POST', `/communities/${jid}/leave`), [
      400,
      'Name another administrator of this community first, or end it',
    ]);
    await rig.installation.phones.request('PATCH', `/groups/${jid}`, { promote: [bob] });
    const announcements = announcementsOf(await show(jid));
    await done('POST', `/communities/${jid}/leave`);
    assert.deepEqual(await refused('GET', `/communities/${jid}`), [404, 'Community not found']);
    assert.deepEqual(await refused('POST', `/communities/${jid}/leave`), [404, 'Community not found']);
    for (const left of [...groups, announcements.jid])
      assert.deepEqual(await refused('GET', `/groups/${left}`), [404, 'Group not found']);
    const { events } = await done('GET', '/events?types=group.left&limit=1000');
    const wanted = [...groups, announcements.jid, jid];
    const told = (events as { data: { group: string; reason: string } }[])
      .filter(({ data }) => wanted.includes(data.group))
      .map(({ data }) => `${data.group} ${data.reason}`);
    assert.deepEqual(told.toSorted(), wanted.map((group) => `${group} left`).toSorted());
  });

  it('have groups made inside them', async () => {
    const { group } = await done('POST', '/groups', { subject: 'Choir', members: [cyd], community: town.jid });
    assert.deepEqual(group.community, { jid: town.jid, role: 'group' });
    const shown = await show();
    assert.ok(ofRole(shown, 'group').some(({ jid }) => jid === group.jid));
    assert.ok(shown.people.some(({ number }) => number === cyd));
    const rule = 'community must be the JID of a community: <id>@g.us';
    for (const [community, answer] of [
      ['120363000000000009@g.us', [404, 'Community not found']],
      [tea, [400, 'community is a group and not a community']],
      [bob, [400, rule]],
      ['x'.repeat(1_000), [400, 'community must be the JID of a community']],
    ] as const) {
      assert.deepEqual(
        await refused('POST', '/groups', { subject: 'None', members: [], community }),
        answer,
        community,
      );
    }
    const { groups } = await rig.installation.phones.request<{ groups: { subject: string }[] }>(
      'GET',
      `/phones/${ada}/groups`,
    );
    assert.ok(groups.every(({ subject }) => subject !== 'None'));
  });

  it('end, and their groups stay', async () => {
    const announcements = announcementsOf(await show());
    await done('DELETE', `/communities/${town.jid}`);
    assert.deepEqual(await refused('GET', `/communities/${town.jid}`), [404, 'Community not found']);
    await eventually('the group is alone', async () => (await communityOf(tea)) === null);
    await eventually(
      'its announcements are gone',
      async () => (await rig.installation.api.get(`/devices/${rig.id}/groups/${announcements.jid}`)).status === 404,
    );
    assert.deepEqual((await done('GET', '/communities')).communities, []);
  });
});
