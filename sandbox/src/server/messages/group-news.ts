/** Groups as stanzas: who is in them, and the notices of what changes. */
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../types.ts';
import type { Group } from '../accounts/group.ts';
import { seconds } from '../clock.ts';
import { element } from '../../nodes.ts';
import { devicesOf } from './participants.ts';
import { pushNameOf } from './presence.ts';
import { deliver } from './queue.ts';
import type { HubState } from '../state.ts';

const roleOf = (group: Group, account: Account): Record<string, string> => {
  if (group.owner === account) return { type: 'superadmin' };
  return group.members.get(account)?.admin === true ? { type: 'admin' } : {};
};

/** One person under the given names: by the group's own addresses, and the other one beside them. */
export const person = (group: Group, account: Account, own: string, pn: string, lid: string): Record<string, string> =>
  group.mode === 'lid' ? { [own]: account.lid, [pn]: account.jid } : { [own]: account.jid, [lid]: account.lid };

export const participant = (group: Group, account: Account): BinaryNode =>
  element('participant', { ...person(group, account, 'jid', 'phone_number', 'lid'), ...roleOf(group, account) });

/** `refused`: people who could not be added. */
export const describeGroup = (group: Group, refused: readonly BinaryNode[] = []): BinaryNode =>
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
    [
      ...(group.timer === 0 ? [] : [element('ephemeral', { expiration: String(group.timer) })]),
      ...[...group.members.keys()].map((account) => participant(group, account)),
      ...refused,
    ],
  );

/** Tells every device of these people what happened in a group. */
export const tellGroup = (
  hub: HubState,
  group: Group,
  by: Device,
  change: BinaryNode,
  audience: Iterable<Account> = group.members.keys(),
): void => {
  const notify = pushNameOf(hub, by);
  const attrs = {
    id: hub.nextId(),
    from: group.jid,
    type: 'w:gp2',
    ...person(group, by.account, 'participant', 'participant_pn', 'participant_lid'),
    ...(notify !== null && { notify }),
    t: seconds(hub.clock),
    addressing_mode: group.mode,
  };
  for (const device of devicesOf(audience)) {
    if (device !== by) deliver(hub, device, element('notification', attrs, [change]));
  }
};
