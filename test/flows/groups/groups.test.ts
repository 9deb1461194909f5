/** Groups: listed, made, changed, joined and left through the interface, and told whoever changes them (docs/spec/groups.md). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { eventually } from '../../support/wait.ts';
import { isChat, makesOnce } from './groups.once.ts';
import { refusals } from './groups.refusals.ts';
import { ada, bob, cyd, callsOf, type Rig, startRig } from '../say/rig.ts';
import { reconnectsOf, untilOpen, untilReconnected } from '../steps.ts';

type Data = Readonly<Record<string, unknown>> & { readonly group: string; readonly change?: object };

describe('groups', () => {
  let rig: Rig;
  const { done, refused } = callsOf(() => rig);
  const control = <T>(method: string, path: string, body?: unknown) =>
    rig.installation.phones.request<T>(method, path, body);
  const kinds = 'group.updated,group.joined,group.left';
  const told = async (group: string): Promise<readonly (readonly [string, Data])[]> =>
    (await rig.installation.api.get(`/devices/${rig.id}/events?types=${kinds}&limit=1000`)).body.events
      .map(({ type, data }: { type: string; data: Data }) => [type, data] as const)
      .filter(([, data]: readonly [string, Data]) => data.group === group);
  /** Waits for so many events, and gives the changes and reasons in them. */
  const changes = async (group: string, count: number): Promise<readonly unknown[]> => {
    const events = await eventually(`${count} events`, async () => {
      const all = await told(group);
      return all.length >= count && all;
    });
    return events.map(([, data]) => data['change'] ?? data['reason']);
  };
  const people = (results: readonly { person: { number: string }; result: string; reason: string | null }[]) =>
    results.map(({ person, result, reason }) => [person.number, result, reason]);
  const person = async (number: string) => {
    const { phone } = await control<{ phone: { jid: string; lid: string } }>('GET', `/phones/${number}`);
    return { jid: phone.jid, number, lid: phone.lid, username: null };
  };

  before(async () => {
    rig = await startRig();
  });
  after(() => rig[Symbol.asyncDispose]());

  it('lists what the account is in, and asks the network once', async () => {
    const { groups } = await done('GET', '/groups');
    assert.equal(groups.length, 1);
    const [group] = groups;
    assert.deepEqual(
      [group.jid, group.subject, group.owner.number, group.memberAddMode, group.community, group.expiresInSeconds],
      [rig.group, 'Friends', bob, 'everyone', null, null],
    );
    assert.deepEqual(group.members, [
      { person: await person(bob), admin: true },
      { person: await person(ada), admin: false },
      { person: await person(cyd), admin: false },
    ]);
    // A network that answers nothing is not asked again.
    await control('PUT', '/faults', { latencyMs: 60_000 });
    assert.equal((await done('GET', '/groups')).groups.length, 1);
    assert.equal((await done('GET', `/groups/${rig.group}`)).group.subject, 'Friends');
    await control('DELETE', '/faults');
    await rig.installation.api.call('POST', `/devices/${rig.id}/restart`);
    await untilOpen(rig.installation, rig.id);
  });

  it('tells once what others change, also what they change while the device is away', async () => {
    const patch = (body: object) => control('PATCH', `/groups/${rig.group}`, body);
    await patch({ subject: 'Tea', description: 'All of tea', announceOnly: true, locked: true });
    await patch({ joinApproval: true, memberAddMode: 'admins' });
    await rig.companion.socket.groupParticipantsUpdate(rig.group, [(await person(cyd)).lid], 'promote');
    const expected = [
      { subject: 'Tea' },
      { description: 'All of tea' },
      { announceOnly: true },
      { locked: true },
      { joinApproval: true },
      { memberAddMode: 'admins' },
      { promoted: [await person(cyd)] },
    ];
    assert.deepEqual(await changes(rig.group, 7), expected);
    assert.deepEqual((await told(rig.group))[0]?.[1]['by'], await person(bob));
    const { group } = await done('GET', `/groups/${rig.group}`);
    assert.deepEqual(
      [group.subject, group.description, group.announceOnly, group.locked, group.joinApproval, group.memberAddMode],
      ['Tea', 'All of tea', true, true, true, 'admins'],
    );
    assert.equal(group.members[2].admin, true);

    const dropped = async () => {
      const reconnects = await reconnectsOf(rig.installation, rig.id);
      await control('POST', '/drop', { number: ada });
      return () => untilReconnected(rig.installation, rig.id, reconnects);
    };
    await control('PUT', '/faults', { refuseConnections: true });
    const back = await dropped();
    await patch({ announceOnly: false, locked: false });
    await patch({ joinApproval: false, remove: [cyd] });
    await rig.companion.socket.groupToggleEphemeral(rig.group, 86_400);
    await control('DELETE', '/faults');
    await back();
    await (
      await dropped()
    )();
    const while_ = [
      { announceOnly: false },
      { locked: false },
      { joinApproval: false },
      { removed: [await person(cyd)] },
    ];
    assert.deepEqual(await changes(rig.group, 12), [...expected, ...while_, { expiresInSeconds: 86_400 }]);
  });

  it('makes a group, with a result for each person; who may not be added gets an invitation', async () => {
    await rig.companion.socket.updateGroupsAddPrivacy('contacts');
    const { group, results } = await done('POST', '/groups', { subject: 'Us', members: [bob, cyd, '4915559999999'] });
    assert.deepEqual(people(results), [
      [bob, 'invited', 'the person does not let the account add them'],
      [cyd, 'added', null],
      ['4915559999999', 'refused', 'no account has this number'],
    ]);
    await rig.companion.socket.updateGroupsAddPrivacy('all');
    const invitation = await eventually('the invitation', () =>
      rig.companion.messages.find(({ message }) => message?.groupInviteMessage?.groupJid === group.jid),
    );
    const byBob = { key: invitation.key, message: invitation.message!.groupInviteMessage! };
    await rig.companion.socket.groupAcceptInviteV4((await person(ada)).lid, byBob.message);
    assert.deepEqual(await changes(group.jid, 2), ['created', { added: [await person(bob)] }]);
    const { groups } = await done('GET', '/groups');
    assert.deepEqual(groups.map(({ subject }: { subject: string }) => subject).sort(), ['Tea', 'Us']);
  });

  it('makes one group for one Idempotency-Key, also where the first answer was lost', () => makesOnce(rig));

  it('is a chat before its first message, and is not written to after the account has left it', () => isChat(rig));

  it('changes a group, and each change is told once, though the network repeats it', async () => {
    const { jid } = (await done('POST', '/groups', { subject: 'Work', members: [bob] })).group;
    const { group } = await done('PUT', `/groups/${jid}`, {
      subject: 'Works',
      description: 'Of work',
      announceOnly: true,
      joinApproval: true,
      memberAddMode: 'admins',
      expiresInSeconds: 604_800,
    });
    assert.deepEqual([group.subject, group.announceOnly, group.expiresInSeconds], ['Works', true, 604_800]);
    await done('POST', '/messages/text', { to: jid, message: 'To work' });
    const chat = `/chats/${jid}`;
    assert.partialDeepStrictEqual((await done('GET', chat)).chat, { name: 'Works', expiresInSeconds: 604_800 });
    assert.equal((await done('PUT', chat, { expiresInSeconds: null })).chat.expiresInSeconds, null);
    assert.equal((await done('GET', `/groups/${jid}`)).group.expiresInSeconds, null);
    assert.deepEqual(people((await done('POST', `/groups/${jid}/members`, { members: [cyd, bob] })).results), [
      [cyd, 'added', null],
      [bob, 'refused', 'the person is a member already'],
    ]);
    const of = (number: string) => `/groups/${jid}/members/${number}`;
    assert.deepEqual(people((await done('PUT', of(cyd), { admin: true })).results), [[cyd, 'promoted', null]]);
    assert.deepEqual(people((await done('DELETE', of(bob))).results), [[bob, 'removed', null]]);
    await control('PATCH', `/groups/${jid}`, { by: cyd, subject: 'Last' });
    assert.deepEqual(await changes(jid, 12), [
      'created',
      { subject: 'Works' },
      { description: 'Of work' },
      { announceOnly: true },
      { joinApproval: true },
      { memberAddMode: 'admins' },
      { expiresInSeconds: 604_800 },
      { expiresInSeconds: null },
      { added: [await person(cyd)] },
      { promoted: [await person(cyd)] },
      { removed: [await person(bob)] },
      { subject: 'Last' },
    ]);
    assert.deepEqual((await told(jid))[0]?.[1]['by'], await person(ada));
  });

  it('joins by a link, looks behind it, and decides about those who ask', async () => {
    const { jid } = await control<{ jid: string }>('POST', '/groups', {
      subject: 'Choir',
      owner: bob,
      participants: [],
    });
    const { code } = await control<{ code: string }>('POST', `/groups/${jid}/invite`);
    const { group } = await done('GET', `/invites/${code}`);
    assert.deepEqual([group.jid, group.subject, group.size], [jid, 'Choir', 1]);
    const link = `https://chat.whatsapp.com/${code}`;
    const joined = await done('POST', '/groups/join', { invite: link });
    assert.deepEqual([joined.group, joined.waits], [jid, false]);
    assert.deepEqual(await refused('POST', '/groups/join', { invite: link }), [
      400,
      'The account is a member of this group already',
    ]);
    await control('PATCH', `/groups/${jid}`, { promote: [ada], joinApproval: true });
    assert.equal((await done('GET', `/groups/${jid}/invite`)).invite.link, link);
    await control('POST', `/phones/${cyd}/join`, { code });
    const { requests } = await done('GET', `/groups/${jid}/requests`);
    assert.equal(requests[0].person.number, cyd);
    await done('PUT', `/groups/${jid}/requests/${cyd}`, { approved: true });
    const rotated = (await done('POST', `/groups/${jid}/invite/rotate`)).invite.code;
    assert.notEqual(rotated, code);
    const revoked = [400, 'invite was revoked: the group has another link now'];
    assert.deepEqual(await refused('GET', `/invites/${code}`), revoked);
    assert.deepEqual(await refused('POST', '/groups/join', { invite: code }), revoked);
    await done('DELETE', `/groups/${jid}`);
    const [me, other] = [await person(ada), await person(cyd)];
    assert.deepEqual(await changes(jid, 7), [
      'link',
      { joinApproval: true },
      { promoted: [me] },
      { requested: [other] },
      { added: [other] },
      { invite: 'rotated' },
      'left',
    ]);
    assert.deepEqual(await refused('GET', `/groups/${jid}`), [404, 'Group not found']);
  });

  it('tells of a number that changed, a community, and of a removal', async () => {
    const { jid } = await control<{ jid: string }>('POST', '/groups', {
      subject: 'Row',
      owner: bob,
      participants: [ada, cyd],
    });
    const abroad = '4915550009999';
    await control('POST', '/phones', { number: abroad, name: 'Cyd, abroad' });
    await changes(jid, 1);
    await control('POST', `/phones/${cyd}/move-groups`, { to: abroad });
    await control('PATCH', `/groups/${jid}`, { community: 'Town' });
    const community = { jid: jid.replace('1203630', '1203639'), role: 'group' };
    const moved = { from: await person(cyd), to: await person(abroad) };
    assert.deepEqual(await changes(jid, 3), ['added', { numberChanged: moved }, { community }]);
    assert.deepEqual((await done('GET', `/groups/${jid}`)).group.community, community);
    await control('PATCH', `/groups/${jid}`, { remove: [ada] });
    assert.deepEqual((await changes(jid, 4))[3], 'removed');
    assert.deepEqual(await refused('GET', `/groups/${jid}`), [404, 'Group not found']);
  });

  it('has a picture, which is set, shown and removed; each change is told once, whoever makes it', async () => {
    const { jid } = (await done('POST', '/groups', { subject: 'Faces', members: [bob] })).group;
    const path = `/groups/${jid}/picture`;
    const { api } = rig.installation;
    assert.deepEqual(await refused('GET', path), [404, 'Picture not found']);
    await done('DELETE', path);
    const wide = await sharp({ create: { width: 90, height: 30, channels: 4, background: 'red' } })
      .png()
      .toBuffer();
    const body = { mediaBase64: wide.toString('base64') };
    assert.equal((await done('PUT', path, body)).group.jid, jid);
    const shown = await api.fetch(`/devices/${rig.id}${path}`);
    const { format, width, height } = await sharp(Buffer.from(await shown.arrayBuffer())).metadata();
    assert.deepEqual([shown.headers.get('content-type'), format, width, height], ['image/jpeg', 'jpeg', 640, 640]);
    assert.match((await rig.companion.socket.profilePictureUrl(jid)) ?? '', /^https:/);
    await rig.companion.socket.updateProfilePicture(jid, wide);
    await changes(jid, 3);
    await done('DELETE', path);
    await assert.rejects(rig.companion.socket.profilePictureUrl(jid), /item-not-found/);
    await control('PATCH', `/groups/${jid}`, { by: bob, pictureBase64: body.mediaBase64 });
    await changes(jid, 5);
    await control('PATCH', `/groups/${jid}`, { promote: [bob], locked: true });
    const [set, removed] = [{ picture: 'set' }, { picture: 'removed' }];
    const promoted = { promoted: [await person(bob)] };
    assert.deepEqual(await changes(jid, 7), ['created', set, set, removed, set, { locked: true }, promoted]);
    const { jid: bobs } = await control<{ jid: string }>('POST', '/groups', {
      subject: 'Locked',
      owner: bob,
      participants: [ada],
    });
    await control('PATCH', `/groups/${bobs}`, { locked: true, pictureBase64: body.mediaBase64 });
    const locked = `/groups/${bobs}/picture`;
    const words = [400, 'The account is not an administrator of this group'];
    assert.deepEqual(await refused('PUT', locked, body), words);
    assert.deepEqual(await refused('DELETE', locked), words);
    assert.deepEqual(await refused('PUT', `/groups/${bobs}`, { expiresInSeconds: 86_400 }), words);
    const none = { mediaBase64: Buffer.from('no picture').toString('base64') };
    const wrong = [400, 'Invalid image format (only PNG, JPEG, GIF, WebP allowed)'];
    assert.deepEqual(await refused('PUT', path, none), wrong);
    assert.deepEqual(await refused('PUT', '/groups/120363000000000000@g.us/picture', body), [404, 'Group not found']);
    assert.equal(await api.fetch(`/devices/${rig.id}${locked}`).then(({ status }) => status), 200);
  });

  it('refuses in words what the caller or the account may not do', async () => {
    const { jid } = (await done('POST', '/groups', { subject: 'Own', members: [bob] })).group;
    const cases = refusals({ own: jid, other: rig.group, bobsLid: (await person(bob)).lid });
    for (const [method, path, body, status, words] of cases) {
      const [code, message] = await refused(method, path, body);
      assert.equal(code, status, `${method} ${path}: ${String(message)}`);
      if (typeof words === 'string') assert.equal(message, words);
      else assert.match(String(message), words);
    }
    assert.deepEqual(await changes(jid, 1), ['created']);
  });
});
