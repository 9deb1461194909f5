/** The network's `<group>` as a kept group (whatsmeow group.go parseGroupNode, 2026-08). */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '../library/nodes.ts';
import type { Community, GroupMember, KeptGroup, SetAt } from '../../domain/groups/group.ts';
import { lidJid } from '../../domain/jid.ts';
import type { Person } from '../../domain/messages/parts.ts';
import { numbersInDoubt, pairsInAttributes, type Peek, personOf } from '../identity/people.ts';
import { cut, maxName, maxText } from '../translate/parts/limits.ts';

export const textIn = (node: BinaryNode | undefined): string | null => {
  const content = node?.content;
  if (typeof content === 'string') return cut(content, maxText);
  return content instanceof Uint8Array ? cut(Buffer.from(content).toString('utf8'), maxText) : null;
};

export const subjectIn = ({ attrs }: BinaryNode): string | null =>
  attrs['subject'] === undefined ? null : cut(attrs['subject'], maxName);

export const secondsIn = (text: string | undefined): number | null => {
  const seconds = Number(text);
  return Number.isSafeInteger(seconds) && seconds > 0 && seconds < 1e11 ? seconds : null;
};

export const personIn = (peek: Peek, { attrs }: BinaryNode): Person =>
  personOf(peek, attrs['jid'], attrs['phone_number'], attrs['lid']);

/** More than any group has, or the announcement group of a community. */
const maxPeople = 10_000;

export const peopleIn = (peek: Peek, node: BinaryNode, tag = 'participant'): Person[] =>
  getBinaryNodeChildren(node, tag)
    .slice(0, maxPeople)
    .filter(({ attrs }) => attrs['jid'] !== undefined)
    .map((each) => personIn(peek, each));

/** A number claimed by two members is given to neither. */
const membersIn = (peek: Peek, node: BinaryNode): GroupMember[] => {
  const nodes = getBinaryNodeChildren(node, 'participant').slice(0, maxPeople);
  const inDoubt = numbersInDoubt(nodes.flatMap(pairsInAttributes));
  return nodes.flatMap((each) => {
    const { jid, error, type } = each.attrs;
    // With an error: could not be added.
    if (jid === undefined || error !== undefined) return [];
    const [pair] = inDoubt.size === 0 ? [] : pairsInAttributes(each);
    const isDoubtful = pair !== undefined && inDoubt.has(pair.phoneUser);
    const person = isDoubtful ? personOf(peek, lidJid(pair.lidUser)) : personIn(peek, each);
    return [{ person, admin: type === 'admin' || type === 'superadmin' }];
  });
};

const communityIn = (node: BinaryNode): Community | null => {
  const jid = getBinaryNodeChild(node, 'linked_parent')?.attrs['jid'];
  if (jid === undefined) return null;
  return { jid, role: getBinaryNodeChild(node, 'default_sub_group') === undefined ? 'group' : 'announcements' };
};

/** Anything but `off` (for whatsmeow the node alone counts). */
export const approvalIn = (node: BinaryNode | undefined): boolean =>
  node !== undefined && getBinaryNodeChild(node, 'group_join')?.attrs['state'] !== 'off';

export const setAtIn = (subject: string | undefined, description: string | undefined): SetAt => {
  const times = { subject: secondsIn(subject), description: secondsIn(description) };
  return {
    ...(times.subject !== null && { subject: times.subject }),
    ...(times.description !== null && { description: times.description }),
  };
};

const jidOf = (id: string): string => (id.includes('@') ? id : `${id}@g.us`);

export const readGroup = (node: BinaryNode, peek: Peek, now: number): KeptGroup | null => {
  const { id, creator, creator_pn: phone, creator_lid: lid, creation, p_v_id: version } = node.attrs;
  if (id === undefined) return null;
  const has = (tag: string) => getBinaryNodeChild(node, tag) !== undefined;
  const createdAt = secondsIn(creation);
  const description = getBinaryNodeChild(node, 'description');
  return {
    jid: jidOf(id),
    subject: subjectIn(node) ?? '',
    description: textIn(getBinaryNodeChild(description, 'body')),
    owner: creator === undefined ? null : personOf(peek, creator, phone, lid),
    createdAt: createdAt === null ? null : createdAt * 1000,
    members: membersIn(peek, node),
    announceOnly: has('announcement'),
    locked: has('locked'),
    joinApproval: approvalIn(getBinaryNodeChild(node, 'membership_approval_mode')),
    memberAddMode: textIn(getBinaryNodeChild(node, 'member_add_mode')) === 'all_member_add' ? 'everyone' : 'admins',
    expiresInSeconds: secondsIn(getBinaryNodeChild(node, 'ephemeral')?.attrs['expiration']),
    community: communityIn(node),
    isMember: true,
    isCommunity: has('parent'),
    hasPicture: null,
    version: version ?? null,
    setAt: setAtIn(node.attrs['s_t'], description?.attrs['t']),
    checkedAt: now,
    addressing: node.attrs['addressing_mode'] === 'lid' ? 'lid' : 'phone',
  };
};
