/** Stars, cleared and deleted chats, and deletions for the account only, from app state. Indexes: whatsmeow appstate/keys.go (2026-11-23). */
import { proto } from '../../library/proto.ts';
import type { SessionChanges, Report } from '../../../domain/changes.ts';
import { jidKind } from '../../../domain/jid.ts';
import { type ChatRef, groupChat, type Me, myself, type Peek, personChat, personOf } from '../../identity/people.ts';
import { timeOrNull } from '../../translate/parts/limits.ts';
import { type Mutation, takenAt } from './records.ts';

type Marks = Required<Pick<SessionChanges, 'annotations' | 'messageChanges'>>;

const types: ReadonlySet<string | undefined> = new Set(['star', 'deleteMessageForMe']);
const maxName = 100;

const isMark = ({ index: [type, jid = '', id = ''], removed }: Mutation): boolean =>
  types.has(type) &&
  jidKind(jid) !== 'other' &&
  jid.length <= maxName &&
  id.length > 0 &&
  id.length <= maxName &&
  (type === 'star' || !removed);

const decoded = (value: Uint8Array): proto.ISyncActionValue | null => {
  try {
    return proto.SyncActionValue.decode(value);
  } catch {
    return null;
  }
};

export const markedChats = (mutations: readonly Mutation[]): readonly string[] => [
  ...new Set(mutations.filter(isMark).flatMap(({ index: [, jid] }) => jid ?? [])),
];

/** `now`: for marks without a time; ms. */
export const marksIn = (mutations: readonly Mutation[], peek: Peek, me: Me, now: number): Marks => {
  const marks: { -readonly [K in keyof Marks]: Marks[K][number][] } = { annotations: [], messageChanges: [] };
  for (const mutation of mutations) {
    const value = isMark(mutation) ? decoded(mutation.value) : null;
    if (value === null) continue;
    const { index, removed } = mutation;
    const [type, jid = '', messageId = ''] = index;
    const ref: ChatRef = jidKind(jid) === 'group' ? groupChat(jid) : personChat(personOf(peek, jid));
    const { chat, chatLid } = ref;
    const at = takenAt(value) ?? now;
    if (type === 'star') {
      const starred = !removed && value.starAction?.starred === true;
      marks.annotations.push({ messageId, chat, chatLid, from: myself(me), at, deed: { kind: 'star', starred } });
    } else marks.messageChanges.push({ messageId, chat, deletedAt: at });
  }
  return marks;
};

type Clearings = Required<Pick<SessionChanges, 'cleared' | 'facts'>>;

/** Indexes: `clearChat`, chat, whether starred messages go, whether files go; `deleteChat`, chat, whether files go. */
const clearingTypes: ReadonlySet<string | undefined> = new Set(['clearChat', 'deleteChat']);
const longestJid = 100;
/** `t` is in whole seconds. */
const secondMs = 1_000;

const isClearing = ({ index: [type, jid = ''], removed }: Mutation): boolean =>
  clearingTypes.has(type) && !removed && jid.length <= longestJid && jidKind(jid) !== 'other';

export const clearedChats = (mutations: readonly Mutation[]): readonly string[] => [
  ...new Set(mutations.filter(isClearing).flatMap(({ index: [, jid] }) => jid ?? [])),
];

/** `isNews` false: done before this device was linked, so it is applied without events. `now`: ms since the epoch. */
export const clearingsIn = (mutations: readonly Mutation[], peek: Peek, now: number, isNews: boolean): Clearings => {
  const cleared: Clearings['cleared'][number][] = [];
  const facts: Report[] = [];
  for (const mutation of mutations) {
    const value = isClearing(mutation) ? decoded(mutation.value) : null;
    if (value === null) continue;
    const [type, jid = '', deletesStarred] = mutation.index;
    const isDeleted = type === 'deleteChat';
    const { messageRange } = (isDeleted ? value.deleteChatAction : value.clearChatAction) ?? {};
    const at = takenAt(value) ?? now;
    const last = timeOrNull(messageRange?.lastMessageTimestamp);
    const until = last === null ? at : last + secondMs - 1;
    const { chat, chatNumber, chatLid } = jidKind(jid) === 'group' ? groupChat(jid) : personChat(personOf(peek, jid));
    const keepsStarred = !isDeleted && deletesStarred === '0';
    cleared.push({ chat, chatLid, until, keepsStarred, isDeleted });
    if (!isNews) continue;
    const data = { chat, chatNumber, chatLid, until };
    const event = isDeleted
      ? ({ type: 'chat.deleted', data } as const)
      : ({ type: 'chat.cleared', data: { ...data, starredKept: keepsStarred } } as const);
    facts.push({ event, at });
  }
  return { cleared, facts };
};
