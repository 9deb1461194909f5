/** Joining a group: by link, invitation or request. */
import { randomInt } from 'node:crypto';
import type { Account, Device } from '../../../base/types.ts';
import { administrators, type Group, MAX_MEMBERS } from '../../groups/group.ts';
import { describeGroup, participant, person, tellAdded, tellGroup } from './group-news.ts';
import type { HubState } from '../../state/state.ts';
import { seconds } from '../../../base/clock.ts';
import { childOf, childrenOf, element, errorOf, resultOf } from '../../../base/nodes.ts';
import { changePeople } from './members.ts';
import { byAdmin, type GroupHandler } from './rights.ts';
import type { IqHandler, IqTable } from '../table.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const codeLength = 22;

const newCode = (): string => Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join('');

const inviteOf = (group: Group): string => (group.invite ??= newCode());

const readInvite: GroupHandler = (_hub, group, _device, iq) =>
  resultOf(iq, [element('invite', { code: inviteOf(group) })]);

/** Told to administrators, since only they see the code. */
const rotateInvite: GroupHandler = (hub, group, device, iq) => {
  if (group.invite !== null) group.formerInvites.add(group.invite);
  group.invite = newCode();
  const invite = element('invite', { code: group.invite });
  tellGroup(hub, group, device, invite, administrators(group));
  return resultOf(iq, [invite]);
};

/** 410: revoked; 406: unknown code (whatsmeow group.go ErrInviteLinkRevoked, ErrInviteLinkInvalid; 2026-08). */
const groupOfCode = (hub: HubState, code: string | undefined): Group | 406 | 410 => {
  for (const group of hub.groups.values()) {
    if (group.invite === code) return group;
    if (group.formerInvites.has(code ?? '')) return 410;
  }
  return 406;
};

const texts = {
  403: 'forbidden',
  404: 'item-not-found',
  405: 'not-allowed',
  406: 'not-acceptable',
  409: 'conflict',
  410: 'gone',
  419: 'resource-limit',
} as const;

/** People outside the group see its administrators only. */
const seenFromOutside = (group: Group) =>
  describeGroup(
    group,
    administrators(group).map((account) => participant(group, account)),
  );

const readByCode: IqHandler = (hub, _device, iq) => {
  const group = groupOfCode(hub, childOf(iq, 'invite')?.attrs.code);
  return typeof group === 'number' ? errorOf(iq, group, texts[group]) : resultOf(iq, [seenFromOutside(group)]);
};

const join = (hub: HubState, group: Group, device: Device): void => {
  group.members.set(device.account, { admin: false });
  group.requests.delete(device.account);
  group.privateInvites.delete(device.account);
  tellAdded(hub, group, device, new Set([device.account]), 'invite');
};

const requestedUser = (group: Group, account: Account) =>
  element('requested_user', person(group, account, 'jid', 'phone_number', 'lid'));

/** Tells administrators and the requesting person (whatsapp-rust stanza/groups.rs CreatedMembershipRequests, 2026-08). */
const askToJoin = (hub: HubState, group: Group, device: Device): void => {
  if (group.requests.has(device.account)) return;
  group.requests.set(device.account, Number(seconds(hub.clock)));
  const created = element('created_membership_requests', { request_method: 'invite_link' }, [
    requestedUser(group, device.account),
  ]);
  tellGroup(hub, group, device, created, administrators(group));
};

/** Error codes: whatsapp-rust iq/groups.rs GroupJoinError (2026-08). */
const joinByCode: IqHandler = (hub, device, iq) => {
  const group = groupOfCode(hub, childOf(iq, 'invite')?.attrs.code);
  if (typeof group === 'number') return errorOf(iq, group, texts[group]);
  if (group.members.has(device.account)) return errorOf(iq, 409, texts[409]);
  if (group.removed.has(device.account)) return errorOf(iq, 405, texts[405]);
  if (group.members.size >= MAX_MEMBERS) return errorOf(iq, 419, texts[419]);
  if (group.joinApproval) {
    askToJoin(hub, group, device);
    return resultOf(iq, [element('membership_approval_request', { jid: group.jid })]);
  }
  join(hub, group, device);
  return resultOf(iq, [element('group', { jid: group.jid })]);
};

const ownInvite = (hub: HubState, device: Device, jid: string, { code, admin }: Readonly<Record<string, string>>) => {
  const group = hub.groups.get(jid);
  if (group === undefined) return 404;
  const invite = group.privateInvites.get(device.account);
  if (invite?.code !== code || hub.registry.find(admin) !== invite?.by) return 410;
  return invite.expiresAt > Number(seconds(hub.clock)) ? group : 410;
};

const acceptAlone: IqHandler = (hub, device, iq) => {
  const group = ownInvite(hub, device, iq.attrs.to ?? '', childOf(iq, 'accept')?.attrs ?? {});
  if (typeof group === 'number') return errorOf(iq, group, texts[group]);
  if (group.members.has(device.account)) return errorOf(iq, 409, texts[409]);
  if (group.members.size >= MAX_MEMBERS) return errorOf(iq, 419, texts[419]);
  join(hub, group, device);
  return resultOf(iq);
};

/** For members, and those with a personal invitation. */
const query: IqHandler = (hub, device, iq) => {
  const request = childOf(childOf(iq, 'query'), 'add_request');
  const group = hub.groups.get(iq.attrs.to ?? '');
  if (group === undefined) return errorOf(iq, 404, texts[404]);
  if (group.members.has(device.account)) return resultOf(iq, [describeGroup(group)]);
  if (request === undefined) return errorOf(iq, 403, texts[403]);
  const invited = ownInvite(hub, device, group.jid, request.attrs);
  return typeof invited === 'number' ? errorOf(iq, invited, texts[invited]) : resultOf(iq, [seenFromOutside(group)]);
};

const listRequests: GroupHandler = (_hub, group, _device, iq) => {
  const requests = [...group.requests].map(([account, at]) =>
    element('membership_approval_request', {
      ...person(group, account, 'jid', 'phone_number', 'lid'),
      request_time: String(at),
      request_method: 'invite_link',
    }),
  );
  return resultOf(iq, [element('membership_approval_requests', {}, requests)]);
};

const decide: GroupHandler = (hub, group, device, iq) => {
  const [action] = childrenOf(childOf(iq, 'membership_requests_action'));
  if (action?.tag !== 'approve' && action?.tag !== 'reject') return errorOf(iq, 400, 'bad-request');
  const asked = ({ attrs }: { attrs: Readonly<Record<string, string>> }): Account | null => {
    const account = hub.registry.find(attrs.jid);
    return account !== null && group.requests.has(account) ? account : null;
  };
  const decided = childrenOf(action).filter((one) => asked(one) !== null);
  const accounts = decided.map((one) => asked(one)!);
  const answerTo = new Map<string | undefined, (typeof decided)[number]>();
  if (action.tag === 'approve') {
    const { done, answer } = changePeople(hub, group, device.account, 'approve', decided);
    decided.forEach(({ attrs }, index) => answerTo.set(attrs.jid, answer[index]!));
    if (done.size > 0) tellAdded(hub, group, device, done);
  } else if (accounts.length > 0) {
    const people = accounts.map((account) => participant(group, account));
    accounts.forEach((account) => group.requests.delete(account));
    const audience = [...administrators(group), ...accounts];
    tellGroup(hub, group, device, element('revoked_membership_requests', {}, people), audience);
    decided.forEach(({ attrs }, index) => answerTo.set(attrs.jid, people[index]!));
  }
  const answers = childrenOf(action).map(
    ({ attrs }) => answerTo.get(attrs.jid) ?? element('participant', { jid: attrs.jid ?? '', error: '404' }),
  );
  return resultOf(iq, [element('membership_requests_action', {}, [element(action.tag, {}, answers)])]);
};

/** Address of the group server, as written by Baileys and by whatsmeow (types/jid.go GroupServerJID, 2026-08). */
const servers: ReadonlySet<string | undefined> = new Set(['@g.us', 'g.us']);

const ofGroup =
  (one: IqHandler, any: IqHandler): IqHandler =>
  (hub, device, iq) =>
    (servers.has(iq.attrs.to) ? any : one)(hub, device, iq);

export const joiningIqs: IqTable = {
  'w:g2 get invite': ofGroup(byAdmin(readInvite, 401), readByCode),
  'w:g2 set invite': ofGroup(byAdmin(rotateInvite, 401), joinByCode),
  'w:g2 set accept': acceptAlone,
  'w:g2 get query': query,
  'w:g2 get membership_approval_requests': byAdmin(listRequests, 401),
  'w:g2 set membership_requests_action': byAdmin(decide),
};
