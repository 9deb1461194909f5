/**
 * Communities: groups of groups, each with an announcement group. Source: whatsmeow group.go (LinkGroup, UnlinkGroup, GetSubGroups,
 * GetLinkedGroupsParticipants, parseGroupChange; 2026-08); ending one: zapo `buildDeactivateCommunityIq` (2026-08).
 */
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../../base/types.ts';
import { type Group, isAdmin, newGroup } from '../../groups/group.ts';
import { childOf, childrenOf, element, errorOf, resultOf } from '../../../base/nodes.ts';
import type { HubState } from '../../state/state.ts';
import type { IqTable } from '../table.ts';
import { describeGroup, participant, tellAdded, tellGroup } from './group-news.ts';
import { leaveGroup } from './members.ts';
import { byAdmin, type GroupHandler, inGroup } from './rights.ts';

/** Besides the announcement group (WhatsApp help, 2026-08). */
const maxGroups = 100;

const groupsOf = (hub: HubState, { jid }: Group): Group[] =>
  [...hub.groups.values()].filter(({ community }) => community === jid);

const targetNode = ({ jid, subject, subjectAt, announcements }: Group): BinaryNode =>
  element(
    'group',
    { jid, subject, s_t: String(subjectAt) },
    announcements ? [element('default_sub_group')] : undefined,
  );

export const addAnnouncements = (hub: HubState, parent: Group, jid: string, by: Device): void => {
  const { subject, mode, owner, createdAt, members } = parent;
  const group = newGroup({
    jid,
    subject,
    mode,
    owner,
    createdAt,
    members: new Map([...members].map(([account, role]) => [account, { ...role }])),
    community: parent.jid,
    announcement: true,
    announcements: true,
  });
  hub.groups.set(jid, group);
  tellGroup(hub, group, by, element('create', { type: 'new' }, [describeGroup(group)]));
};

/** Members of a linked group join the announcement group, too. */
const enter = (hub: HubState, parent: Group, people: readonly Account[], by: Device): void => {
  const announcements = groupsOf(hub, parent).filter((group) => group.announcements);
  for (const group of [parent, ...announcements]) {
    const added = people.filter((account) => !group.members.has(account));
    for (const account of added) group.members.set(account, { admin: false });
    if (added.length > 0) tellAdded(hub, group, by, new Set(added));
  }
};

/** A community in which the device may make a group, or the error code. */
export const communityOf = (hub: HubState, jid: string, { account }: Device): Group | 403 | 404 => {
  const parent = hub.groups.get(jid);
  if (parent?.community !== 'parent' || !parent.members.has(account)) return 404;
  return isAdmin(parent, account) ? parent : 403;
};

/** Tells the community of a new group, whose members come into its announcement group. */
export const welcome = (hub: HubState, parent: Group, group: Group, device: Device): void => {
  tellGroup(hub, parent, device, element('link', { link_type: 'sub_group' }, [targetNode(group)]));
  enter(hub, parent, [...group.members.keys()], device);
};

/** The error code of a group that cannot be linked or unlinked, or null. */
const refusalOf = (group: Group | undefined, { account }: Device): string | null => {
  if (group?.members.has(account) !== true) return '404';
  if (group.community === 'parent' || group.announcements) return '406';
  return isAdmin(group, account) ? null : '403';
};

const link: GroupHandler = (hub, parent, device, iq) => {
  if (parent.community !== 'parent') return errorOf(iq, 406, 'not-acceptable');
  const asked = childrenOf(childOf(childOf(iq, 'links'), 'link'));
  const answered = asked.map(({ attrs: { jid = '' } }) => {
    const group = hub.groups.get(jid);
    const isFull = groupsOf(hub, parent).length > maxGroups;
    const error = refusalOf(group, device) ?? (group!.community !== null ? '409' : isFull ? '419' : null);
    if (error !== null || group === undefined) return element('group', { jid, error: error ?? '404' });
    group.community = parent.jid;
    tellGroup(hub, group, device, element('link', { link_type: 'parent_group' }, [targetNode(parent)]));
    welcome(hub, parent, group, device);
    return element('group', { jid });
  });
  return resultOf(iq, [element('links', {}, [element('link', { link_type: 'sub_group' }, answered)])]);
};

const free = (hub: HubState, parent: Group, group: Group, device: Device, reason: string): void => {
  group.community = null;
  const attrs = { unlink_type: 'parent_group', unlink_reason: reason };
  tellGroup(hub, group, device, element('unlink', attrs, [targetNode(parent)]));
};

const unlink: GroupHandler = (hub, parent, device, iq) => {
  if (parent.community !== 'parent') return errorOf(iq, 406, 'not-acceptable');
  const answered = childrenOf(childOf(iq, 'unlink')).map(({ attrs: { jid = '' } }) => {
    const group = hub.groups.get(jid);
    const error = group?.community === parent.jid ? refusalOf(group, device) : '404';
    if (error !== null || group === undefined) return element('group', { jid, error: error ?? '404' });
    free(hub, parent, group, device, 'unlink_group');
    const attrs = { unlink_type: 'sub_group', unlink_reason: 'unlink_group' };
    tellGroup(hub, parent, device, element('unlink', attrs, [targetNode(group)]));
    return element('group', { jid });
  });
  return resultOf(iq, [element('unlink', { unlink_type: 'sub_group' }, answered)]);
};

const end: GroupHandler = (hub, parent, device, iq) => {
  if (parent.community !== 'parent') return errorOf(iq, 406, 'not-acceptable');
  for (const group of groupsOf(hub, parent)) {
    if (!group.announcements) free(hub, parent, group, device, 'delete_parent');
    else {
      tellGroup(hub, group, device, element('delete'));
      hub.groups.delete(group.jid);
    }
  }
  tellGroup(hub, parent, device, element('delete'));
  hub.groups.delete(parent.jid);
  return resultOf(iq);
};

/** All of its groups; the last administrator of several people is refused (codes: the Android app's reader, 2026-11). */
export const leaveCommunity = (hub: HubState, jid: string, device: Device): BinaryNode => {
  const told = (error: string): BinaryNode => element('linked_groups', { parent_group_jid: jid, error });
  const parent = hub.groups.get(jid);
  if (parent?.community !== 'parent' || !parent.members.has(device.account)) return told('400');
  const others = [...parent.members].filter(([account]) => account !== device.account);
  if (others.length > 0 && !others.some(([, { admin }]) => admin)) return told('405');
  for (const group of [...groupsOf(hub, parent), parent])
    if (group.members.has(device.account)) leaveGroup(hub, group, device);
  return element('linked_groups', { parent_group_jid: jid });
};

const subGroups: GroupHandler = (hub, parent, _device, iq) =>
  resultOf(iq, [element('sub_groups', {}, groupsOf(hub, parent).map(targetNode))]);

const people: GroupHandler = (_hub, parent, _device, iq) => {
  const all = [...parent.members.keys()].map((account) => participant(parent, account));
  return resultOf(iq, [element('linked_groups_participants', {}, all)]);
};

export const communityIqs: IqTable = {
  'w:g2 set links': byAdmin(link),
  'w:g2 set unlink': byAdmin(unlink),
  'w:g2 set delete_parent': byAdmin(end),
  'w:g2 get sub_groups': inGroup(subGroups),
  'w:g2 get linked_groups_participants': inGroup(people),
};
