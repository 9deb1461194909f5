/** Actions on groups on an open connection (whatsmeow group.go, 2026-08). */
import { getBinaryNodeChild, S_WHATSAPP_NET, type BinaryNode, getBinaryNodeChildren } from '../library/nodes.ts';
import type { Jid } from '../../domain/jid.ts';
import { type KeptGroup, groupSettingNames } from '../../domain/groups/group.ts';
import { askPictureId, downloadPicture } from '../profile/profile.ts';
import type { Session } from '../session.ts';
import { makeMessageId } from '../send/message-stanza.ts';
import {
  createCommunity,
  endCommunity,
  groupsOfCommunity,
  leaveCommunity,
  linkGroups,
  parentNodes,
  peopleOfCommunity,
  refusals as refusalsOfCommunity,
} from './communities.ts';
import { askedOfGroup, node, askGroup, askOne, childOf, groupServer } from './ask.ts';
import type { GroupSession } from './group-session.ts';
import { pictureKey, inviteKey } from './notices.ts';
import { isAdministrator, isMember } from '../../domain/groups/changes.ts';
import type { Groups, GroupRequest } from '../../domain/groups/port.ts';
import { invalidRequest } from '../../errors.ts';
import { meOf, myself } from '../identity/people.ts';
import { changeMembers, participants, resultsIn } from './members.ts';
import { personIn, readGroup, secondsIn } from './read-group.ts';

/** Set and removed as by whatsmeow (group.go SetGroupPhoto, 2026-08). */
const refusals = { 406: 'The network does not take this picture' };

const setGroupPicture = async (
  { deviceId, sock, storedGroups, current }: GroupSession,
  session: Session,
  group: Jid,
  jpeg: Uint8Array | null,
): Promise<KeptGroup> => {
  const before = await current(group);
  if (jpeg === null && (await askPictureId(session, group)) === null) return before;
  const attrs = { to: S_WHATSAPP_NET, target: group, type: 'set', xmlns: 'w:profile:picture' };
  const content = jpeg === null ? {} : { content: [node('picture', { type: 'image' }, jpeg)] };
  const answer = await askedOfGroup(deviceId, () => sock.query({ tag: 'iq', attrs, ...content }), refusals);
  const id = getBinaryNodeChild(answer, 'picture')?.attrs['id'];
  await storedGroups.made(
    group,
    { picture: jpeg === null ? 'removed' : 'set' },
    id === undefined ? id : pictureKey(id),
  );
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

/** Names the current description by its id. An empty text removes it. */
const setDescription = async (session: GroupSession, group: Jid, text: string): Promise<unknown> => {
  const before = getBinaryNodeChild(await askOne(session, group), 'description')?.attrs['id'];
  const prev: Record<string, string> = before ? { prev: before } : {};
  const request =
    text === ''
      ? node('description', { delete: 'true', ...prev })
      : node('description', { id: makeMessageId(), ...prev }, [node('body', {}, Buffer.from(text))]);
  return askGroup(session, group, 'set', request);
};

const requestOf = (
  session: GroupSession,
  group: Jid,
  name: keyof GroupRequest,
  request: GroupRequest,
): Promise<unknown> => {
  const set = (content: BinaryNode) => askGroup(session, group, 'set', content);
  switch (name) {
    case 'subject':
      return set(node('subject', {}, Buffer.from(request.subject!)));
    case 'description':
      return setDescription(session, group, request.description ?? '');
    case 'announceOnly':
      return set(node(request.announceOnly === true ? 'announcement' : 'not_announcement'));
    case 'locked':
      return set(node(request.locked === true ? 'locked' : 'unlocked'));
    case 'joinApproval': {
      const state = node('group_join', { state: request.joinApproval === true ? 'on' : 'off' });
      return set(node('membership_approval_mode', {}, [state]));
    }
    case 'memberAddMode': {
      const mode = request.memberAddMode === 'everyone' ? 'all_member_add' : 'admin_add';
      return set(node('member_add_mode', {}, Buffer.from(mode)));
    }
    case 'expiresInSeconds': {
      const seconds = request.expiresInSeconds ?? null;
      return set(seconds === null ? node('not_ephemeral') : node('ephemeral', { expiration: String(seconds) }));
    }
  }
};

const change = async (session: GroupSession, group: Jid, request: GroupRequest): Promise<KeptGroup> => {
  const before = await session.current(group);
  for (const name of groupSettingNames) {
    if (request[name] === undefined || request[name] === before[name]) continue;
    await askedOfGroup(session.deviceId, () => requestOf(session, group, name, request));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one member, of the name and the type of the group's own
    await session.storedGroups.made(group, { [name]: request[name] } as unknown as Parameters<
      typeof session.storedGroups.made
    >[1]);
  }
  return session.current(group);
};

/** As the network's own apps (whatsmeow `CreateGroup`, 2026-08-06 and 2026-08-14). */
const newGroupSettings: readonly BinaryNode[] = [
  node('member_add_mode', {}, 'all_member_add'),
  node('ephemeral', { expiration: '0' }),
  node('membership_approval_mode', {}, [node('group_join', { state: 'off' })]),
];

const create: (session: GroupSession, ...given: Parameters<Groups['create']>) => ReturnType<Groups['create']> = async (
  session,
  { subject, people, community },
  key,
) => {
  const { deviceId, storedGroups, lidMapping } = session;
  const parent = community === null ? [] : await parentNodes(session, community);
  const nodes = await participants(session, people, true);
  const request = node('create', { subject }, [...nodes, ...newGroupSettings, ...parent]);
  const ask = () => askGroup(session, groupServer, 'set', request);
  const answer = await askedOfGroup(deviceId, ask, community === null ? {} : refusalsOfCommunity, []);
  const described = childOf(answer, 'group');
  const group = await storedGroups.entered(described, 'created', key);
  if (group === null) throw invalidRequest('The network made no group');
  const persons = nodes.map((each) => personIn((jid) => lidMapping.peek(jid), each));
  return { group, results: resultsIn(session, described, 'add', persons) };
};

const join = async (session: GroupSession, code: string): Promise<{ group: Jid; waits: boolean }> => {
  const { deviceId } = session;
  const ask = () => askGroup(session, groupServer, 'set', node('invite', { code }));
  const answer = await askedOfGroup(deviceId, ask, inviteRefusals, []);
  const waiting = getBinaryNodeChild(answer, 'membership_approval_request')?.attrs['jid'];
  if (waiting !== undefined) return { group: waiting, waits: true };
  const group = childOf(answer, 'group').attrs['jid'] ?? '';
  const described = await askedOfGroup(deviceId, () => askOne(session, group));
  await session.storedGroups.entered(described, 'link');
  return { group, waits: false };
};

const preview: (session: GroupSession, code: string) => ReturnType<Groups['preview']> = async (session, code) => {
  const { deviceId, lidMapping, clock } = session;
  const ask = () => askGroup(session, groupServer, 'get', node('invite', { code }));
  const described = childOf(await askedOfGroup(deviceId, ask, inviteRefusals, []), 'group');
  const group = readGroup(described, (jid) => lidMapping.peek(jid), clock.now());
  if (group === null) throw invalidRequest(inviteRefusals[406]);
  const { jid, subject, description, owner, createdAt, joinApproval, members } = group;
  const size = secondsIn(described.attrs['size']) ?? members.length;
  return { jid, subject, description, owner, createdAt, joinApproval, size };
};

const requests: (session: GroupSession, group: Jid) => ReturnType<Groups['requests']> = async (session, group) => {
  await session.current(group);
  const ask = () => askGroup(session, group, 'get', node('membership_approval_requests'));
  const answer = await askedOfGroup(session.deviceId, ask);
  const list = childOf(answer, 'membership_approval_requests');
  return getBinaryNodeChildren(list, 'membership_approval_request').map((each) => {
    const seconds = secondsIn(each.attrs['request_time']);
    const requestedAt = seconds === null ? null : seconds * 1000;
    return { person: personIn((jid) => session.lidMapping.peek(jid), each), requestedAt };
  });
};

const decide = async (session: GroupSession, group: Jid, person: Jid, approved: boolean): Promise<void> => {
  await session.current(group);
  const action = approved ? 'approve' : 'reject';
  const nodes = await participants(session, [person]);
  const request = node('membership_requests_action', {}, [node(action, {}, nodes)]);
  const answer = await askedOfGroup(session.deviceId, () => askGroup(session, group, 'set', request));
  const done = getBinaryNodeChildren(childOf(childOf(answer, 'membership_requests_action'), action), 'participant')[0];
  const error = done?.attrs['error'];
  if (error === '404') throw invalidRequest('This person has not asked to join the group');
  if (error !== undefined) throw invalidRequest(`The network refused it (${error})`);
  const who = personIn((jid) => session.lidMapping.peek(jid), nodes[0]!);
  if (approved) await session.storedGroups.made(group, { added: [who] });
};

const leave = async (session: GroupSession, jid: Jid): Promise<void> => {
  const { deviceId, storedGroups, creds } = session;
  // The list must be current, so that nobody is left without an administrator by mistake.
  const group = await askedOfGroup(deviceId, () => storedGroups.current(jid, true), {}, [403, 404]);
  const me = myself(meOf(creds));
  if (!isMember(group, me)) throw invalidRequest('The account is not a member of this group');
  const isLast = isAdministrator(group, me) && group.members.filter(({ admin }) => admin).length === 1;
  if (isLast && group.members.length > 1) {
    throw invalidRequest('The account is the last administrator of this group: make another member one first');
  }
  const request = node('leave', {}, [node('group', { id: jid })]);
  await askedOfGroup(deviceId, () => askGroup(session, groupServer, 'set', request));
  await storedGroups.made(jid, { left: [me] });
};

const invite = async (session: GroupSession, group: Jid, anew: boolean): Promise<string> => {
  await session.current(group);
  const ask = () => askGroup(session, group, anew ? 'set' : 'get', node('invite'));
  const code = childOf(await askedOfGroup(session.deviceId, ask), 'invite').attrs['code'] ?? '';
  if (anew) await session.storedGroups.made(group, { invite: 'rotated' }, inviteKey(code));
  return code;
};

export const groupsOf = (open: () => Session): Groups => {
  const session = (): GroupSession => {
    const { deviceId, sock, creds, lidMapping, clock, storedGroups, conversation } = open();
    const current = (group: Jid) => askedOfGroup(deviceId, () => storedGroups.current(group), {}, [403, 404]);
    return { deviceId, sock, creds, lidMapping, clock, storedGroups, current, tokenOf: conversation.tokenOf };
  };
  return {
    list: async (anew) => {
      const { deviceId, storedGroups } = session();
      await askedOfGroup(deviceId, () => storedGroups.list(anew));
    },
    current: async (group) => session().current(group),
    create: async (...given) => create(session(), ...given),
    change: async (group, request) => change(session(), group, request),
    createCommunity: async (...given) => createCommunity(session(), ...given),
    link: async (...given) => linkGroups(session(), ...given),
    groupsOf: async (community) => groupsOfCommunity(session(), community),
    peopleOf: async (community) => peopleOfCommunity(session(), community),
    endCommunity: async (community) => endCommunity(session(), community),
    leaveCommunity: async (community) => leaveCommunity(session(), community),
    changeMembers: async (group, act, people) => changeMembers(session(), group, act, people),
    invite: async (group, anew) => invite(session(), group, anew),
    preview: async (code) => preview(session(), code),
    join: async (code) => join(session(), code),
    requests: async (group) => requests(session(), group),
    decide: async (group, person, approved) => decide(session(), group, person, approved),
    leave: async (group) => leave(session(), group),
    picture: async (group) => {
      await session().current(group);
      return downloadPicture(open(), group);
    },
    setPicture: async (group, jpeg) => setGroupPicture(session(), open(), group, jpeg),
  };
};
