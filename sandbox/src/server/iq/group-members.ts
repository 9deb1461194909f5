/** Changes of a group's members: who comes, goes, and becomes an admin. */
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../types.ts';
import type { Group } from '../accounts/group.ts';
import { permits } from '../accounts/visibility.ts';
import { childrenOf, element, errorOf, resultOf } from '../../nodes.ts';
import { describeGroup, participant, tellGroup } from '../messages/group-news.ts';
import type { HubState } from '../state.ts';

/** The code with which a change of one person is refused, or null. */
type Judge = (hub: HubState, group: Group, account: Account, by: Account) => string | null;

const isMember: Judge = (_hub, group, account) => (group.members.has(account) ? null : '404');
/** The owner stays, and stays an admin. */
const isNotOwner: Judge = (hub, group, account, by) =>
  account === group.owner ? '403' : isMember(hub, group, account, by);

interface Change {
  readonly judge: Judge;
  readonly apply: (group: Group, account: Account) => void;
}

const setAdmin =
  (admin: boolean): Change['apply'] =>
  (group, account) => {
    group.members.set(account, { admin });
  };

const changes: Readonly<Record<string, Change>> = {
  // 403: the person does not let everybody add them.
  add: {
    judge: (hub, group, account, by) =>
      group.members.has(account) ? '409' : permits(hub, account, by, 'groupadd') ? null : '403',
    apply: setAdmin(false),
  },
  remove: { judge: isNotOwner, apply: (group, account) => group.members.delete(account) },
  promote: { judge: isMember, apply: setAdmin(true) },
  demote: { judge: isNotOwner, apply: setAdmin(false) },
};

/** Numbers the versions of the list of members (whatsmeow group.go, 2026-08). */
const nextVersion = (group: Group): Record<string, string> => {
  const before = group.changes;
  group.changes += 1;
  return { prev_v_id: String(before), v_id: String(group.changes) };
};

/**
 * Those who were in the group get the change with the people it is about. Who was added gets the whole group, as `<create>` without the type `new`
 * (whatsmeow types/events JoinedGroup, 2026-08; wppconnect #2406, 2024-11).
 */
const tellChange = (hub: HubState, group: Group, by: Device, tag: string, done: ReadonlySet<Account>): void => {
  const people = [...done].map((account) => participant(group, account));
  const before = [...group.members.keys()].filter((account) => tag !== 'add' || !done.has(account));
  const audience = tag === 'remove' ? [...before, ...done] : before;
  tellGroup(hub, group, by, element(tag, nextVersion(group), people), audience);
  if (tag === 'add') tellGroup(hub, group, by, element('create', {}, [describeGroup(group)]), done);
};

export const changeMembers = (hub: HubState, group: Group, device: Device, iq: BinaryNode): BinaryNode => {
  const [request] = childrenOf(iq);
  const change = changes[request?.tag ?? ''];
  if (request === undefined || change === undefined) return errorOf(iq, 400, 'bad-request');
  const done = new Set<Account>();
  const answer = childrenOf(request).map(({ attrs }) => {
    const account = hub.registry.find(attrs.jid);
    const error = account === null ? '404' : change.judge(hub, group, account, device.account);
    if (account === null || error !== null) {
      return element('participant', { jid: attrs.jid ?? '', ...(error !== null && { error }) });
    }
    change.apply(group, account);
    done.add(account);
    return participant(group, account);
  });
  if (done.size > 0) tellChange(hub, group, device, request.tag, done);
  return resultOf(iq, [element(request.tag, {}, answer)]);
};

/** A member who leaves is removed by themselves (Baileys rc14 messages-recv.js handleGroupNotification; whatsmeow knows no `<leave>`). */
export const leaveGroup = (hub: HubState, group: Group, device: Device): void => {
  group.members.delete(device.account);
  const gone = element('remove', nextVersion(group), [participant(group, device.account)]);
  tellGroup(hub, group, device, gone, [...group.members.keys(), device.account]);
};
