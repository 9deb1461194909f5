/** Routes for groups: created, changed, joined and left by phones. */
import type { Group } from '../server/groups/group.ts';
import { groupJson, setCommunity } from '../server/iq/groups/settings.ts';
import { changeNumber } from '../server/iq/groups/members.ts';
import type { MemberChange } from '../phones/groups.ts';
import type { Phone } from '../phones/phone.ts';
import { badRequest, conflict, notFound } from '../base/errors.ts';
import { base64, flag, list, oneOf, optional, phoneNumber, readFields, text, unless } from '../base/fields.ts';
import { type Network, phoneOf } from './network.ts';
import { jpegOf } from './profile-routes.ts';
import type { Routes } from './server.ts';

const maxPeople = 1_023;
const people = unless(list(phoneNumber, 1, maxPeople));

const groupOf = ({ hub }: Network, jid: string | undefined): Group => {
  const group = hub.state.groups.get(jid ?? '');
  if (group === undefined) throw notFound(`there is no group ${jid}`);
  return group;
};

const asked = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw conflict(error instanceof Error ? error.message : String(error));
  }
};

const changeFields = {
  by: unless(phoneNumber),
  addressingMode: unless(oneOf('lid', 'pn')),
  subject: unless(text(200)),
  description: unless(optional(text(4_096))),
  announceOnly: unless(flag),
  locked: unless(flag),
  joinApproval: unless(flag),
  memberAddMode: unless(oneOf('admins', 'everyone')),
  community: unless(optional(text(100))),
  announcements: unless(flag),
  pictureBase64: unless(optional(base64)),
  add: people,
  remove: people,
  promote: people,
  demote: people,
  approve: people,
  reject: people,
};

const memberChanges: readonly MemberChange[] = ['add', 'remove', 'promote', 'demote', 'approve', 'reject'];

const changeMembers = async (
  network: Network,
  phone: Phone,
  jid: string,
  changes: Partial<Record<MemberChange, readonly string[] | undefined>>,
): Promise<object> => {
  const results: Record<string, string | null> = {};
  for (const change of memberChanges) {
    const numbers = changes[change] ?? [];
    if (numbers.length === 0) continue;
    const accounts = numbers.map((number) => phoneOf(network, number).account);
    const codes = await asked(phone.groups.changeMembers(jid, change, accounts));
    numbers.forEach((number, index) => (results[number] = codes[index] ?? null));
  }
  return results;
};

const changeGroup = async (network: Network, group: Group, body: unknown): Promise<object> => {
  const {
    by,
    addressingMode,
    community,
    announcements,
    pictureBase64: image,
    ...given
  } = readFields(body, changeFields);
  const phone = phoneOf(network, by ?? group.owner.number);
  if (addressingMode !== undefined) group.mode = addressingMode;
  if (announcements !== undefined) group.announcements = announcements;
  if (community !== undefined) setCommunity(network.hub.state, group, community);
  const { add, remove, promote, demote, approve, reject, ...settings } = given;
  const picture = image && (await jpegOf(image));
  const named = Object.entries({ ...settings, picture }).filter(([, value]) => value !== undefined);
  await asked(phone.groups.change(group.jid, Object.fromEntries(named)));
  const changes = { add, remove, promote, demote, approve, reject };
  const results = await changeMembers(network, phone, group.jid, changes);
  return { group: groupJson(group), results };
};

export const groupRoutes = (network: Network): Routes => ({
  'POST /groups': async ({ body }) => {
    const { subject, owner, participants, addressingMode } = readFields(body, {
      subject: text(100),
      owner: phoneNumber,
      participants: list(phoneNumber, 0, maxPeople),
      addressingMode: optional(oneOf('lid', 'pn')),
    });
    const members = participants.map((number) => phoneOf(network, number).account);
    return { jid: await phoneOf(network, owner).createGroup(subject, members, addressingMode ?? 'lid') };
  },
  'GET /groups/{jid}': ({ params }) => ({ group: groupJson(groupOf(network, params['jid'])) }),
  'GET /phones/{number}/groups': ({ params }) => {
    const { account } = phoneOf(network, params['number']);
    const groups = [...network.hub.state.groups.values()];
    return { groups: groups.filter(({ members }) => members.has(account)).map(groupJson) };
  },
  'PATCH /groups/{jid}': ({ params, body }) => changeGroup(network, groupOf(network, params['jid']), body),
  'POST /groups/{jid}/invite': async ({ params, body }) => {
    const group = groupOf(network, params['jid']);
    const { by, anew } = readFields(body ?? {}, { by: optional(phoneNumber), anew: optional(flag) });
    return { code: await asked(phoneOf(network, by ?? group.owner.number).groups.invite(group.jid, anew ?? false)) };
  },
  'POST /phones/{number}/join': async ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const { code, group: jid } = readFields(body, { code: unless(text(64)), group: unless(text(100)) });
    if ((code === undefined) === (jid === undefined)) throw badRequest('give either the code of a link, or a group');
    if (code !== undefined) return asked(phone.groups.join(code));
    const group = groupOf(network, jid);
    const invite = group.privateInvites.get(phone.account);
    if (invite === undefined) throw conflict(`${phone.account.number} is not invited to ${jid}`);
    await asked(phone.groups.accept(group.jid, invite));
    return { group: group.jid, waits: false };
  },
  'POST /phones/{number}/leave': async ({ params, body }) => {
    const { group } = readFields(body, { group: text(100) });
    await asked(phoneOf(network, params['number']).groups.leave(groupOf(network, group).jid));
    return { group };
  },
  'POST /phones/{number}/move-groups': ({ params, body }) => {
    const { to } = readFields(body, { to: phoneNumber });
    const from = phoneOf(network, params['number']).account;
    const { account } = phoneOf(network, to);
    for (const group of network.hub.state.groups.values()) changeNumber(network.hub.state, group, from, account);
    return { to };
  },
});
