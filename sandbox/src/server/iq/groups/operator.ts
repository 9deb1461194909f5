/** Changes of groups that no request makes: by the sandbox's operator alone. */
import { type Group, newGroup } from '../../groups/group.ts';
import { tellGroup } from './group-news.ts';
import { seconds } from '../../state/clock.ts';
import { element } from '../../../base/nodes.ts';
import type { HubState } from '../../state/state.ts';

/** Puts a group into a new community of this name, or takes it out of its own (whatsmeow group.go parseGroupChange, 2026-08). */
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
