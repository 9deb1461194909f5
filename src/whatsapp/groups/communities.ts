/** Communities: groups of groups. Source: whatsmeow group.go (2026-08); ending one: zapo `buildDeactivateCommunityIq` (2026-08). */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '../library/nodes.ts';
import type { CommunityGroup, KeptGroup, LinkResult } from '../../domain/groups/group.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import type { Person } from '../../domain/messages/parts.ts';
import { HandsetError, invalidRequest, notFound } from '../../errors.ts';
import { makeMessageId } from '../send/message-stanza.ts';
import { askedOfGroup, askGroup, childOf, groupServer, node } from './ask.ts';
import type { GroupSession } from './group-session.ts';
import { peopleIn, subjectIn } from './read-group.ts';

/** More than any community has. */
const [maxGroups, maxPeople] = [500, 10_000];

const notAdministrator = 'The account is not an administrator of this community';
export const refusals = {
  401: notAdministrator,
  403: notAdministrator,
  406: 'The network does not accept this for a community',
};

const reasons: Readonly<Record<string, string>> = {
  401: 'the account is not an administrator of the group',
  403: 'the account is not an administrator of the group',
  404: 'the account is not in this group, or it is not in the community',
  406: 'the group is a community itself, or the announcement group of one',
  409: 'the group is in a community already',
  419: 'the community has as many groups as it may have',
};

const current = async (session: GroupSession, jid: Jid): Promise<KeptGroup> => {
  const group = await session.current(jid);
  if (!group.isCommunity) throw invalidRequest('community is a group and not a community');
  return group;
};

export const createCommunity = async (
  session: GroupSession,
  subject: string,
  description: string | null,
  key: string,
): Promise<KeptGroup> => {
  const body =
    description === null
      ? []
      : [node('description', { id: makeMessageId() }, [node('body', {}, Buffer.from(description))])];
  const parent = node('parent', { default_membership_approval_mode: 'request_required' });
  const request = node('create', { subject }, [...body, parent]);
  const answer = await askedOfGroup(session.deviceId, () => askGroup(session, groupServer, 'set', request), {}, []);
  const made = await session.storedGroups.entered(childOf(answer, 'group'), 'created', key);
  if (made === null) throw invalidRequest('The network made no community');
  return made;
};

/** Attributes of a new group that name its community. Throws if `community` is not one. */
export const parentNodes = async (session: GroupSession, community: Jid): Promise<readonly BinaryNode[]> => {
  await current(session, community).catch((error: unknown) => {
    throw error instanceof HandsetError && error.name === 'NotFound' ? notFound('Community') : error;
  });
  return [node('linked_parent', { jid: community })];
};

const resultIn = (answer: readonly BinaryNode[], group: Jid, done: LinkResult['result']): LinkResult => {
  const own = answer.find(({ attrs }) => attrs['jid'] === group);
  const error = own === undefined ? 'no answer' : own.attrs['error'];
  if (error === undefined) return { group, result: done, reason: null };
  return { group, result: 'refused', reason: reasons[error] ?? `the network refused it (${error})` };
};

export const linkGroups = async (
  session: GroupSession,
  community: Jid,
  groups: readonly Jid[],
  linked: boolean,
): Promise<readonly LinkResult[]> => {
  await current(session, community);
  const nodes = groups.map((jid) => node('group', { jid }));
  const request = linked
    ? node('links', {}, [node('link', { link_type: 'sub_group' }, nodes)])
    : node('unlink', { unlink_type: 'sub_group' }, nodes);
  const answer = await askedOfGroup(session.deviceId, () => askGroup(session, community, 'set', request), refusals);
  const list = linked ? childOf(childOf(answer, 'links'), 'link') : childOf(answer, 'unlink');
  const answered = getBinaryNodeChildren(list, 'group');
  const results = groups.map((jid) => resultIn(answered, jid, linked ? 'linked' : 'unlinked'));
  for (const { group, result } of results)
    if (result !== 'refused')
      await session.storedGroups.made(group, { community: linked ? { jid: community, role: 'group' } : null });
  return results;
};

const groupIn = (child: BinaryNode): CommunityGroup[] => {
  const { jid, id } = child.attrs;
  const named = jid ?? (id === undefined ? '' : `${id}@g.us`);
  if (jidKind(named) !== 'group' || named.length > 100) return [];
  const isDefault = getBinaryNodeChild(child, 'default_sub_group') !== undefined;
  return [{ jid: named, subject: subjectIn(child) ?? '', role: isDefault ? 'announcements' : 'group' }];
};

export const groupsOfCommunity = async (session: GroupSession, community: Jid): Promise<readonly CommunityGroup[]> => {
  await current(session, community);
  const ask = () => askGroup(session, community, 'get', node('sub_groups'));
  const list = childOf(await askedOfGroup(session.deviceId, ask, refusals), 'sub_groups');
  return getBinaryNodeChildren(list, 'group').slice(0, maxGroups).flatMap(groupIn);
};

export const peopleOfCommunity = async (session: GroupSession, community: Jid): Promise<readonly Person[]> => {
  await current(session, community);
  const ask = () => askGroup(session, community, 'get', node('linked_groups_participants'));
  const list = childOf(await askedOfGroup(session.deviceId, ask, refusals), 'linked_groups_participants');
  return peopleIn((jid) => session.lidMapping.peek(jid), list).slice(0, maxPeople);
};

export const endCommunity = async (session: GroupSession, community: Jid): Promise<void> => {
  await current(session, community);
  await askedOfGroup(session.deviceId, () => askGroup(session, community, 'set', node('delete_parent')), refusals);
  await session.storedGroups.made(community, 'deleted');
};

/** Leaves all of its groups in one request, in the form of WhatsApp Web; the Android app reads refusals 400, 405 and 500 of it (2026-11). */
export const leaveCommunity = async (session: GroupSession, community: Jid): Promise<void> => {
  await current(session, community);
  const request = node('leave', {}, [node('linked_groups', { parent_group_jid: community })]);
  const answer = await askedOfGroup(session.deviceId, () => askGroup(session, groupServer, 'set', request), refusals);
  const error = getBinaryNodeChild(childOf(answer, 'leave'), 'linked_groups')?.attrs['error'];
  if (error === '405') throw invalidRequest('Name another administrator of this community first, or end it');
  if (error !== undefined) throw invalidRequest(`The network refuses it (${error})`);
  await session.storedGroups.leftCommunity(community);
};
