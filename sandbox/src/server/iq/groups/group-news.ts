/** Groups as stanzas: their description, members, and notices of changes. */
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../../base/types.ts';
import { administrators, type Group } from '../../groups/group.ts';
import type { HubState } from '../../state/state.ts';
import { seconds } from '../../../base/clock.ts';
import { element } from '../../../base/nodes.ts';
import { devicesOf } from '../../messages/participants.ts';
import { pushNameOf } from '../../messages/presence.ts';
import { deliver } from '../../messages/queue.ts';
import { usernameIn } from '../../accounts/usernames.ts';

const roleOf = (group: Group, account: Account): Record<string, string> => {
  if (!group.members.has(account)) return {};
  if (group.owner === account) return { type: 'superadmin' };
  return group.members.get(account)?.admin === true ? { type: 'admin' } : {};
};

export const person = (
  group: Group,
  account: Account,
  own: string,
  pn: string,
  lid: string,
): Record<string, string> => {
  if (group.mode === 'pn') return { [own]: account.jid, [lid]: account.lid };
  return {
    [own]: account.lid,
    ...(!account.hidesNumber && { [pn]: account.jid }),
    ...usernameIn(account, own === 'jid' ? undefined : own),
  };
};

export const participant = (group: Group, account: Account, content?: BinaryNode[]): BinaryNode =>
  element(
    'participant',
    { ...person(group, account, 'jid', 'phone_number', 'lid'), ...roleOf(group, account) },
    content,
  );

export const approvalNode = (on: boolean): BinaryNode =>
  element('membership_approval_mode', {}, [element('group_join', { state: on ? 'on' : 'off' })]);

const descriptionNode = (group: Group): BinaryNode[] => {
  if (group.description === null) return [];
  const { id, text, by, at } = group.description;
  const attrs = { id, t: String(at), ...person(group, by, 'participant', 'participant_pn', 'participant_lid') };
  return [element('description', attrs, [element('body', {}, Buffer.from(text))])];
};

/** Child nodes as read by whatsmeow group.go parseGroupNode and Baileys rc14 extractGroupMetadata (2026-08). */
const settingsOf = (group: Group): BinaryNode[] => [
  ...descriptionNode(group),
  ...(group.announcement ? [element('announcement')] : []),
  ...(group.locked ? [element('locked')] : []),
  ...(group.timer === 0 ? [] : [element('ephemeral', { expiration: String(group.timer) })]),
  ...(group.joinApproval ? [approvalNode(true)] : []),
  element('member_add_mode', {}, Buffer.from(group.memberAddMode)),
  ...(group.community === 'parent'
    ? [element('parent', { default_membership_approval_mode: 'request_required' })]
    : group.community === null
      ? []
      : [
          element('linked_parent', { jid: group.community }),
          ...(group.announcements ? [element('default_sub_group')] : []),
        ]),
];

export const describeGroup = (
  group: Group,
  people: readonly BinaryNode[] = [...group.members.keys()].map((account) => participant(group, account)),
): BinaryNode =>
  element(
    'group',
    {
      id: group.jid.split('@')[0] ?? '',
      subject: group.subject,
      s_t: String(group.subjectAt),
      ...person(group, group.subjectBy, 's_o', 's_o_pn', 's_o_lid'),
      creation: String(group.createdAt),
      ...person(group, group.owner, 'creator', 'creator_pn', 'creator_lid'),
      addressing_mode: group.mode,
      size: String(group.members.size),
      p_v_id: String(group.changes),
    },
    [...people, ...settingsOf(group)],
  );

export const nextVersion = (group: Group): Record<string, string> => {
  const before = group.changes;
  group.changes += 1;
  return { prev_v_id: String(before), v_id: String(group.changes) };
};

/**
 * Tells all devices of these people, including the one that made the change: it gets the `<create>` too, without the key of its request
 * (whatsmeow 0dcf1f50, 2026-08-14).
 */
export const tellGroup = (
  hub: HubState,
  group: Group,
  by: Device | Account,
  change: BinaryNode,
  audience: Iterable<Account> = group.members.keys(),
): void => {
  const [account, notify] = 'account' in by ? [by.account, pushNameOf(hub, by)] : [by, null];
  for (const device of devicesOf(new Set(audience))) {
    const attrs = {
      id: hub.nextId(),
      from: group.jid,
      type: 'w:gp2',
      ...person(group, account, 'participant', 'participant_pn', 'participant_lid'),
      ...(notify !== null && { notify }),
      t: seconds(hub.clock),
      addressing_mode: group.mode,
    };
    deliver(hub, device, element('notification', attrs, [change]));
  }
};

/** New members get the whole group, as `<create>` without the type `new` (whatsmeow JoinedGroup, 2026-08; wppconnect #2406, 2024-11). */
export const tellAdded = (
  hub: HubState,
  group: Group,
  by: Device | Account,
  added: ReadonlySet<Account>,
  reason?: 'invite',
): void => {
  const attrs = { ...nextVersion(group), ...(reason !== undefined && { reason }) };
  const before = [...group.members.keys()].filter((account) => !added.has(account));
  const people = [...added].map((account) => participant(group, account));
  tellGroup(hub, group, by, element('add', attrs, people), before);
  const whole = element('create', reason === undefined ? {} : { reason }, [describeGroup(group)]);
  tellGroup(hub, group, by, whole, added);
};

export const succeed = (hub: HubState, group: Group, by: Device | Account): void => {
  const [heir] = group.members.keys();
  if (heir === undefined || administrators(group).length > 0) return;
  group.members.set(heir, { admin: true });
  tellGroup(hub, group, by, element('promote', nextVersion(group), [participant(group, heir)]));
};
