/**
 * Removes a device in small steps. It is gone after the first; a crash is repaired at the next start. If an account-wide webhook gets
 * `device.deleted`, the event stays with an empty device row until retention removes it.
 */
import { sql as text } from 'kysely';
import type { Actor } from '../../domain/audit.ts';
import type { CommittedEvent } from '../../domain/event.ts';
import { deviceNotFound } from '../../errors.ts';
import { auditWriter } from '../sealing/audit.ts';
import type { Context } from '../base/context.ts';
import { eventWriter } from '../commit/event-writer.ts';
import { deleteInSteps } from '../base/delete-in-steps.ts';
import { type Unit, all, first } from '../base/unit.ts';

export const emptied = {
  deleted: 2,
  name: '',
  settings: null,
  sealed_settings: null,
  limits: null,
  proxy: null,
} as const;

/** `deleted` of a device that moves in, until its last key is written (`devices.ts`). */
export const movingIn = 3;
/** Longer than that takes. */
const movingInMs = 3_600_000;

function* farewellOf({ sql }: Context, id: number): Unit<number | null> {
  const query = sql
    .selectFrom('events as e')
    .innerJoin('deliveries as d', (join) => join.onRef('d.device_id', '=', 'e.device_id').onRef('d.seq', '=', 'e.seq'))
    .select('e.seq')
    .where((e) => e.and({ 'e.device_id': id, 'e.kind': 'device.deleted' }));
  return (yield* first(query))?.seq ?? null;
}

/** Also of a device that never came to be. */
export const finishRemoval = async (context: Context, id: number): Promise<void> => {
  const { sql, database } = context;
  const farewell = await database.read(() => farewellOf(context, id));
  const others = text`device_id = ${id} and seq <> ${farewell ?? -1}`;
  for (const table of ['deliveries', 'attempts', 'events'] as const) await deleteInSteps(context, table, others);
  for (const table of ['messages', 'annotations', 'inbox', 'chats', 'contacts', 'label_marks'] as const)
    await deleteInSteps(context, table, text`device_id = ${id}`);
  await database.write(function* () {
    for (const table of [
      'chat_turns',
      'webhooks',
      'idempotency',
      'scheduled',
      'status_viewers',
      'statuses',
      'app_state',
      'groups',
      'labels',
      'look_ups',
      'new_chats',
    ] as const) {
      yield* all(sql.deleteFrom(table).where('device_id', '=', id));
    }
    // Rows go once the files are removed.
    const kept = sql.updateTable('kept_media').set({ state: 'gone' }).where('device_id', '=', id);
    yield* all(kept.where('state', 'in', ['waiting', 'kept', 'failed']));
    // Posts under way may have recreated queues.
    const queues = sql.deleteFrom('delivery_queues').where('device_id', '=', id);
    yield* all(queues.where('head_seq', '<>', farewell ?? -1));
    if (farewell === null) yield* all(sql.deleteFrom('devices').where('id', '=', id));
    else yield* all(sql.updateTable('devices').set(emptied).where('id', '=', id));
  });
  await database.scrub();
};

/** The first step deletes what gives access to the account, and what waits to be posted. */
export const removeDevice = (context: Context) => {
  const { sql, database, sealer, now } = context;
  const note = auditWriter(context);
  const writeEvents = eventWriter(context);
  function* begin(id: number, by?: Actor): Unit<readonly CommittedEvent[]> {
    const present = sql.selectFrom('devices').select(['user_id', 'name']).where('id', '=', id);
    const row = yield* first(present.where('deleted', '=', 0).$if(database.shared, (query) => query.forUpdate()));
    if (row === undefined) throw deviceNotFound();
    for (const table of ['delivery_queues', 'webhook_queues', 'credentials', 'signal_keys'] as const)
      yield* all(sql.deleteFrom(table).where('device_id', '=', id));
    const waiting = sql.deleteFrom('deliveries').where('device_id', '=', id).where('next_attempt_at', 'is not', null);
    yield* all(waiting.where('order_hash', '=', sealer.lookup('order', id, 'device')));
    const event = { type: 'device.deleted', data: { name: row.name } } as const;
    const told = yield* writeEvents(id, { facts: [{ event, at: now() }] });
    const set = { deleted: 1, active: 0, account: null } as const;
    yield* all(sql.updateTable('devices').set(set).where('id', '=', id));
    yield* note(by, 'device.deleted', { userId: row.user_id, deviceId: id });
    return told;
  }
  return async (id: number, by?: Actor): Promise<void> => {
    await database.write(() => begin(id, by), { committed: context.published });
    await finishRemoval(context, id);
  };
};

/** Removes what began to move in and came to nothing. Returns the number of devices. */
export const removeStranded = async (context: Context, before = context.now() - movingInMs): Promise<number> => {
  const query = context.sql.selectFrom('devices').select('id').where('deleted', '=', movingIn);
  const stranded = await context.database.read(() => all(query.where('created_at', '<', before)));
  for (const { id } of stranded) await finishRemoval(context, id);
  return stranded.length;
};

/** At the start. On a shared database, another node may be moving a device in. */
export const finishRemovals = async (context: Context): Promise<void> => {
  const { sql, database } = context;
  const query = sql.selectFrom('devices').select('id').where('deleted', '=', 1).orderBy('id');
  for (const { id } of await database.read(() => all(query))) await finishRemoval(context, id);
  await removeStranded(context, database.shared ? undefined : Number.MAX_SAFE_INTEGER);
};

export function* forgetEmptied({ sql }: Context, userId: number): Unit<void> {
  const query = sql.selectFrom('devices').select('id').where('user_id', '=', userId);
  for (const { id } of yield* all(query.where('deleted', '=', emptied.deleted))) {
    for (const table of ['deliveries', 'attempts', 'events'] as const)
      yield* all(sql.deleteFrom(table).where('device_id', '=', id));
    yield* all(sql.deleteFrom('devices').where('id', '=', id));
  }
}
