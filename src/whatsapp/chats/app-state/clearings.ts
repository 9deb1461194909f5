/**
 * Chats that were cleared or deleted on a device of the account. Indexes: `clearChat`, chat, whether messages with a star go, whether files go;
 * `deleteChat`, chat, whether files go (whatsmeow appstate/keys.go, 2026-08).
 */
import { proto } from '../../library/proto.ts';
import type { SessionChanges, Report } from '../../../domain/changes.ts';
import { jidKind } from '../../../domain/jid.ts';
import { groupChat, type Peek, personChat, personOf } from '../../identity/people.ts';
import { timeOrNull } from '../../translate/parts/kind.ts';
import type { Mutation } from './records.ts';

type Clearings = Required<Pick<SessionChanges, 'cleared' | 'facts'>>;

const types: ReadonlySet<string | undefined> = new Set(['clearChat', 'deleteChat']);
const longestJid = 100;
/** `t` is in whole seconds. */
const secondMs = 1_000;

const isClearing = ({ index: [type, jid = ''], removed }: Mutation): boolean =>
  types.has(type) && !removed && jid.length <= longestJid && jidKind(jid) !== 'other';

/** Null if the value cannot be decoded. */
const decoded = (value: Uint8Array): proto.ISyncActionValue | null => {
  try {
    return proto.SyncActionValue.decode(value);
  } catch {
    return null;
  }
};

/** Chats to look up before `clearingsIn`. */
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
    const at = timeOrNull(Number(value.timestamp ?? 0) / secondMs) ?? now;
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
