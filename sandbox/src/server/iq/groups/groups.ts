/** Groups: created, listed, left, and their timer. */
import type { BinaryNode } from 'baileys';
import type { Device } from '../../../base/types.ts';
import { type Group, newGroup } from '../../groups/group.ts';
import { errorOf, childOf, element, resultOf, childrenOf, textOf } from '../../../base/nodes.ts';
import type { HubState } from '../../state/state.ts';
import { seconds } from '../../../base/clock.ts';
import type { IqHandler, IqTable } from '../table.ts';
import { tellGroup, describeGroup, participant } from './group-news.ts';
import { randomInt } from 'node:crypto';
import { addAnnouncements, communityIqs, communityOf, leaveCommunity, welcome } from './communities.ts';
import { joiningIqs } from './joining.ts';
import { byEditor } from './rights.ts';
import { changePeople, leaveGroup, memberIqs } from './members.ts';
import { isDescription, isSubject, memberAddModeOf, settingIqs } from './settings.ts';

/**
 * Any member may set the timer unless the group is locked: `<ephemeral expiration>` and `<not_ephemeral>`. Other values than
 * those of the apps get 400 (whatsmeow `SetDisappearingTimer`, send.go, 2026-08-21).
 */
const timers: ReadonlySet<number> = new Set([86_400, 604_800, 7_776_000]);

const setGroupTimer = (hub: HubState, group: Group, device: Device, iq: BinaryNode): BinaryNode => {
  const wanted = childOf(iq, 'ephemeral');
  const expiration = wanted === undefined ? 0 : Number(wanted.attrs.expiration);
  if (wanted !== undefined && !timers.has(expiration)) return errorOf(iq, 400, 'bad-request');
  group.timer = expiration;
  const change = expiration === 0 ? element('not_ephemeral') : element('ephemeral', { expiration: String(expiration) });
  tellGroup(hub, group, device, change);
  return resultOf(iq);
};

const newJid = (hub: HubState): string => {
  const jid = `1203630${randomInt(10 ** 11, 10 ** 12 - 1)}@g.us`;
  return hub.groups.has(jid) ? newJid(hub) : jid;
};

/** whatsmeow group.go CreateGroup, 2026-08; null for unsupported settings. */
const settingsIn = (request: BinaryNode | undefined, device: Device, at: number): Partial<Group> | null => {
  const settings: Partial<Group> = {};
  for (const child of childrenOf(request)) {
    if (child.tag === 'participant') continue;
    if (child.tag === 'announcement' || child.tag === 'locked') settings[child.tag] = true;
    else if (child.tag === 'membership_approval_mode') {
      settings.joinApproval = childOf(child, 'group_join')?.attrs.state === 'on';
    } else if (child.tag === 'member_add_mode') {
      settings.memberAddMode = memberAddModeOf(textOf(child)) ?? 'all_member_add';
    } else if (child.tag === 'description') {
      const text = textOf(childOf(child, 'body')) ?? '';
      if (!isDescription(text) || child.attrs.id === undefined) return null;
      settings.description = { id: child.attrs.id, text, by: device.account, at };
    } else if (child.tag === 'parent') settings.community = 'parent';
    else if (child.tag === 'linked_parent') settings.community = child.attrs.jid ?? '';
    else if (child.tag === 'ephemeral') {
      settings.timer = Number(child.attrs.expiration);
      if (settings.timer !== 0 && !timers.has(settings.timer)) return null;
    } else return null;
  }
  return settings;
};

const create: IqHandler = (hub, device, iq) => {
  const request = childOf(iq, 'create');
  const subject = request?.attrs.subject ?? '';
  const createdAt = Number(seconds(hub.clock));
  const settings = settingsIn(request, device, createdAt);
  if (settings === null) return errorOf(iq, 501, 'feature-not-implemented');
  if (!isSubject(subject)) return errorOf(iq, 406, 'not-acceptable');
  const isInside = settings.community !== undefined && settings.community !== 'parent';
  const parent = isInside ? communityOf(hub, settings.community!, device) : null;
  if (typeof parent === 'number') return errorOf(iq, parent, parent === 403 ? 'forbidden' : 'item-not-found');
  const group = newGroup({
    jid: newJid(hub),
    subject,
    // Only the sandbox's own phones may create a group of the old kind.
    mode: device.id === 0 && request?.attrs.addressing_mode === 'pn' ? 'pn' : 'lid',
    owner: device.account,
    createdAt,
    members: new Map([[device.account, { admin: true }]]),
    ...settings,
  });
  const asked = childrenOf(request).filter(
    ({ tag, attrs }) => tag === 'participant' && hub.registry.find(attrs.jid) !== device.account,
  );
  const { answer } = changePeople(hub, group, device.account, 'add', asked);
  hub.groups.set(group.jid, group);
  if (group.community === 'parent') addAnnouncements(hub, group, newJid(hub), device);
  tellGroup(hub, group, device, element('create', { type: 'new' }, [describeGroup(group)]));
  if (parent !== null) welcome(hub, parent, group, device);
  const refused = answer.filter(({ attrs: { error } }) => error !== undefined && error !== '409');
  const members = [...group.members.keys()].map((account) => participant(group, account));
  return resultOf(iq, [describeGroup(group, [...members, ...refused])]);
};

const leave: IqHandler = (hub, device, iq) => {
  const left = childrenOf(childOf(iq, 'leave')).map(({ tag, attrs }) => {
    if (tag === 'linked_groups') return leaveCommunity(hub, attrs['parent_group_jid'] ?? '', device);
    const group = hub.groups.get(attrs.id ?? '');
    if (tag !== 'group' || group?.members.has(device.account) !== true) {
      return element(tag, { id: attrs.id ?? '', error: '404' });
    }
    leaveGroup(hub, group, device);
    return element('group', { id: group.jid });
  });
  return resultOf(iq, [element('leave', {}, left)]);
};

const participating: IqHandler = (hub, device, iq) => {
  const own = [...hub.groups.values()].filter(({ members }) => members.has(device.account));
  return resultOf(iq, [
    element(
      'groups',
      {},
      own.map((group) => describeGroup(group)),
    ),
  ]);
};

export const groupIqs: IqTable = {
  'w:g2 set create': create,
  'w:g2 set leave': leave,
  'w:g2 get participating': participating,
  'w:g2 set ephemeral': byEditor(setGroupTimer),
  'w:g2 set not_ephemeral': byEditor(setGroupTimer),
  ...memberIqs,
  ...settingIqs,
  ...joiningIqs,
  ...communityIqs,
};
