/** Scheduled messages (docs/spec/messages.md, Sends at a time) and their files, sealed in pieces. */
import { sql as text } from 'kysely';
import {
  type NewScheduled,
  scheduleLimits,
  type ScheduledMessage,
  type ScheduledStore,
} from '../../domain/messages/scheduled.ts';
import type { RandomAccessBytes } from '../../domain/messages/files.ts';
import { deviceNotFound, HandsetError } from '../../errors.ts';
import type { Context } from '../base/context.ts';
import { decodeHashCursor, encodeCursor, inOrder, listed } from '../base/listed.ts';
import { type Unit, all, first } from '../base/unit.ts';
import type { ScheduledTable } from './tables.ts';
import { contextOf } from '../sealing/sealer.ts';

const pieceBytes = 262_144;
/** Storing a file takes far less than this. */
const incompleteMs = 3_600_000;
const retrySeconds = 60;

const full = (what: string): HandsetError =>
  new HandsetError(
    'RateLimited',
    `${what} already wait to be sent by this device; cancel some, or wait until they are sent`,
    {
      retryAfterSeconds: retrySeconds,
      reason: 'schedule_full',
    },
  );

const assertRoom = (count: number, waitingBytes: number, bytes: number): void => {
  const { messages, fileBytes } = scheduleLimits;
  if (count >= messages) throw full(`${messages.toLocaleString('en-US')} messages`);
  if (waitingBytes + bytes > fileBytes) throw full(`Files of ${fileBytes / 1_048_576} MB`);
};

type PageKey = readonly [at: number, id: string];

const ofMessage = (deviceId: number, messageId: string) => ({ device_id: deviceId, message_id: messageId }) as const;

const messageIn = ({ sealer }: Context, row: ScheduledTable): ScheduledMessage => ({
  deviceId: row.device_id,
  messageId: row.message_id,
  keyId: row.key_id,
  sendAt: row.send_at,
  sendUntil: row.send_until,
  createdAt: row.created_at,
  attempts: row.attempts,
  isLeaving: row.leaving === 1,
  body: sealer.openJson(row.data, contextOf('scheduled.data', row)),
});

function* insert(context: Context, message: NewScheduled, bytes: number): Unit<boolean> {
  const { sql, sealer, database } = context;
  const { deviceId, messageId, keyId, sendAt, sendUntil, createdAt, body } = message;
  const device = sql.selectFrom('devices').select('id').where('id', '=', deviceId).where('deleted', '=', 0);
  // The lock keeps the count right across nodes.
  const locked = yield* first(device.$if(database.shared, (query) => query.forUpdate()));
  if (locked === undefined) throw deviceNotFound();
  const own = sql.deleteFrom('scheduled').where('device_id', '=', deviceId).where('due_at', 'is', null);
  yield* all(own.where((e) => e.or([e('message_id', '=', messageId), e('created_at', '<', createdAt - incompleteMs)])));
  const sent = sql.selectFrom('messages').select('id').where('device_id', '=', deviceId).where('id', '=', messageId);
  if ((yield* first(sent.limit(1))) !== undefined) return false;
  const waiting = sql.selectFrom('scheduled').where('device_id', '=', deviceId);
  if ((yield* first(waiting.select('message_id').where('message_id', '=', messageId))) !== undefined) return false;
  const { count, held } = (yield* first(
    waiting.select((e) => [
      e.fn.countAll<number>().as('count'),
      text<number | string>`coalesce(sum(file_bytes), 0)`.as('held'),
    ]),
  ))!;
  assertRoom(count, Number(held), bytes);
  const data = sealer.sealJson(body, contextOf('scheduled.data', ofMessage(deviceId, messageId)));
  const times = { send_at: sendAt, send_until: sendUntil, created_at: createdAt, due_at: bytes === 0 ? sendAt : null };
  const row = {
    ...ofMessage(deviceId, messageId),
    key_id: keyId,
    ...times,
    attempts: 0,
    leaving: 0,
    file_bytes: bytes,
  };
  yield* all(sql.insertInto('scheduled').values({ ...row, data }));
  return true;
}

const fileStore = ({ sql, database, sealer }: Context) => ({
  async write(deviceId: number, messageId: string, file: RandomAccessBytes): Promise<void> {
    for (let piece = 0; piece * pieceBytes < file.size; piece += 1) {
      const plain = await file.read(piece * pieceBytes, pieceBytes);
      const data = sealer.seal(plain, contextOf('scheduled_files.data', { ...ofMessage(deviceId, messageId), piece }));
      const query = sql.insertInto('scheduled_files').values({ ...ofMessage(deviceId, messageId), piece, data });
      await database.write(() => all(query));
    }
  },
  open(deviceId: number, messageId: string, size: number): RandomAccessBytes {
    const read = async (piece: number): Promise<Uint8Array> => {
      const query = sql.selectFrom('scheduled_files').select('data').where('device_id', '=', deviceId);
      const one = query.where('message_id', '=', messageId).where('piece', '=', piece);
      const row = await database.read(() => first(one));
      if (row === undefined) throw new Error('A piece of the file of a scheduled message is gone');
      return sealer.open(row.data, contextOf('scheduled_files.data', { ...ofMessage(deviceId, messageId), piece }));
    };
    return {
      size,
      async read(offset, length) {
        const end = Math.min(offset + length, size);
        const parts: Uint8Array[] = [];
        for (let piece = Math.floor(offset / pieceBytes); piece * pieceBytes < end; piece += 1) {
          const start = piece * pieceBytes;
          parts.push((await read(piece)).subarray(Math.max(0, offset - start), end - start));
        }
        return Buffer.concat(parts);
      },
    };
  },
});

const changesOf = (context: Context) => {
  const { sql, database, sealer } = context;
  const of = (deviceId: number, messageId: string) =>
    sql.updateTable('scheduled').where('device_id', '=', deviceId).where('message_id', '=', messageId);
  const deletion = (deviceId: number, messageId: string) =>
    sql.deleteFrom('scheduled').where('device_id', '=', deviceId).where('message_id', '=', messageId);
  return {
    change: async ({ deviceId, messageId, sendAt, sendUntil, body }) => {
      const data = sealer.sealJson(body, contextOf('scheduled.data', ofMessage(deviceId, messageId)));
      const set = { send_at: sendAt, send_until: sendUntil, due_at: sendAt, attempts: 0, data };
      const query = of(deviceId, messageId).set(set).where('leaving', '=', 0).where('due_at', 'is not', null);
      return (await database.write(() => all(query.returning('message_id')))).length > 0;
    },
    cancel: (deviceId, messageId) =>
      database.write(function* () {
        const query = deletion(deviceId, messageId).where('leaving', '=', 0).where('due_at', 'is not', null);
        if ((yield* all(query.returning('message_id'))).length === 0) return false;
        const keys = sql.updateTable('idempotency').set({ done: 1 }).where('device_id', '=', deviceId);
        yield* all(keys.where('message_id', '=', messageId));
        return true;
      }),
    remove: async (deviceId, messageId) => {
      await database.write(() => all(deletion(deviceId, messageId)));
    },
    postpone: async (deviceId, messageId, dueAt, isSafe) => {
      const query = of(deviceId, messageId).set({ due_at: dueAt, ...(isSafe && { leaving: 0 }) });
      await database.write(() => all(query));
    },
    take: (deviceId, now, limit, except) =>
      database.write(function* () {
        const due = sql
          .selectFrom('scheduled')
          .selectAll()
          .where('device_id', '=', deviceId)
          .where('due_at', '<=', now);
        const free = due.$if(except.length > 0, (query) => query.where('message_id', 'not in', except));
        const rows = yield* all(free.orderBy('due_at').orderBy('created_at').limit(limit));
        for (const { message_id: messageId, attempts } of rows)
          yield* all(of(deviceId, messageId).set({ leaving: 1, attempts: attempts + 1 }));
        return rows.map((row) => messageIn(context, row));
      }),
  } satisfies Partial<ScheduledStore>;
};

const complete = ({ sql }: Context) => sql.selectFrom('scheduled').where('due_at', 'is not', null);

const cursorOf = (key: PageKey): string => encodeCursor('scheduled', key);

type Head = Pick<ScheduledTable, 'send_at' | 'message_id'>;

const keyOf = (head: Head): PageKey => [head.send_at, head.message_id];

const listOf =
  (context: Context): ScheduledStore['list'] =>
  async (deviceId, { limit, cursor, bytes }) => {
    const { database } = context;
    const ofDevice = () => complete(context).where('device_id', '=', deviceId);
    const heads = (after: PageKey | null, count: number) => {
      const [at, id] = after ?? [-1, ''];
      const query = ofDevice()
        .select(['send_at', 'message_id', text<number>`octet_length(data)`.as('bytes')])
        .where((e) => e.or([e('send_at', '>', at), e.and([e('send_at', '=', at), e('message_id', '>', id)])]));
      return database.read(() => all(query.orderBy('send_at').orderBy('message_id').limit(count)));
    };
    const open = async (of: readonly Head[]) => {
      const ids = of.map(({ message_id: id }) => id);
      const rows = await database.read(() => all(ofDevice().selectAll().where('message_id', 'in', ids)));
      return inOrder(of, rows, keyOf, (row) => messageIn(context, row));
    };
    const from = cursor === null ? null : decodeHashCursor('scheduled', cursor);
    return listed({ from, limit, bytes, heads, open, keyOf, cursorOf });
  };

export const scheduledStore = (context: Context): ScheduledStore => {
  const { sql, database } = context;
  const files = fileStore(context);
  const read = async (query: Parameters<typeof all<ScheduledTable>>[0]): Promise<readonly ScheduledMessage[]> =>
    (await database.read(() => all(query))).map((row) => messageIn(context, row));
  return {
    ...changesOf(context),
    async add(message, file) {
      const { deviceId, messageId, sendAt } = message;
      if (!(await database.write(() => insert(context, message, file?.size ?? 0))) || file === null) return;
      await files.write(deviceId, messageId, file);
      const done = sql.updateTable('scheduled').set({ due_at: sendAt }).where('device_id', '=', deviceId);
      await database.write(() => all(done.where('message_id', '=', messageId)));
    },
    find: async (deviceId, messageId) => {
      const query = complete(context).selectAll().where('device_id', '=', deviceId).where('message_id', '=', messageId);
      return (await read(query))[0] ?? null;
    },
    list: listOf(context),
    nextDue: async (deviceIds, except) => {
      const query = sql
        .selectFrom('scheduled')
        .select((e) => ['device_id', e.fn.min('due_at').as('dueAt'), e.fn.min('send_until').as('until')])
        .where('device_id', 'in', deviceIds)
        .where('due_at', 'is not', null)
        .$if(except.length > 0, (some) => some.where('message_id', 'not in', except))
        .groupBy('device_id');
      const rows = await database.read(() => all(query));
      return new Map(rows.map((row) => [row.device_id, { dueAt: row.dueAt!, until: row.until }]));
    },
    expired: (deviceId, now, limit) =>
      read(
        complete(context)
          .selectAll()
          .where('device_id', '=', deviceId)
          .where('due_at', '<=', now)
          .where('send_until', '<=', now)
          .limit(limit),
      ),
    fileOf: (deviceId, messageId, bytes) => files.open(deviceId, messageId, bytes),
  };
};
