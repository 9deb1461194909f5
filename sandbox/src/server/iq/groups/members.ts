/** Member changes of a group: additions, removals and administrators. */
import { randomBytes } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../../base/types.ts';
import { type Group, isAdmin, MAX_MEMBERS } from '../../groups/group.ts';
import { nextVersion, participant, succeed, tellAdded, tellGroup } from './group-news.ts';
import { noteTokenOfAddition } from '../../messages/privacy-tokens.ts';
import { permits } from '../../messages/presence.ts';
import type { HubState } from '../../state/state.ts';
import { seconds } from '../../../base/clock.ts';
import { childrenOf, element, errorOf, resultOf } from '../../../base/nodes.ts';
import { mayAdd } from './settings.ts';
import { byAdmin, inGroup } from './rights.ts';
import type { IqTable } from '../table.ts';

/** Lifetime of a personal invitation (WhatsApp help: three days, 2026-08). */
const invitedForS = 3 * 86_400;

type Refusal = (hub: HubState, group: Group, account: Account, by: Account) => string | null;

const isMember: Refusal = (_hub, group, account) => (group.members.has(account) ? null : '404');
const isNotOwner: Refusal = (hub, group, account, by) =>
  account === group.owner ? '403' : isMember(hub, group, account, by);

/** 403: the person may not be added directly; 409: already a member; 419: the group is full (wwebjs #2344, 2023-07). */
const mayBeAdded: Refusal = (hub, group, account, by) => {
  if (group.members.has(account)) return '409';
  if (!permits(hub, account, by, 'groupadd')) return '403';
  return group.members.size >= MAX_MEMBERS ? '419' : null;
};

interface Change {
  readonly refusal: Refusal;
  readonly apply: (group: Group, account: Account) => void;
}

const setAdmin =
  (admin: boolean): Change['apply'] =>
  (group, account) => {
    group.members.set(account, { admin });
  };

const enter: Change['apply'] = (group, account) => {
  group.members.set(account, { admin: false });
  group.removed.delete(account);
  group.requests.delete(account);
  group.privateInvites.delete(account);
};

const changes: Readonly<Record<string, Change>> = {
  add: { refusal: mayBeAdded, apply: enter },
  /** Privacy settings do not apply, as the person asked to join. */
  approve: { refusal: (_hub, group) => (group.members.size >= MAX_MEMBERS ? '419' : null), apply: enter },
  remove: {
    refusal: isNotOwner,
    apply: (group, account) => {
      group.members.delete(account);
      group.removed.add(account);
    },
  },
  promote: { refusal: isMember, apply: setAdmin(true) },
  demote: { refusal: isNotOwner, apply: setAdmin(false) },
};

/** A personal invitation for somebody who may not be added (whatsmeow GroupParticipantAddRequest, 2026-08; Baileys #958, 2024-07). */
const inviteAlone = (hub: HubState, group: Group, account: Account, by: Account): BinaryNode => {
  const expiresAt = Number(seconds(hub.clock)) + invitedForS;
  const code = randomBytes(12).toString('base64url');
  group.privateInvites.set(account, { code, expiresAt, by });
  return element('add_request', { code, expiration: String(expiresAt) });
};

const refusalOf = (hub: HubState, group: Group, account: Account, by: Account, error: string): BinaryNode => {
  const invited = error === '403' && !group.members.has(account);
  const node = participant(group, account, invited ? [inviteAlone(hub, group, account, by)] : undefined);
  return { ...node, attrs: { ...node.attrs, error } };
};

/** Returns those changed, and an answer for each. */
export const changePeople = (
  hub: HubState,
  group: Group,
  by: Account,
  tag: string,
  people: readonly BinaryNode[],
): { readonly done: ReadonlySet<Account>; readonly answer: BinaryNode[] } => {
  const change = changes[tag]!;
  const done = new Set<Account>();
  const answer = people.map((each) => {
    const { attrs } = each;
    const account = hub.registry.find(attrs.jid);
    if (account !== null && tag === 'add') noteTokenOfAddition(hub, by, account, each);
    if (account === null) return element('participant', { jid: attrs.jid ?? '', error: '404' });
    const error = change.refusal(hub, group, account, by);
    if (error !== null) return refusalOf(hub, group, account, by, error);
    change.apply(group, account);
    done.add(account);
    return participant(group, account);
  });
  return { done, answer };
};

const changeMembers = (hub: HubState, group: Group, device: Device, iq: BinaryNode): BinaryNode => {
  const [request] = childrenOf(iq);
  const tag = request?.tag ?? '';
  if (tag === 'add' ? !mayAdd(group, device.account) : !isAdmin(group, device.account)) {
    return errorOf(iq, 403, 'forbidden');
  }
  const { done, answer } = changePeople(hub, group, device.account, tag, childrenOf(request));
  if (done.size > 0 && tag === 'add') tellAdded(hub, group, device, done);
  else if (done.size > 0) {
    const people = [...done].map((account) => participant(group, account));
    const audience = [...group.members.keys(), ...done];
    tellGroup(hub, group, device, element(tag, nextVersion(group), people), audience);
  }
  return resultOf(iq, [element(tag, {}, answer)]);
};

/** Leaving is a removal by oneself (Baileys rc14 messages-recv.js handleGroupNotification; whatsmeow knows no `<leave>`). */
export const leaveGroup = (hub: HubState, group: Group, device: Device): void => {
  group.members.delete(device.account);
  const gone = element('remove', nextVersion(group), [participant(group, device.account)]);
  tellGroup(hub, group, device, gone, [...group.members.keys(), device.account]);
  succeed(hub, group, device);
};

/** whatsapp-rust stanza/groups.rs Modify, 2026-08. */
export const changeNumber = (hub: HubState, group: Group, from: Account, to: Account): void => {
  const role = group.members.get(from);
  if (role === undefined || group.members.has(to)) return;
  group.members.delete(from);
  group.members.set(to, role);
  const modify = element('modify', nextVersion(group), [participant(group, to)]);
  tellGroup(hub, group, from, modify);
};

const revokeAlone = byAdmin((hub, group, _device, iq) => {
  const [request] = childrenOf(iq);
  const answer = childrenOf(request).map(({ attrs }) => {
    const account = hub.registry.find(attrs.jid);
    const known = account !== null && group.privateInvites.delete(account);
    return element('participant', { jid: attrs.jid ?? '', ...(!known && { error: '404' }) });
  });
  return resultOf(iq, [element('revoke', {}, answer)]);
});

export const memberIqs: IqTable = {
  'w:g2 set add': inGroup(changeMembers),
  'w:g2 set remove': inGroup(changeMembers),
  'w:g2 set promote': inGroup(changeMembers),
  'w:g2 set demote': inGroup(changeMembers),
  'w:g2 set revoke': revokeAlone,
};
