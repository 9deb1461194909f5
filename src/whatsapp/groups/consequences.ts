/** Changes that follow from a change of a stored group. */
import type { KeyChange, Report } from '../../domain/changes.ts';
import type { ChatChange } from '../../domain/chats/chat.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import { type Person, isSamePerson } from '../../domain/messages/parts.ts';

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

export const asMember = ({ members }: KeptGroup, by: Person): Person =>
  members.find(({ person }) => isSamePerson(person, by))?.person ?? by;

export const withKept = (group: KeptGroup, kept: KeptGroup | null): KeptGroup => ({
  ...group,
  hasPicture: kept?.hasPicture ?? null,
  createKey: group.createKey ?? kept?.createKey,
});

export const left = (group: KeptGroup): KeptGroup => ({ ...group, isMember: false, members: [], version: null });
