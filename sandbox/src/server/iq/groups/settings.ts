/** Subject, description and settings of a group, changed by members or by the sandbox's operator. */
import { type Group, newGroup, isAdmin, type MemberAddMode } from '../../groups/group.ts';
import { tellGroup, approvalNode, nextVersion, person } from './group-news.ts';
import type { HubState } from '../../state/state.ts';
import { seconds } from '../../../base/clock.ts';
import { element, childOf, errorOf, resultOf, textOf } from '../../../base/nodes.ts';
import { byAdmin, byEditor, type GroupHandler } from './rights.ts';
import type { IqTable } from '../table.ts';

export const setCommunity = (hub: HubState, group: Group, name: string | null): void => {
  const former = hub.groups.get(group.community ?? '');
  if (former !== undefined) {
    const attrs = { unlink_type: 'parent_group', unlink_reason: 'unlink_group' };
    const target = element('group', { jid: former.jid, subject: former.subject, s_t: String(former.subjectAt) });
    group.community = null;
    tellGroup(hub, group, group.owner, element('unlink', attrs, [target]));
  }
  if (name === null) return;
  const { owner, mode, members } = group;
  const jid = group.jid.replace('1203630', '1203639');
  const createdAt = Number(seconds(hub.clock));
  const parent = newGroup({
    jid,
    subject: name,
    mode,
    owner,
    createdAt,
    members: new Map([...members].map(([account, role]) => [account, { ...role }])),
    community: 'parent',
  });
  hub.groups.set(jid, parent);
  group.community = jid;
  const target = element('group', { jid, subject: name, s_t: String(createdAt) });
  tellGroup(hub, group, owner, element('link', { link_type: 'parent_group' }, [target]));
};

export const groupJson = (group: Group): object => {
  const { jid, subject, description, mode, owner, members, announcement, locked, joinApproval, requests } = group;
  return {
    jid,
    subject,
    description: description?.text ?? null,
    addressingMode: mode,
    owner: owner.number,
    members: [...members].map(([{ number }, { admin }]) => ({ number, admin })),
    announceOnly: announcement,
    locked,
    joinApproval,
    memberAddMode: group.memberAddMode === 'admin_add' ? 'admins' : 'everyone',
    expiresInSeconds: group.timer === 0 ? null : group.timer,
    community: group.community,
    requests: [...requests.keys()].map(({ number }) => number),
    invited: [...group.privateInvites].map(([{ number }, { code }]) => ({ number, code })),
  };
};

/** Maximum lengths in characters (WhatsApp help, 2022-11; 406 for longer ones: whatsmeow ReqCreateGroup, 2026-08). */
const maxSubject = 100;
const maxDescription = 2_048;

const lengthOf = (text: string): number => Array.from(text).length;

export const isSubject = (text: string): boolean => lengthOf(text) > 0 && lengthOf(text) <= maxSubject;

export const isDescription = (text: string): boolean => lengthOf(text) > 0 && lengthOf(text) <= maxDescription;

export const memberAddModeOf = (text: string | null): MemberAddMode | null =>
  text === 'admin_add' || text === 'all_member_add' ? text : null;

const rename: GroupHandler = (hub, group, device, iq) => {
  const subject = textOf(childOf(iq, 'subject')) ?? '';
  if (!isSubject(subject)) return errorOf(iq, 406, 'not-acceptable');
  Object.assign(group, { subject, subjectBy: device.account, subjectAt: Number(seconds(hub.clock)) });
  const by = person(group, device.account, 's_o', 's_o_pn', 's_o_lid');
  tellGroup(hub, group, device, element('subject', { subject, s_t: String(group.subjectAt), ...by }));
  return resultOf(iq);
};

/** `prev` names the description being replaced; 409 if it has changed meanwhile. */
const describe: GroupHandler = (hub, group, device, iq) => {
  const request = childOf(iq, 'description');
  const { id, prev, delete: removed } = request?.attrs ?? {};
  if (prev !== group.description?.id) return errorOf(iq, 409, 'conflict');
  const text = textOf(childOf(request, 'body')) ?? '';
  if (removed === 'true') {
    if (group.description === null) return resultOf(iq);
    tellGroup(hub, group, device, element('description', { id: group.description.id }, [element('delete')]));
    group.description = null;
    return resultOf(iq);
  }
  if (id === undefined) return errorOf(iq, 400, 'bad-request');
  if (!isDescription(text)) return errorOf(iq, 406, 'not-acceptable');
  group.description = { id, text, by: device.account, at: Number(seconds(hub.clock)) };
  tellGroup(hub, group, device, element('description', { id }, [element('body', {}, Buffer.from(text))]));
  return resultOf(iq);
};

const toggle =
  (name: 'announcement' | 'locked', on: boolean, tag: string): GroupHandler =>
  (hub, group, device, iq) => {
    if (group[name] === on) return resultOf(iq);
    group[name] = on;
    tellGroup(hub, group, device, element(tag, nextVersion(group)));
    return resultOf(iq);
  };

const setApproval: GroupHandler = (hub, group, device, iq) => {
  const state = childOf(childOf(iq, 'membership_approval_mode'), 'group_join')?.attrs.state;
  if (state !== 'on' && state !== 'off') return errorOf(iq, 400, 'bad-request');
  if (group.joinApproval === (state === 'on')) return resultOf(iq);
  group.joinApproval = state === 'on';
  tellGroup(hub, group, device, approvalNode(group.joinApproval));
  return resultOf(iq);
};

const setMemberAddMode: GroupHandler = (hub, group, device, iq) => {
  const mode = memberAddModeOf(textOf(childOf(iq, 'member_add_mode')));
  if (mode === null) return errorOf(iq, 400, 'bad-request');
  if (group.memberAddMode === mode) return resultOf(iq);
  group.memberAddMode = mode;
  tellGroup(hub, group, device, element('member_add_mode', {}, Buffer.from(mode)));
  return resultOf(iq);
};

export const mayAdd: (...given: Parameters<typeof isAdmin>) => boolean = (group, account) =>
  isAdmin(group, account) || (group.memberAddMode === 'all_member_add' && !group.joinApproval);

export const settingIqs: IqTable = {
  'w:g2 set subject': byEditor(rename),
  'w:g2 set description': byEditor(describe),
  'w:g2 set announcement': byAdmin(toggle('announcement', true, 'announcement')),
  'w:g2 set not_announcement': byAdmin(toggle('announcement', false, 'not_announcement')),
  'w:g2 set locked': byAdmin(toggle('locked', true, 'locked')),
  'w:g2 set unlocked': byAdmin(toggle('locked', false, 'unlocked')),
  'w:g2 set membership_approval_mode': byAdmin(setApproval),
  'w:g2 set member_add_mode': byAdmin(setMemberAddMode),
};
