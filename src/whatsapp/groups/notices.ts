/** Group notifications as changes (whatsmeow group.go parseGroupChange, whatsapp-rust stanza/groups.rs; 2026-08). */
import type { KeyChange, Report } from '../../domain/changes.ts';
import type { ChatChange } from '../../domain/chats/chat.ts';
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild } from '../library/nodes.ts';
import type { GroupChange, KeptGroup, SetAt } from '../../domain/groups/group.ts';
import { type Person, isSamePerson } from '../../domain/messages/parts.ts';
import { type Peek, personOf } from '../identity/people.ts';
import { approvalIn, peopleIn, readGroup, secondsIn, setAtIn, subjectIn, textIn } from './read-group.ts';

export interface Context {
  readonly peek: Peek;
  readonly now: number;
}

export type Notice =
  | { readonly kind: 'whole'; readonly group: KeptGroup; readonly reason: 'created' | 'added' | 'link' }
  | { readonly kind: 'deleted' }
  | {
      readonly kind: 'change';
      readonly change: GroupChange;
      readonly versions: { readonly before: string | undefined; readonly after: string | undefined } | null;
      readonly setAt?: SetAt;
      readonly key?: string;
    };

const authorOf = ({ peek }: Context, node: BinaryNode): Person | null => {
  const { participant, participant_pn: phone, participant_lid: lid } = node.attrs;
  return participant === undefined ? null : personOf(peek, participant, phone, lid);
};

type Read = (child: BinaryNode, context: Context, by: Person | null) => GroupChange | null;

const removal: Read = (child, { peek }, by) => {
  const people = peopleIn(peek, child);
  const [one, ...others] = people;
  const isLeaving = one !== undefined && others.length === 0 && by !== null && isSamePerson(one, by);
  return isLeaving ? { left: people } : { removed: people };
};

const renumbering: Read = (child, { peek }, by) => {
  const [to] = peopleIn(peek, child);
  return to === undefined || by === null ? null : { numberChanged: { from: by, to } };
};

const readers: Readonly<Record<string, Read>> = {
  add: (child, { peek }) => ({ added: peopleIn(peek, child) }),
  remove: removal,
  promote: (child, { peek }) => ({ promoted: peopleIn(peek, child) }),
  demote: (child, { peek }) => ({ demoted: peopleIn(peek, child) }),
  modify: renumbering,
  subject: (child) => {
    const subject = subjectIn(child);
    return subject === null ? null : { subject };
  },
  description: (child) => ({ description: textIn(getBinaryNodeChild(child, 'body')) }),
  announcement: () => ({ announceOnly: true }),
  not_announcement: () => ({ announceOnly: false }),
  locked: () => ({ locked: true }),
  unlocked: () => ({ locked: false }),
  ephemeral: ({ attrs }) => ({ expiresInSeconds: secondsIn(attrs['expiration']) }),
  not_ephemeral: () => ({ expiresInSeconds: null }),
  membership_approval_mode: (child) => ({ joinApproval: approvalIn(child) }),
  member_add_mode: (child) => ({ memberAddMode: textIn(child) === 'all_member_add' ? 'everyone' : 'admins' }),
  invite: () => ({ invite: 'rotated' }),
  created_membership_requests: (child, { peek }, by) => {
    const people = peopleIn(peek, child, 'requested_user');
    return { requested: people.length === 0 && by !== null ? [by] : people };
  },
  revoked_membership_requests: (child, { peek }) => ({ requestsEnded: peopleIn(peek, child) }),
  link: (child) => {
    const jid = getBinaryNodeChild(child, 'group')?.attrs['jid'];
    return child.attrs['link_type'] === 'parent_group' && jid !== undefined
      ? { community: { jid, role: 'group' } }
      : null;
  },
  unlink: ({ attrs }) => (attrs['unlink_type'] === 'parent_group' ? { community: null } : null),
};

const memberChanges: ReadonlySet<string> = new Set(['add', 'remove', 'promote', 'demote']);

const reasonOf = ({ attrs }: BinaryNode): 'created' | 'added' | 'link' => {
  if (attrs['reason'] === 'invite') return 'link';
  return attrs['type'] === 'new' ? 'created' : 'added';
};

const readChild = (child: BinaryNode, context: Context, by: Person | null, t: string | undefined): Notice[] => {
  const { tag, attrs } = child;
  if (tag === 'delete') return [{ kind: 'deleted' }];
  if (tag === 'create') {
    const node = getBinaryNodeChild(child, 'group');
    const group = node === undefined ? null : readGroup(node, context.peek, context.now);
    return group === null ? [] : [{ kind: 'whole', group, reason: reasonOf(child) }];
  }
  const change = readers[tag]?.(child, context, by) ?? null;
  if (change === null) return [];
  const versions = memberChanges.has(tag) ? { before: attrs['prev_v_id'], after: attrs['v_id'] } : null;
  const code = tag === 'invite' ? attrs['code'] : undefined;
  const setAt = setAtIn(attrs['s_t'], tag === 'description' ? t : undefined);
  return [{ kind: 'change', change, versions, setAt, ...(code !== undefined && { key: inviteKey(code) }) }];
};

export const inviteKey = (code: string): string => `invite/${code}`;
export const pictureKey = (id: string): string => `picture/${id}`;

/** The network tells one or two at a time; each is compared with all members. */
const maxChanges = 64;

const changesIn = (node: BinaryNode): readonly BinaryNode[] => getAllBinaryNodeChildren(node).slice(0, maxChanges);

const readPicture = (node: BinaryNode): Notice[] =>
  changesIn(node).flatMap(({ tag, attrs }): Notice[] => {
    if (tag === 'delete') return [{ kind: 'change', change: { picture: 'removed' }, versions: null }];
    const { id } = attrs;
    if (tag !== 'set' || id === undefined) return [];
    return [{ kind: 'change', change: { picture: 'set' }, versions: null, key: pictureKey(id) }];
  });

export const isGroupNotice = ({ attrs }: BinaryNode): boolean =>
  attrs['type'] === 'w:gp2' || (attrs['type'] === 'picture' && attrs['from']?.endsWith('@g.us') === true);

export const readNotice = (
  node: BinaryNode,
  context: Context,
): { readonly by: Person | null; readonly steps: Notice[] } => {
  if (node.attrs['type'] === 'picture') {
    const author = getAllBinaryNodeChildren(node)[0]?.attrs['author'];
    return { by: author === undefined ? null : personOf(context.peek, author), steps: readPicture(node) };
  }
  const by = authorOf(context, node);
  return { by, steps: changesIn(node).flatMap((child) => readChild(child, context, by, node.attrs['t'])) };
};

/** Without the record of sender key holders, the next message uses a new sender key (`send/group-sends.ts`). */
export const heldByFormerMembers = (facts: readonly Report[]): KeyChange[] =>
  facts.flatMap(({ event }) => {
    const isLeaving =
      event.type === 'group.left' ||
      (event.type === 'group.updated' &&
        ['removed', 'left', 'numberChanged'].some((name) => name in event.data.change));
    return isLeaving ? [{ type: 'sender-key-memory', id: event.data.group, value: null }] : [];
  });

/** A group becomes a chat when the account joins, as in WhatsApp's apps; a community itself has no messages. */
export const chatsEntered = (facts: readonly Report[], groups: readonly KeptGroup[]): ChatChange[] => {
  const communities = new Set(groups.filter(({ isCommunity }) => isCommunity).map(({ jid }) => jid));
  return facts.flatMap(({ event, at }) =>
    event.type === 'group.joined' && !communities.has(event.data.group) ? [{ chat: event.data.group, at }] : [],
  );
};

/** The person as the group lists them, with all known addresses. */
export const asMember = ({ members }: KeptGroup, by: Person): Person =>
  members.find(({ person }) => isSamePerson(person, by))?.person ?? by;

export const withKept = (group: KeptGroup, kept: KeptGroup | null): KeptGroup => ({
  ...group,
  hasPicture: kept?.hasPicture ?? null,
  createKey: group.createKey ?? kept?.createKey,
});

export const left = (group: KeptGroup): KeptGroup => ({ ...group, isMember: false, members: [], version: null });

/** False for what is no number. */
const isBefore = (one: string | null | undefined, other: string | null): boolean =>
  one != null && other !== null && Number(one) < Number(other);

/**
 * Older than what is stored: it has waited, or comes again since its acknowledgement was lost, and the group was described meanwhile.
 * Versions are taken for numbers that grow: WhatsApp for Android reads `p_v_id` as a number (decompiled, 2026-11-29); other clients keep them as text.
 */
export const isOutdated = ({ version, setAt = {} }: KeptGroup, step: Notice): boolean => {
  if (step.kind === 'deleted') return false;
  if (step.kind === 'whole') return isBefore(step.group.version, version);
  const { versions, setAt: told = {} } = step;
  const isSetBefore = (['subject', 'description'] as const).some(
    (name) => (told[name] ?? Infinity) < (setAt[name] ?? 0),
  );
  // What names the stored version as its former one is news, whatever its number.
  return isSetBefore || (versions?.before !== version && isBefore(versions?.after, version));
};
