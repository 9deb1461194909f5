/** Reads chats: one by either address, and pages, newest activity first. */
import type { Chat, MutedUntil } from '../../domain/chats/chat.ts';
import type { ChatStore, Page } from '../../domain/stores.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Context } from '../context.ts';
import { catchUp } from './catch-up.ts';
import { type ChatKey, type ChatRow, messagesReader, namedReader, pageReader, timerReader } from './chat-queries.ts';
import { matches } from './name-search.ts';
import { makeResolve } from './resolve.ts';
import { decodeHashCursor, pageOf } from '../events/cursor.ts';
import { openMessage } from '../sealing/rows.ts';
import { addressesIn, isGroupName, type Name, nameContext, nameHash } from '../sealing/names.ts';
import { searched } from '../sealed-search.ts';
import type { SealedJson } from '../sealing/sealer.ts';
import type { Unit } from '../unit.ts';

/** Rows opened for one page of a search. */
const mostOpened = 20_000;

/** Parts of a chat that are not in its row. */
interface Beside {
  readonly lastMessage: MessageRecord | null;
  readonly timer: number | null;
}

/** The newest message of each chat, under either of its names, and its timer. */
const besideReader = (context: Context) => {
  const { sealer } = context;
  const readMessages = messagesReader(context);
  const timers = timerReader(context);
  return function* read(deviceId: number, rows: readonly ChatRow[], names: readonly Name[]): Unit<readonly Beside[]> {
    const numbers = rows.flatMap(({ own, by_lid }) => [own, by_lid].filter((n) => n !== null));
    const messages = yield* readMessages(numbers);
    const seconds = yield* timers(deviceId, names);
    return rows.map(({ own, by_lid, timer }, index) => {
      const [first, other] = [own, by_lid].map((n) => (n === null ? undefined : messages.get(n)));
      const last = first === undefined || (other !== undefined && other.timestamp > first.timestamp) ? other : first;
      return {
        lastMessage: last === undefined ? null : openMessage(sealer, last),
        timer: timer ?? seconds[index]!,
      };
    });
  };
};

const mutedUntil = (value: number | null, now: number): MutedUntil => {
  if (value === null) return null;
  if (value < 0) return 'always';
  return value > now ? value : null;
};

const readerOf = (context: Context) => {
  const { sealer, now } = context;
  const readBeside = besideReader(context);
  const open = (row: ChatRow, column: string, value: SealedJson<string> | null): string | null => {
    const table = column === 'name' ? 'chats' : 'contacts';
    return value === null ? null : sealer.openJson(value, nameContext(table, column, row));
  };
  const nameOf = (row: ChatRow): Name => sealer.openJson(row.data, nameContext('chats', 'data', row));
  /** The own address book comes first, then what the person shows, then what history said. */
  const titleOf = (row: ChatRow): string | null =>
    open(row, 'saved', row.saved) ??
    open(row, 'push_name', row.push_name) ??
    open(row, 'business_name', row.business_name) ??
    open(row, 'name', row.name);

  const chatOf = (row: ChatRow, name: Name, { lastMessage, timer }: Beside): Chat => {
    const isGroup = isGroupName(name);
    const { number, lid } = addressesIn(name);
    const told = !isGroup && lastMessage?.direction === 'in' ? lastMessage.pushName : null;
    return {
      chat: name.jid,
      chatNumber: number,
      chatLid: lid,
      name: titleOf(row) ?? told,
      isGroup,
      unread: row.unread,
      lastMessage,
      archived: row.archived === 1,
      pinned: row.pinned_at !== null,
      mutedUntil: mutedUntil(row.muted_until, now()),
      expiresInSeconds: timer,
    };
  };
  return {
    *chats(deviceId: number, rows: readonly ChatRow[]): Unit<readonly Chat[]> {
      const names = rows.map(nameOf);
      const beside = yield* readBeside(deviceId, rows, names);
      return rows.map((row, index) => chatOf(row, names[index]!, beside[index]!));
    },
    /** Whether a chat is looked for by a part of its name or number. */
    isWanted: (row: ChatRow, q: string): boolean => {
      const name = nameOf(row);
      return matches(q, titleOf(row), addressesIn(name).number);
    },
  };
};

const keyOf = ({ at, jid_hash }: ChatRow): ChatKey => [at, jid_hash];

export const chatStore = (context: Context): ChatStore => {
  const { sealer, database } = context;
  const reader = readerOf(context);
  const resolve = makeResolve(context);

  const named = namedReader(context);
  const readPage = pageReader(context);

  function* find(deviceId: number, jid: string): Unit<Chat | null> {
    const [name] = yield* resolve(deviceId, [{ jid }]);
    const [one, other] = [name!.jid, jid].map((each) => nameHash(sealer, deviceId, each));
    const rows = yield* named.all({ deviceId, one: one!, other: other! });
    const row = rows.find(({ jid_hash }) => jid_hash === one) ?? rows[0];
    return row === undefined ? null : (yield* reader.chats(deviceId, [row]))[0]!;
  }

  return {
    catchUp: catchUp(context),
    find: (deviceId, name) => database.read(() => find(deviceId, name)),
    list: async (deviceId, filter): Promise<Page<Chat>> => {
      const { limit, cursor, q } = filter;
      const from = cursor === null ? null : decodeHashCursor('chats', cursor);
      const rowsAfter = (after: ChatKey | null, count: number) =>
        database.read(() => readPage(deviceId, filter, after, count));
      const page =
        q === undefined
          ? { rows: await rowsAfter(from, limit + 1), end: null }
          : await searched({ from, limit, mostOpened, rowsAfter, keyOf, isWanted: (row) => reader.isWanted(row, q) });
      const shown = page.rows.slice(0, limit);
      const chats = await database.read(() => reader.chats(deviceId, shown));
      return pageOf('chats', page.rows, limit, { items: chats, key: keyOf, end: page.end });
    },
  };
};
