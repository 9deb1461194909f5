/** The acts on groups that the service asks of an open connection (Baileys rc14 groups.js, whatsmeow group.go; 2026-08). */
import { getBinaryNodeChild, S_WHATSAPP_NET, type BinaryNode, getBinaryNodeChildren } from '../engine/nodes.ts';
import type { Jid } from '../../domain/jid.ts';
import { type KeptGroup, groupSettingNames } from '../../domain/groups/group.ts';
import { askPictureId, downloadPicture } from '../profile/profile.ts';
import type { Session } from '../session.ts';
import { askedOfGroup, node, askGroup, askOne, childOf, groupServer } from './ask.ts';
import type { GroupLink } from './group-link.ts';
import { pictureKey, inviteKey } from './notices.ts';
import { isAdministrator, isMember } from '../../domain/groups/changes.ts';
import type { Groups, GroupWish } from '../../domain/groups/port.ts';
import { invalidRequest } from '../../errors.ts';
import { meOf } from '../identity/account.ts';
import { myself } from '../identity/people.ts';
import { changeMembers, participants, resultsIn } from './members.ts';
import { personIn, readGroup, secondsIn } from './read-group.ts';

/** The picture of a group, set and removed as stock Baileys does (`updateProfilePicture`, whatsmeow group.go SetGroupPhoto; 2026-08). */
const refusals = { 406: 'The network does not take this picture' };

/** Null takes it away; where there is none, nothing is asked for, and nothing is news. */
const setGroupPicture = async (
  { deviceId, sock, keeper, current }: GroupLink,
  link: Session,
  group: Jid,
  jpeg: Uint8Array | null,
): Promise<KeptGroup> => {
  const before = await current(group);
  if (jpeg === null && (await askPictureId(link, group)) === null) return before;
  const attrs = { to: S_WHATSAPP_NET, target: group, type: 'set', xmlns: 'w:profile:picture' };
  const content = jpeg === null ? {} : { content: [node('picture', { type: 'image' }, jpeg)] };
  const answer = await askedOfGroup(deviceId, () => sock.query({ tag: 'iq', attrs, ...content }), refusals);
  const id = getBinaryNodeChild(answer, 'picture')?.attrs['id'];
  await keeper.made(group, { picture: jpeg === null ? 'removed' : 'set' }, id === undefined ? id : pictureKey(id));
  return current(group);
};

const inviteRefusals = {
  401: 'The account may not join this group',
  404: 'invite is not the link of a group',
  405: 'The account was removed from this group, and cannot come back by its link',
  406: 'invite is not the link of a group',
  409: 'The account is a member of this group already',
  410: 'invite was revoked: the group has another link now',
  419: 'The group is full',
};

/** The request of one setting. */
const requestOf = (link: GroupLink, group: Jid, name: keyof GroupWish, wish: GroupWish): Promise<unknown> => {
  const set = (content: BinaryNode) => askGroup(link, group, 'set', content);
  switch (name) {
    case 'subject':
      return set(node('subject', {}, Buffer.from(wish.subject!)));
    case 'description':
      // Asks for the present one, whose id the request names.
      return link.sock.groupUpdateDescription(group, wish.description ?? undefined);
    case 'announceOnly':
      return set(node(wish.announceOnly === true ? 'announcement' : 'not_announcement'));
    case 'locked':
      return set(node(wish.locked === true ? 'locked' : 'unlocked'));
    case 'joinApproval': {
      const state = node('group_join', { state: wish.joinApproval === true ? 'on' : 'off' });
      return set(node('membership_approval_mode', {}, [state]));
    }
    case 'memberAddMode': {
      const mode = wish.memberAddMode === 'everyone' ? 'all_member_add' : 'admin_add';
      return set(node('member_add_mode', {}, Buffer.from(mode)));
    }
    case 'expiresInSeconds': {
      const seconds = wish.expiresInSeconds ?? null;
      return set(seconds === null ? node('not_ephemeral') : node('ephemeral', { expiration: String(seconds) }));
    }
  }
};

const change = async (link: GroupLink, group: Jid, wish: GroupWish): Promise<KeptGroup> => {
  const before = await link.current(group);
  for (const name of groupSettingNames) {
    if (wish[name] === undefined || wish[name] === before[name]) continue;
    await askedOfGroup(link.deviceId, () => requestOf(link, group, name, wish));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one member, of the name and the type of the group's own
    await link.keeper.made(group, { [name]: wish[name] } as unknown as Parameters<typeof link.keeper.made>[1]);
  }
  return link.current(group);
};

/**
 * The settings of a new group, as the network's own apps name them all; without a key for its notice, since the notices bring none any more. Source: whatsmeow
 * `CreateGroup` (39b719ba, 2026-08-06; 0dcf1f50, 2026-08-14). Baileys rc14 sends a key and no settings.
 */
const newGroupSettings: readonly BinaryNode[] = [
  node('member_add_mode', {}, 'all_member_add'),
  node('ephemeral', { expiration: '0' }),
  node('membership_approval_mode', {}, [node('group_join', { state: 'off' })]),
];

const create: (link: GroupLink, ...given: Parameters<Groups['create']>) => ReturnType<Groups['create']> = async (
  link,
  subject,
  people,
  key,
) => {
  const { deviceId, keeper, lidMapping } = link;
  const nodes = await participants(link, people, true);
  const request = node('create', { subject }, [...nodes, ...newGroupSettings]);
  const answer = await askedOfGroup(deviceId, () => askGroup(link, groupServer, 'set', request), {}, []);
  const described = childOf(answer, 'group');
  const group = await keeper.entered(described, 'created', key);
  if (group === null) throw invalidRequest('The network made no group');
  const persons = nodes.map((each) => personIn((jid) => lidMapping.peek(jid), each));
  return { group, results: resultsIn(link, described, 'add', persons) };
};

const join = async (link: GroupLink, code: string): Promise<{ group: Jid; waits: boolean }> => {
  const { deviceId } = link;
  const ask = () => askGroup(link, groupServer, 'set', node('invite', { code }));
  const answer = await askedOfGroup(deviceId, ask, inviteRefusals, []);
  const waiting = getBinaryNodeChild(answer, 'membership_approval_request')?.attrs['jid'];
  if (waiting !== undefined) return { group: waiting, waits: true };
  const group = childOf(answer, 'group').attrs['jid'] ?? '';
  const described = await askedOfGroup(deviceId, () => askOne(link, group));
  await link.keeper.entered(described, 'link');
  return { group, waits: false };
};

const preview: (link: GroupLink, code: string) => ReturnType<Groups['preview']> = async (link, code) => {
  const { deviceId, lidMapping, clock } = link;
  const ask = () => askGroup(link, groupServer, 'get', node('invite', { code }));
  const described = childOf(await askedOfGroup(deviceId, ask, inviteRefusals, []), 'group');
  const group = readGroup(described, (jid) => lidMapping.peek(jid), clock.now());
  if (group === null) throw invalidRequest(inviteRefusals[406]);
  const { jid, subject, description, owner, createdAt, joinApproval, members } = group;
  const size = secondsIn(described.attrs['size']) ?? members.length;
  return { jid, subject, description, owner, createdAt, joinApproval, size };
};

const requests: (link: GroupLink, group: Jid) => ReturnType<Groups['requests']> = async (link, group) => {
  await link.current(group);
  const ask = () => askGroup(link, group, 'get', node('membership_approval_requests'));
  const answer = await askedOfGroup(link.deviceId, ask);
  const list = childOf(answer, 'membership_approval_requests');
  return getBinaryNodeChildren(list, 'membership_approval_request').map((each) => {
    const seconds = secondsIn(each.attrs['request_time']);
    const requestedAt = seconds === null ? null : seconds * 1000;
    return { person: personIn((jid) => link.lidMapping.peek(jid), each), requestedAt };
  });
};

const decide = async (link: GroupLink, group: Jid, person: Jid, approved: boolean): Promise<void> => {
  await link.current(group);
  const action = approved ? 'approve' : 'reject';
  const nodes = await participants(link, [person]);
  const request = node('membership_requests_action', {}, [node(action, {}, nodes)]);
  const answer = await askedOfGroup(link.deviceId, () => askGroup(link, group, 'set', request));
  const done = getBinaryNodeChildren(childOf(childOf(answer, 'membership_requests_action'), action), 'participant')[0];
  const error = done?.attrs['error'];
  if (error === '404') throw invalidRequest('The person does not ask to join this group');
  if (error !== undefined) throw invalidRequest(`The network refused it (${error})`);
  const who = personIn((jid) => link.lidMapping.peek(jid), nodes[0]!);
  if (approved) await link.keeper.made(group, { added: [who] });
};

const leave = async (link: GroupLink, jid: Jid): Promise<void> => {
  const { deviceId, keeper, creds } = link;
  // Nobody may be left without an administrator by mistake: the list must be the present one.
  const group = await askedOfGroup(deviceId, () => keeper.current(jid, true), {}, [403, 404]);
  const me = myself(meOf(creds));
  if (!isMember(group, me)) throw invalidRequest('The account is not a member of this group');
  const isLast = isAdministrator(group, me) && group.members.filter(({ admin }) => admin).length === 1;
  if (isLast && group.members.length > 1) {
    throw invalidRequest('The account is the last administrator of this group: make another member one first');
  }
  const request = node('leave', {}, [node('group', { id: jid })]);
  await askedOfGroup(deviceId, () => askGroup(link, groupServer, 'set', request));
  await keeper.made(jid, { left: [me] });
};

const invite = async (link: GroupLink, group: Jid, anew: boolean): Promise<string> => {
  await link.current(group);
  const ask = () => askGroup(link, group, anew ? 'set' : 'get', node('invite'));
  const code = childOf(await askedOfGroup(link.deviceId, ask), 'invite').attrs['code'] ?? '';
  if (anew) await link.keeper.made(group, { invite: 'rotated' }, inviteKey(code));
  return code;
};

/** `open` throws DeviceNotConnected while there is no connection. */
export const groupsOf = (open: () => Session): Groups => {
  const link = (): GroupLink => {
    const { deviceId, sock, creds, lidMapping, clock, groupKeeper: keeper, conversation } = open();
    const current = (group: Jid) => askedOfGroup(deviceId, () => keeper.current(group), {}, [403, 404]);
    return { deviceId, sock, creds, lidMapping, clock, keeper, current, tokenOf: conversation.tokenOf };
  };
  return {
    list: async (anew) => {
      const { deviceId, keeper } = link();
      await askedOfGroup(deviceId, () => keeper.list(anew));
    },
    current: async (group) => link().current(group),
    create: async (...given) => create(link(), ...given),
    change: async (group, wish) => change(link(), group, wish),
    changeMembers: async (group, act, people) => changeMembers(link(), group, act, people),
    invite: async (group, anew) => invite(link(), group, anew),
    preview: async (code) => preview(link(), code),
    join: async (code) => join(link(), code),
    requests: async (group) => requests(link(), group),
    decide: async (group, person, approved) => decide(link(), group, person, approved),
    leave: async (group) => leave(link(), group),
    picture: async (group) => {
      await link().current(group);
      return downloadPicture(open(), group);
    },
    setPicture: async (group, jpeg) => setGroupPicture(link(), open(), group, jpeg),
  };
};
