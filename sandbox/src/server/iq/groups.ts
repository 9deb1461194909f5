/** Groups: created, asked about, and changed by their members. */
import { randomInt } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../types.ts';
import { seconds } from '../clock.ts';
import type { Group } from '../accounts/group.ts';
import { childOf, childrenOf, element, errorOf, resultOf, textOf } from '../../nodes.ts';
import { deliver } from '../messages/queue.ts';
import type { HubState } from '../state.ts';
import type { IqHandler, IqTable } from './table.ts';

const roleOf = (group: Group, account: Account): Record<string, string> => {
  if (group.owner === account) return { type: 'superadmin' };
  return group.members.get(account)?.admin === true ? { type: 'admin' } : {};
};

/** One person under the given names: by the group's own addresses, and the other one beside them. */
const person = (group: Group, account: Account, own: string, pn: string, lid: string): Record<string, string> =>
  group.mode === 'lid' ? { [own]: account.lid, [pn]: account.jid } : { [own]: account.jid, [lid]: account.lid };

const participant = (group: Group, account: Account, more: Record<string, string> = {}): BinaryNode =>
  element('participant', { ...person(group, account, 'jid', 'phone_number', 'lid'), ...more });

const describe = (group: Group): BinaryNode =>
  element(
    'group',
    {
      id: group.jid.split('@')[0] ?? '',
      subject: group.subject,
      s_t: String(group.createdAt),
      ...person(group, group.owner, 's_o', 's_o_pn', 's_o_lid'),
      creation: String(group.createdAt),
      ...person(group, group.owner, 'creator', 'creator_pn', 'creator_lid'),
      addressing_mode: group.mode,
      size: String(group.members.size),
    },
    [...group.members.keys()].map((account) => participant(group, account, roleOf(group, account))),
  );

/** Tells every device of every member what happened in a group. */
const tell = (
  hub: HubState,
  group: Group,
  by: Device,
  change: BinaryNode,
  audience: Iterable<Account> = group.members.keys(),
): void => {
  const attrs = {
    id: hub.nextId(),
    from: group.jid,
    type: 'w:gp2',
    ...person(group, by.account, 'participant', 'participant_pn', 'participant_lid'),
    t: seconds(hub.clock),
    addressing_mode: group.mode,
  };
  for (const account of audience) {
    for (const device of account.devices.values()) {
      if (device !== by) deliver(hub, device, element('notification', attrs, [change]));
    }
  }
};

const newJid = (hub: HubState): string => {
  const jid = `1203630${randomInt(10 ** 11, 10 ** 12 - 1)}@g.us`;
  return hub.groups.has(jid) ? newJid(hub) : jid;
};

const create: IqHandler = (hub, device, iq) => {
  const request = childOf(iq, 'create');
  const members = new Map([[device.account, { admin: true }]]);
  for (const { attrs } of childrenOf(request)) {
    const account = hub.registry.find(attrs.jid);
    if (account !== null && !members.has(account)) members.set(account, { admin: false });
  }
  const group: Group = {
    jid: newJid(hub),
    subject: request?.attrs.subject ?? '',
    // The sandbox's own phones may ask for one of the old kind.
    mode: device.id === 0 && request?.attrs.addressing_mode === 'pn' ? 'pn' : 'lid',
    owner: device.account,
    createdAt: Math.floor(hub.clock.now() / 1000),
    members,
  };
  hub.groups.set(group.jid, group);
  tell(hub, group, device, element('create', { type: 'new', key: request?.attrs.key ?? '' }, [describe(group)]));
  return resultOf(iq, [describe(group)]);
};

type GroupHandler = (hub: HubState, group: Group, device: Device, iq: BinaryNode) => BinaryNode;

/** Only for who is in the group. */
const inGroup =
  (handler: GroupHandler): IqHandler =>
  (hub, device, iq) => {
    const group = hub.groups.get(iq.attrs.to ?? '');
    if (group === undefined) return errorOf(iq, 404, 'item-not-found');
    if (!group.members.has(device.account)) return errorOf(iq, 403, 'forbidden');
    return handler(hub, group, device, iq);
  };

const byAdmin = (handler: GroupHandler): IqHandler =>
  inGroup((hub, group, device, iq) =>
    group.members.get(device.account)?.admin === true ? handler(hub, group, device, iq) : errorOf(iq, 403, 'forbidden'),
  );

const changes: Readonly<Record<string, (group: Group, account: Account) => void>> = {
  add: (group, account) => {
    if (!group.members.has(account)) group.members.set(account, { admin: false });
  },
  remove: (group, account) => {
    if (account !== group.owner) group.members.delete(account);
  },
  promote: (group, account) => {
    if (group.members.has(account)) group.members.set(account, { admin: true });
  },
  demote: (group, account) => {
    if (group.members.has(account) && account !== group.owner) group.members.set(account, { admin: false });
  },
};

const changeMembers: GroupHandler = (hub, group, device, iq) => {
  const [request] = childrenOf(iq);
  const change = changes[request?.tag ?? ''];
  if (request === undefined || change === undefined) return errorOf(iq, 400, 'bad-request');
  const audience = new Set(group.members.keys());
  const done: BinaryNode[] = [];
  const answer = childrenOf(request).map(({ attrs }) => {
    const account = hub.registry.find(attrs.jid);
    if (account === null) return element('participant', { jid: attrs.jid ?? '', error: '404' });
    change(group, account);
    audience.add(account);
    done.push(participant(group, account, roleOf(group, account)));
    return element('participant', { jid: attrs.jid ?? '' });
  });
  if (done.length > 0) tell(hub, group, device, element(request.tag, {}, done), audience);
  return resultOf(iq, [element(request.tag, {}, answer)]);
};

const leave: IqHandler = (hub, device, iq) => {
  const left = childrenOf(childOf(iq, 'leave')).map(({ attrs }) => {
    const group = hub.groups.get(attrs.id ?? '');
    if (group?.members.delete(device.account) !== true) return element('group', { id: attrs.id ?? '', error: '404' });
    tell(hub, group, device, element('leave', {}, [participant(group, device.account)]), [
      ...group.members.keys(),
      device.account,
    ]);
    return element('group', { id: group.jid });
  });
  return resultOf(iq, [element('leave', {}, left)]);
};

const rename: GroupHandler = (hub, group, device, iq) => {
  group.subject = textOf(childOf(iq, 'subject')) ?? '';
  const by = person(group, device.account, 's_o', 's_o_pn', 's_o_lid');
  const attrs = { subject: group.subject, s_t: seconds(hub.clock), ...by };
  tell(hub, group, device, element('subject', attrs));
  return resultOf(iq);
};

const participating: IqHandler = (hub, device, iq) => {
  const own = [...hub.groups.values()].filter(({ members }) => members.has(device.account));
  return resultOf(iq, [element('groups', {}, own.map(describe))]);
};

export const groupIqs: IqTable = {
  'w:g2 set create': create,
  'w:g2 set leave': leave,
  'w:g2 set add': byAdmin(changeMembers),
  'w:g2 set remove': byAdmin(changeMembers),
  'w:g2 set promote': byAdmin(changeMembers),
  'w:g2 set demote': byAdmin(changeMembers),
  'w:g2 set subject': inGroup(rename),
  'w:g2 get query': inGroup((_hub, group, _device, iq) => resultOf(iq, [describe(group)])),
  'w:g2 get participating': participating,
};
