/** Groups: created, asked about, and changed by their members. */
import { randomInt } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import type { Device } from '../../types.ts';
import { seconds } from '../clock.ts';
import type { Group } from '../accounts/group.ts';
import { permits } from '../accounts/visibility.ts';
import { childOf, childrenOf, element, errorOf, resultOf, textOf } from '../../nodes.ts';
import { changeMembers, leaveGroup } from './group-members.ts';
import { setGroupTimer } from './group-timer.ts';
import { describeGroup, person, tellGroup } from '../messages/group-news.ts';
import type { HubState } from '../state.ts';
import type { IqHandler, IqTable } from './table.ts';

const newJid = (hub: HubState): string => {
  const jid = `1203630${randomInt(10 ** 11, 10 ** 12 - 1)}@g.us`;
  return hub.groups.has(jid) ? newJid(hub) : jid;
};

const create: IqHandler = (hub, device, iq) => {
  const request = childOf(iq, 'create');
  // Descriptions and communities.
  if (childrenOf(request).some(({ tag }) => tag !== 'participant')) {
    return errorOf(iq, 501, 'feature-not-implemented');
  }
  const members = new Map([[device.account, { admin: true }]]);
  const refused: BinaryNode[] = [];
  for (const { attrs } of childrenOf(request)) {
    const account = hub.registry.find(attrs.jid);
    const error = account === null ? '404' : permits(hub, account, device.account, 'groupadd') ? null : '403';
    if (error !== null) refused.push(element('participant', { jid: attrs.jid ?? '', error }));
    else if (account !== null && !members.has(account)) members.set(account, { admin: false });
  }
  const group: Group = {
    jid: newJid(hub),
    subject: request?.attrs.subject ?? '',
    // The sandbox's own phones may ask for one of the old kind.
    mode: device.id === 0 && request?.attrs.addressing_mode === 'pn' ? 'pn' : 'lid',
    owner: device.account,
    createdAt: Math.floor(hub.clock.now() / 1000),
    members,
    picture: null,
    timer: 0,
    changes: 0,
  };
  hub.groups.set(group.jid, group);
  tellGroup(
    hub,
    group,
    device,
    element('create', { type: 'new', key: request?.attrs.key ?? '' }, [describeGroup(group)]),
  );
  return resultOf(iq, [describeGroup(group, refused)]);
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

const leave: IqHandler = (hub, device, iq) => {
  const left = childrenOf(childOf(iq, 'leave')).map(({ tag, attrs }) => {
    const group = hub.groups.get(attrs.id ?? '');
    if (tag !== 'group' || group?.members.has(device.account) !== true) {
      return element(tag, { id: attrs.id ?? '', error: '404' });
    }
    leaveGroup(hub, group, device);
    return element('group', { id: group.jid });
  });
  return resultOf(iq, [element('leave', {}, left)]);
};

const rename: GroupHandler = (hub, group, device, iq) => {
  group.subject = textOf(childOf(iq, 'subject')) ?? '';
  const by = person(group, device.account, 's_o', 's_o_pn', 's_o_lid');
  const attrs = { subject: group.subject, s_t: seconds(hub.clock), ...by };
  tellGroup(hub, group, device, element('subject', attrs));
  return resultOf(iq);
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
  'w:g2 set add': byAdmin(changeMembers),
  'w:g2 set remove': byAdmin(changeMembers),
  'w:g2 set promote': byAdmin(changeMembers),
  'w:g2 set demote': byAdmin(changeMembers),
  'w:g2 set subject': inGroup(rename),
  'w:g2 set ephemeral': inGroup(setGroupTimer),
  'w:g2 set not_ephemeral': inGroup(setGroupTimer),
  'w:g2 get query': inGroup((_hub, group, _device, iq) => resultOf(iq, [describeGroup(group)])),
  'w:g2 get participating': participating,
};
