/** Groups as stock clients change them: settings, members, links, invitations and requests; who may, and who is told. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BinaryNode, WASocket } from 'baileys';
import { childOf, childrenOf, textOf } from '../../../sandbox/src/base/nodes.ts';
import type { Phone } from '../../../sandbox/src/phones/phone.ts';
import { restoreHub } from '../../../sandbox/src/server/hub.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/src/sandbox.ts';
import { phonesOf } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { Companion } from '../companion.ts';

let sandbox: Sandbox;
let ada: Companion;
let bob: Companion;
let adasPhone: Phone;
let bobsPhone: Phone;
let cyd: Phone;
let control: ReturnType<typeof phonesOf>;
/** Notices of groups by client. */
const told = new Map<Companion, BinaryNode[]>();

before(async () => {
  sandbox = await startSandbox();
  control = phonesOf(sandbox.controlUrl);
  [adasPhone, bobsPhone, cyd] = ['Ada', 'Bob', 'Cyd'].map((name, n) =>
    sandbox.phones.create(`49151000080${n}`, name),
  ) as [Phone, Phone, Phone];
  [ada, bob] = [new Companion(sandbox), new Companion(sandbox)];
  await ada.link((qr) => adasPhone.scan(qr));
  await bob.link((qr) => bobsPhone.scan(qr));
  for (const client of [ada, bob]) {
    const notices: BinaryNode[] = [];
    told.set(client, notices);
    client.socket.ws.on('CB:notification,type:w:gp2', (node: BinaryNode) => notices.push(node));
  }
});
after(async () => {
  await Promise.all([ada, bob].map((client) => client[Symbol.asyncDispose]()));
  await sandbox.close();
});

/** The notice with this change that a client has got of a group. */
const notice = (client: Companion, group: string, tag: string): Promise<BinaryNode> =>
  eventually(`<${tag}>`, () => told.get(client)!.find((node) => node.attrs.from === group && childOf(node, tag)));

const newGroup = async (...members: readonly Phone[]): Promise<string> => {
  const lids = members.map(({ account }) => account.lid);
  return (await ada.socket.groupCreate('Tea', lids)).id;
};

const change = (group: string, body: object): Promise<{ results: Record<string, string | null> }> =>
  control.request('PATCH', `/groups/${group}`, body);

test('an administrator sets what a group says and permits; every member is told, the one who did it too', async () => {
  const group = await newGroup(bobsPhone);
  await ada.socket.groupUpdateDescription(group, 'All of tea');
  await ada.socket.groupSettingUpdate(group, 'announcement');
  await ada.socket.groupSettingUpdate(group, 'locked');
  await ada.socket.groupMemberAddMode(group, 'admin_add');
  await ada.socket.groupJoinApprovalMode(group, 'on');
  for (const client of [ada, bob]) {
    for (const tag of ['create', 'description', 'announcement', 'locked', 'member_add_mode']) {
      const { attrs } = await notice(client, group, tag);
      assert.deepEqual([attrs.participant, attrs.participant_pn], [adasPhone.account.lid, adasPhone.account.jid]);
    }
    const approval = childOf(await notice(client, group, 'membership_approval_mode'), 'membership_approval_mode');
    assert.equal(childOf(approval, 'group_join')?.attrs.state, 'on');
  }
  const { desc, descOwner, announce, restrict, memberAddMode, joinApprovalMode } =
    await bob.socket.groupMetadata(group);
  assert.deepEqual(
    { desc, descOwner, announce, restrict, memberAddMode, joinApprovalMode },
    {
      desc: 'All of tea',
      descOwner: adasPhone.account.lid,
      announce: true,
      restrict: true,
      memberAddMode: false,
      joinApprovalMode: true,
    },
  );
  await ada.socket.groupUpdateDescription(group, 'Green tea');
  await ada.socket.groupUpdateDescription(group);
  await ada.socket.groupSettingUpdate(group, 'not_announcement');
  const all = await bob.socket.groupFetchAllParticipating();
  assert.deepEqual([all[group]?.desc, all[group]?.announce], [undefined, false]);
});

test('what a member may not do is refused, and nobody is told', async () => {
  const group = await newGroup(bobsPhone);
  const locked = [
    () => bob.socket.groupUpdateSubject(group, 'Coffee'),
    () => bob.socket.groupUpdateDescription(group, 'No tea'),
    () => bob.socket.removeProfilePicture(group),
  ];
  const forAdministrators: (() => Promise<unknown>)[] = [
    () => bob.socket.groupSettingUpdate(group, 'announcement'),
    () => bob.socket.groupMemberAddMode(group, 'admin_add'),
    () => bob.socket.groupJoinApprovalMode(group, 'on'),
    () => bob.socket.groupParticipantsUpdate(group, [adasPhone.account.lid], 'demote'),
    () => bob.socket.groupRequestParticipantsUpdate(group, [cyd.account.lid], 'approve'),
    () => bob.socket.groupRevokeInviteV4(group, cyd.account.lid),
  ];
  await ada.socket.groupSettingUpdate(group, 'locked');
  for (const call of [...locked, ...forAdministrators]) await assert.rejects(call(), /forbidden/);
  for (const call of ['groupInviteCode', 'groupRevokeInvite', 'groupRequestParticipantsList'] as const) {
    await assert.rejects(bob.socket[call](group), /not-authorized/);
  }
  await ada.socket.groupMemberAddMode(group, 'admin_add');
  await assert.rejects(bob.socket.groupParticipantsUpdate(group, [cyd.account.lid], 'add'), /forbidden/);
  await assert.rejects(ada.socket.groupUpdateSubject(group, 'x'.repeat(101)), /not-acceptable/);
  await assert.rejects(bob.socket.groupMetadata(`${group.slice(0, 6)}@g.us`), /item-not-found/);
  const byBob = told.get(ada)!.filter(({ attrs }) => attrs.participant === bobsPhone.account.lid);
  assert.deepEqual(byBob, []);
});

/** The code with which the network refuses a message, or null. */
const sendError = async (socket: WASocket, group: string): Promise<string | null> => {
  const acks: BinaryNode[] = [];
  const keep = (node: BinaryNode) => acks.push(node);
  socket.ws.on('CB:ack,class:message', keep);
  const sent = await socket.sendMessage(group, { text: 'hello' });
  const ack = await eventually('the ack', () => acks.find(({ attrs }) => attrs.id === sent!.key.id));
  socket.ws.off('CB:ack,class:message', keep);
  return ack.attrs.error ?? null;
};

test('where only administrators write, a message of another member is refused', async () => {
  const group = await newGroup(bobsPhone);
  await ada.socket.groupSettingUpdate(group, 'announcement');
  assert.equal(await sendError(bob.socket, group), '420');
  assert.equal(await sendError(ada.socket, group), null);
  await ada.socket.groupParticipantsUpdate(group, [bobsPhone.account.lid], 'promote');
  assert.equal(await sendError(bob.socket, group), null);
});

test('a link leads into the group until it is another one; who was removed cannot come back by it', async () => {
  const group = await newGroup();
  const code = (await ada.socket.groupInviteCode(group))!;
  assert.equal(await ada.socket.groupInviteCode(group), code);
  const seen = await bob.socket.groupGetInviteInfo(code);
  assert.deepEqual([seen.id, seen.subject, seen.size], [group, 'Tea', 1]);
  assert.equal(await bob.socket.groupAcceptInvite(code), group);
  assert.equal(childOf(await notice(ada, group, 'add'), 'add')?.attrs.reason, 'invite');
  assert.equal(childOf(await notice(bob, group, 'create'), 'create')?.attrs.reason, 'invite');
  await assert.rejects(bob.socket.groupAcceptInvite(code), /conflict/);

  const next = (await ada.socket.groupRevokeInvite(group))!;
  assert.notEqual(next, code);
  assert.equal(childOf(await notice(ada, group, 'invite'), 'invite')?.attrs.code, next);
  await assert.rejects(bob.socket.groupGetInviteInfo(code), /gone/);
  await assert.rejects(bob.socket.groupAcceptInvite(code), /gone/);
  await assert.rejects(bob.socket.groupGetInviteInfo('nothing'), /not-acceptable/);
  await ada.socket.groupParticipantsUpdate(group, [bobsPhone.account.lid], 'remove');
  await assert.rejects(bob.socket.groupAcceptInvite(next), /not-allowed/);
  assert.deepEqual(await control.request('POST', `/phones/${cyd.account.number}/join`, { code: next }), {
    group,
    waits: false,
  });
});

test('who asks to join waits for an administrator, and is told of a refusal', async () => {
  const group = await newGroup();
  await ada.socket.groupJoinApprovalMode(group, 'on');
  const code = (await ada.socket.groupInviteCode(group))!;
  assert.equal(await bob.socket.groupAcceptInvite(code), undefined);
  const joined = await control.request<{ waits: boolean }>('POST', `/phones/${cyd.account.number}/join`, { code });
  assert.equal(joined.waits, true);
  const created = childOf(await notice(ada, group, 'created_membership_requests'), 'created_membership_requests');
  assert.deepEqual(
    [created?.attrs.request_method, childOf(created, 'requested_user')?.attrs],
    ['invite_link', { jid: bobsPhone.account.lid, phone_number: bobsPhone.account.jid }],
  );
  const requests = await ada.socket.groupRequestParticipantsList(group);
  assert.deepEqual(
    requests.map(({ jid, phone_number: number }) => [jid, number]),
    [bobsPhone, cyd].map(({ account }) => [account.lid, account.jid]),
  );
  const refused = [bobsPhone.account.lid, '1@lid'];
  const rejected = await ada.socket.groupRequestParticipantsUpdate(group, refused, 'reject');
  assert.deepEqual(
    rejected.map(({ status }) => status),
    ['200', '404'],
  );
  await notice(bob, group, 'revoked_membership_requests');
  await change(group, { approve: [cyd.account.number] });
  const { participants } = await ada.socket.groupMetadata(group);
  assert.deepEqual(
    participants.map(({ id }) => id),
    [adasPhone.account.lid, cyd.account.lid],
  );
  assert.deepEqual(await ada.socket.groupRequestParticipantsList(group), []);
});

test('who does not let everybody add them is invited alone, until the invitation is taken back', async () => {
  await bob.socket.updateGroupsAddPrivacy('contacts');
  const { id: group } = await ada.socket.groupCreate('Us', [bobsPhone.account.lid, cyd.account.lid]);
  const [added] = await ada.socket.groupParticipantsUpdate(group, [bobsPhone.account.lid], 'add');
  const invite = childOf(added?.content, 'add_request');
  assert.equal(added?.status, '403');
  const message = {
    groupJid: group,
    inviteCode: invite!.attrs.code!,
    inviteExpiration: Number(invite!.attrs.expiration),
  };
  await ada.socket.groupRevokeInviteV4(group, bobsPhone.account.lid);
  await assert.rejects(bob.socket.groupAcceptInviteV4(adasPhone.account.lid, message), /gone/);
  await ada.socket.groupParticipantsUpdate(group, [bobsPhone.account.lid], 'add');
  await control.request('POST', `/phones/${bobsPhone.account.number}/join`, { group });
  assert.equal((await bob.socket.groupMetadata(group)).participants.length, 3);
  await bob.socket.updateGroupsAddPrivacy('all');
});

test('the last administrator who leaves has a successor; a member who has another number stays a member', async () => {
  const group = await newGroup(bobsPhone, cyd);
  const next = sandbox.phones.create('491510000809', 'Cyd, abroad');
  await control.request('POST', `/phones/${cyd.account.number}/move-groups`, { to: next.account.number });
  const modify = await notice(bob, group, 'modify');
  assert.equal(modify.attrs.participant, cyd.account.lid);
  assert.deepEqual(childOf(childOf(modify, 'modify'), 'participant')?.attrs, {
    jid: next.account.lid,
    phone_number: next.account.jid,
  });
  await control.request('POST', `/phones/${adasPhone.account.number}/leave`, { group });
  assert.equal(childOf(childOf(await notice(bob, group, 'promote'), 'promote'), 'participant')?.attrs.type, 'admin');
  const { participants } = await bob.socket.groupMetadata(group);
  assert.deepEqual(
    participants.map(({ id, admin }) => [id, admin]),
    [
      [bobsPhone.account.lid, 'admin'],
      [next.account.lid, null],
    ],
  );
});

test('a group tells its community; a group of the old kind names people by phone number; both survive a restart', async () => {
  const group = await newGroup(bobsPhone);
  await change(group, { community: 'Town', addressingMode: 'pn', description: 'Of the town' });
  const link = childOf(await notice(bob, group, 'link'), 'link');
  const { linkedParent, participants, desc } = await bob.socket.groupMetadata(group);
  assert.deepEqual([link?.attrs.link_type, childOf(link, 'group')?.attrs.jid], ['parent_group', linkedParent]);
  assert.equal((await bob.socket.groupMetadata(linkedParent!)).isCommunity, true);
  assert.deepEqual(participants[1], {
    id: bobsPhone.account.jid,
    lid: bobsPhone.account.lid,
    phoneNumber: undefined,
    username: undefined,
    admin: null,
  });
  const description = childOf(await notice(bob, group, 'description'), 'description');
  assert.deepEqual([desc, textOf(childrenOf(description)[0])], ['Of the town', 'Of the town']);
  const saved: unknown = JSON.parse(JSON.stringify(sandbox.hub.snapshot()));
  const restored = restoreHub(sandbox.hub.snapshot(), { mediaHost: () => '127.0.0.1:9' });
  assert.deepEqual(JSON.parse(JSON.stringify(restored.snapshot())), saved);
  await change(group, { community: null });
  assert.equal((await bob.socket.groupMetadata(group)).linkedParent, undefined);
  await assert.rejects(change(group, { by: bobsPhone.account.number, locked: true }), /409 .*forbidden/);
  const { group: shown } = await control.request<{ group: { members: unknown } }>('GET', `/groups/${group}`);
  assert.deepEqual(shown.members, [
    { number: adasPhone.account.number, admin: true },
    { number: bobsPhone.account.number, admin: false },
  ]);
});
