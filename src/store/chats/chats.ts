/** Reads chats: one by either address, and pages sorted by newest activity. */
import type { Chat } from '../../domain/chats/chat.ts';
import type { MutedUntil } from '../../domain/chats/chat-event.ts';
import type { ChatStore, Page } from '../../domain/stores.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Context } from '../base/context.ts';
import {
  type ChatKey,
  type ChatRow,
  namedReader,
  pageReader,
  timerReader,
  matches,
  matchesUsername,
} from './chat-queries.ts';
import { chatLabelReader } from './labels.ts';
import { messageBytesReader, messagesReader } from '../messages/message-steps.ts';
import { lidOfName, usernameReader } from './usernames.ts';
import { type GroupFacts, groupFactsReader } from '../groups/groups.ts';
import { makeGiven } from '../messages/resolve.ts';
import { nextTurn } from '../../domain/turns.ts';
import { openMessage, addressesIn, firstNamed, isGroupName, type Name, nameHash } from '../sealing/rows.ts';
import { fitting, listed, decodeHashCursor, encodeCursor } from '../base/listed.ts';
import { searched } from '../sealing/sealed-search.ts';
import { contextOf, type SealedJson } from '../sealing/sealer.ts';
import type { Unit } from '../base/unit.ts';

interface Beside {
  readonly lastMessage: MessageRecord | null;
  readonly timer: number | null;
  readonly group: GroupFacts | null;
  readonly labels: readonly string[];
  readonly username: string | null;
}

const newestIn = ({ own, by_lid }: ChatRow): readonly number[] => [own, by_lid].filter((n) => n !== null);

const besideReader = (context: Context) => {
  const { sealer } = context;
  const readMessages = messagesReader(context);
  const timers = timerReader(context);
  const readGroups = groupFactsReader(context);
  const readLabels = chatLabelReader(context);
  const readUsernames = usernameReader(context);
  return function* read(deviceId: number, rows: readonly ChatRow[], names: readonly Name[]): Unit<readonly Beside[]> {
    const messages = yield* readMessages(rows.flatMap(newestIn));
    const seconds = yield* timers(deviceId, names);
    const groups = yield* readGroups(deviceId, names);
    const labels = yield* readLabels(deviceId, names);
    const usernames = yield* readUsernames(deviceId, names.map(lidOfName));
    return rows.map(({ own, by_lid }, index) => {
      const [first, other] = [own, by_lid].map((n) => (n === null ? undefined : messages.get(n)));
      const last = first === undefined || (other !== undefined && other.timestamp > first.timestamp) ? other : first;
      return {
        lastMessage: last === undefined ? null : openMessage(sealer, last),
        timer: seconds[index]!,
        group: groups.get(names[index]!.jid) ?? null,
        labels: labels[index]!,
        username: usernames[index] ?? null,
      };
    });
  };
};

/** Null once the mute is over. */
export const shownMute = (value: number | null, now: number): MutedUntil => {
  if (value === null) return null;
  if (value < 0) return 'always';
  return value > now ? value : null;
};

type Open = <T>(envelope: SealedJson<T>, context: string) => T;

const readerOf = (context: Context) => {
  const { sealer, now } = context;
  const openOnce: Open = (envelope, of) => sealer.openJson(envelope, of);
  /** Cached, because the chats with the newest activity are read most. */
  const openKept: Open = (envelope, of) => sealer.openKept(envelope, of);
  const readBeside = besideReader(context);
  const readUsernames = usernameReader(context);
  const readGroups = groupFactsReader(context);
  const nameOf = (row: ChatRow, open: Open): Name => open(row.data, contextOf('chats.data', row));
  /** Address book first, then the person's own name. History comes last: a group's subject may have changed since. */
  const titleOf = (row: ChatRow, open: Open): string | null => {
    for (const column of ['saved', 'push_name', 'business_name'] as const) {
      const value = row[column];
      if (value !== null) return open(value, contextOf(`contacts.${column}`, row));
    }
    return row.name === null ? null : open(row.name, contextOf('chats.name', row));
  };

  const chatOf = (row: ChatRow, name: Name, { lastMessage, timer, group, labels, username }: Beside): Chat => {
    const isGroup = isGroupName(name);
    const { number, lid } = addressesIn(name);
    const told = !isGroup && lastMessage?.direction === 'in' ? lastMessage.pushName : null;
    return {
      chat: name.jid,
      chatNumber: number,
      chatLid: lid,
      username,
      name: group?.subject ?? titleOf(row, openKept) ?? told,
      isGroup,
      unread: row.unread,
      lastMessage,
      archived: row.archived === 1,
      pinned: row.pinned_at !== null,
      mutedUntil: shownMute(row.muted_until, now()),
      expiresInSeconds: group === null ? timer : group.expiresInSeconds,
      labels,
    };
  };
  return {
    *chats(deviceId: number, rows: readonly ChatRow[]): Unit<readonly Chat[]> {
      const names = rows.map((row) => nameOf(row, openKept));
      const beside = yield* readBeside(deviceId, rows, names);
      return rows.map((row, index) => chatOf(row, names[index]!, beside[index]!));
    },
    *wanted(deviceId: number, rows: readonly ChatRow[], q: string): Unit<ReadonlySet<ChatRow>> {
      const names = rows.map((row) => nameOf(row, openOnce));
      const groups = yield* readGroups(deviceId, names);
      const usernames = yield* readUsernames(deviceId, names.map(lidOfName));
      const isWanted = (row: ChatRow, index: number): boolean => {
        const name = names[index]!;
        if (matchesUsername(q, usernames[index] ?? null)) return true;
        return matches(q, groups.get(name.jid)?.subject ?? titleOf(row, openOnce), addressesIn(name).number);
      };
      return new Set(rows.filter(isWanted));
    },
  };
};

const oneTurn = 100;

const keyOf = ({ at, jid_hash }: ChatRow): ChatKey => [at, jid_hash];

const cursorOf = (key: ChatKey): string => encodeCursor('chats', key);

const chatLister = (context: Context, reader: ReturnType<typeof readerOf>): ChatStore['list'] => {
  const { database } = context;
  const readPage = pageReader(context);
  const readSizes = messageBytesReader(context);

  function* withBytes(rows: readonly ChatRow[]): Unit<readonly { row: ChatRow; bytes: number }[]> {
    const sizes = yield* readSizes(rows.flatMap(newestIn));
    return rows.map((row) => ({
      row,
      bytes: newestIn(row).reduce((sum, n) => sum + (sizes.get(n)?.bytes ?? 0), row.data.length),
    }));
  }

  const open = async (deviceId: number, heads: readonly { readonly row: ChatRow }[]): Promise<readonly Chat[]> => {
    const rows = heads.map(({ row }) => row);
    const opened: Chat[] = [];
    for (let start = 0; start < rows.length; start += oneTurn) {
      await nextTurn();
      opened.push(...(await database.read(() => reader.chats(deviceId, rows.slice(start, start + oneTurn)))));
    }
    return opened;
  };

  return async (deviceId, filter): Promise<Page<Chat>> => {
    const { limit, cursor, bytes, q, signal } = filter;
    const from = cursor === null ? null : decodeHashCursor('chats', cursor);
    if (q === undefined) {
      return listed({
        from,
        limit,
        bytes,
        heads: (after: ChatKey | null, count) =>
          database.read(function* () {
            return yield* withBytes(yield* readPage(deviceId, filter, after, count));
          }),
        open: (heads) => open(deviceId, heads),
        keyOf: ({ row }) => keyOf(row),
        cursorOf,
      });
    }
    let wanted: ReadonlySet<ChatRow> = new Set();
    const page = await searched({
      from,
      limit,
      rowsAfter: (after: ChatKey | null, count) =>
        database.read(function* () {
          const rows = yield* readPage(deviceId, filter, after, count);
          wanted = yield* reader.wanted(deviceId, rows, q);
          return { rows, more: rows.length === count };
        }),
      keyOf,
      bytesOf: ({ data }) => data.length,
      isWanted: (row) => wanted.has(row),
      signal,
    });
    const found = await database.read(() => withBytes(page.rows));
    const shown = fitting(found, limit);
    const end = shown.length < found.length ? keyOf(shown.at(-1)!.row) : page.end;
    return { items: await open(deviceId, shown), nextCursor: end === null ? null : cursorOf(end) };
  };
};

export const chatStore = (context: Context): ChatStore => {
  const { sealer, database } = context;
  const reader = readerOf(context);
  const given = makeGiven(context);

  const named = namedReader(context);

  function* find(deviceId: number, jid: string): Unit<Chat | null> {
    const hashes = (yield* given(deviceId, jid)).map((each) => nameHash(sealer, deviceId, each));
    const rows = yield* named(deviceId, hashes);
    const row = firstNamed(rows, hashes);
    return row === undefined ? null : (yield* reader.chats(deviceId, [row]))[0]!;
  }

  return {
    find: (deviceId, name) => database.read(() => find(deviceId, name)),
    list: chatLister(context, reader),
  };
};
