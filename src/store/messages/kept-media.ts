/** Kept media: files to fetch, files present, and files to remove. */
import { randomUUID } from 'node:crypto';
import { sql as text } from 'kysely';
import type { MessageRecord } from '../../domain/message.ts';
import { type KeptMediaStore, isKeepable } from '../../domain/messages/kept-media.ts';
import type { Context } from '../base/context.ts';
import { inSteps, stepSize } from '../base/delete-in-steps.ts';
import { openMessage } from '../sealing/rows.ts';
import { all, first, prepare, type Unit } from '../base/unit.ts';
import { keepsMedia } from '../sealing/stored-settings.ts';
import type { KeptState } from './tables.ts';
import { chatLookup, messageColumns } from './message-steps.ts';
import { contextOf } from '../sealing/sealer.ts';
import { finding } from '../base/statements.ts';

const queriesOf = (context: Context) => ({
  ofMessage: prepare((p: { deviceId: number; id: string; chatHash: string; state: KeptState }) =>
    context.sql
      .selectFrom('messages as m')
      .innerJoin('kept_media as k', 'k.message_n', 'm.n')
      .select(['k.message_n', 'k.file', 'k.bytes', 'k.pieces'])
      .where((e) => e.and({ 'm.device_id': p.deviceId, 'm.id': p.id, 'm.chat_hash': p.chatHash, 'k.state': p.state })),
  ),
  isKept: finding(context, 'kept_media', ['message_n'], ['message_n', 'state']),
});

const nextOf = ({ sql }: Context, deviceId: number, now: number, except: readonly number[]) => {
  const columns = messageColumns.map((column) => `m.${column}` as const);
  const query = sql
    .selectFrom('kept_media as k')
    .innerJoin('messages as m', 'm.n', 'k.message_n')
    .select(['k.file', 'k.historic', 'k.attempts'])
    .select(columns)
    .where((e) => e.and({ 'k.state': 'waiting', 'k.device_id': deviceId }))
    .where('k.due_at', '<=', now)
    .orderBy('k.historic')
    .orderBy('k.message_n')
    .limit(1);
  return except.length === 0 ? query : query.where('k.message_n', 'not in', except);
};

type Fetching = Pick<KeptMediaStore, 'next' | 'due' | 'markKept' | 'postpone' | 'markFailed' | 'fetchAgain'>;

const fetching = (context: Context): Fetching => {
  const { sql, sealer, database } = context;
  const row = (n: number) => sql.updateTable('kept_media').where('message_n', '=', n);
  return {
    async next(deviceId, now, except) {
      const found = await database.read(() => first(nextOf(context, deviceId, now, except)));
      if (found === undefined) return null;
      const { n, file, historic, attempts } = found;
      return { n, deviceId, file, live: historic === 0, attempts, message: openMessage(sealer, found) };
    },
    async due(now) {
      const waiting = sql.selectFrom('kept_media').select('device_id').where('state', '=', 'waiting');
      const rows = await database.read(() => all(waiting.where('due_at', '<=', now).groupBy('device_id')));
      return rows.map(({ device_id: id }) => id);
    },
    async markKept({ n, file }, bytes, pieces) {
      const sealed = sealer.sealJson(pieces, contextOf('kept_media.pieces', { message_n: n }));
      const kept = row(n).set({ state: 'kept', bytes, pieces: sealed }).where('state', '=', 'waiting');
      return (await database.write(() => all(kept.where('file', '=', file).returning('message_n')))).length > 0;
    },
    async postpone(n, dueAt, attempts) {
      const later = row(n).set({ due_at: dueAt, attempts }).where('state', '=', 'waiting');
      await database.write(() => all(later));
    },
    async markFailed(n) {
      await database.write(() => all(row(n).set({ state: 'failed' }).where('state', '=', 'waiting')));
    },
    async fetchAgain(n, now) {
      const again = row(n).set({ state: 'waiting', due_at: now, attempts: 0 });
      await database.write(() => all(again.where('state', 'in', ['kept', 'failed'])));
    },
  };
};

export const keptMediaStore = (context: Context): KeptMediaStore => {
  const { sql, sealer, database } = context;
  const queries = queriesOf(context);
  const ofMessage = (deviceId: number, id: string, chat: string, state: KeptState) => {
    const chatHash = chatLookup(sealer, deviceId, chat);
    return database.read(() => queries.ofMessage.first({ deviceId, id, chatHash, state }));
  };
  return {
    ...fetching(context),
    async find(deviceId, messageId, chat) {
      const row = await ofMessage(deviceId, messageId, chat, 'kept');
      if (row === undefined || row.bytes === null || row.pieces === null) return null;
      const { message_n: n, file, bytes } = row;
      const pieces = sealer.openJson(row.pieces, contextOf('kept_media.pieces', row));
      return { n, deviceId, file, bytes, pieces };
    },
    findFailed: async (deviceId, messageId, chat) =>
      (await ofMessage(deviceId, messageId, chat, 'failed'))?.message_n ?? null,
    isKept: async (n) =>
      (await database.read(() => queries.isKept.first({ message_n: n, state: 'kept' }))) !== undefined,
    async gone(limit) {
      const query = sql.selectFrom('kept_media').select(['message_n', 'device_id', 'file']).where('state', '=', 'gone');
      const rows = await database.read(() => all(query.limit(limit)));
      return rows.map((row) => ({ n: row.message_n, deviceId: row.device_id, file: row.file }));
    },
    async forget(ns) {
      if (ns.length === 0) return;
      const rows = sql.deleteFrom('kept_media').where('message_n', 'in', ns);
      await database.write(() => all(rows.where('state', '=', 'gone')));
    },
    async counts(atMost) {
      const of = (state: KeptState) =>
        sql.selectFrom('kept_media').select('message_n').where('state', '=', state).limit(atMost);
      const waiting = (await database.read(() => all(of('waiting')))).length;
      return { waiting, failed: (await database.read(() => all(of('failed')))).length };
    },
    async keepers() {
      const kept = sql.selectFrom('kept_media').select('device_id').where('state', 'in', ['kept', 'waiting']);
      const setting = sql.selectFrom('devices').select('id').where('settings', 'like', '%"media":"kept"%');
      const ids = await database.read(function* () {
        const having = yield* all(kept.groupBy('device_id'));
        const wanting = yield* all(setting.where('deleted', '=', 0));
        return new Set([...having.map((row) => row.device_id), ...wanting.map((row) => row.id)]);
      });
      return ids.size;
    },
  };
};

interface KeptWriter {
  readonly keep: (deviceId: number, messages: readonly MessageRecord[]) => Unit<void>;
  readonly drop: (n: number) => Unit<void>;
  readonly renew: (n: number) => Unit<void>;
}

const writingQueries = ({ sql }: Context) => ({
  settings: finding({ sql }, 'devices', ['settings'], ['id']),
  drop: prepare((p: { n: number }) =>
    sql.updateTable('kept_media').set({ state: 'gone' }).where('message_n', '=', p.n),
  ),
});

export const keptWriter = (context: Context): KeptWriter => {
  const { sql, sealer, now } = context;
  const queries = writingQueries(context);
  return {
    *keep(deviceId, messages) {
      const keepable = messages.filter(isKeepable);
      if (keepable.length === 0) return;
      const device = yield* queries.settings.first({ id: deviceId });
      if (device === undefined || !keepsMedia(device)) return;
      const ids = keepable.map(({ id }) => id);
      const found = yield* all(
        sql
          .selectFrom('messages')
          .select(['n', 'id', 'chat_hash'])
          .where('device_id', '=', deviceId)
          .where('id', 'in', ids),
      );
      const at = now();
      for (const { id, chat, historic } of keepable) {
        const hash = chatLookup(sealer, deviceId, chat);
        const row = found.find((each) => each.id === id && each.chat_hash === hash);
        if (row === undefined) continue;
        const values = { message_n: row.n, device_id: deviceId, due_at: at, file: randomUUID(), stored_at: at };
        const rest = { state: 'waiting', historic: historic === true ? 1 : 0, attempts: 0 } as const;
        const insert = sql.insertInto('kept_media').values({ ...values, ...rest });
        yield* all(insert.onConflict((c) => c.column('message_n').doNothing()));
      }
    },
    *drop(n) {
      yield* queries.drop.all({ n });
    },
    *renew(n) {
      const row = sql.updateTable('kept_media').where('message_n', '=', n);
      // A running fetch ends with the former file name and is not kept.
      yield* all(row.set({ file: randomUUID() }).where('state', '=', 'waiting'));
      const again = { state: 'waiting', due_at: now(), attempts: 0 } as const;
      yield* all(row.set(again).where('state', '!=', 'gone'));
    },
  };
};

export const dropKeptBefore = ({ sql, database }: Context, before: number): Promise<number> => {
  const old = sql
    .selectFrom('kept_media')
    .select('message_n')
    .where('stored_at', '<', before)
    .where('state', '!=', 'gone')
    .limit(stepSize);
  const query = sql
    .updateTable('kept_media')
    .set({ state: 'gone' })
    .where('message_n', 'in', old)
    .returning(text.lit(1).as('one'));
  return inSteps(database, () => all(query));
};
