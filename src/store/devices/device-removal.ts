/** Removes a device in small steps: it is gone with the first one, and a crash between them is made good at the next start. */
import { sql as text } from 'kysely';
import type { Actor } from '../../domain/audit.ts';
import { deviceNotFound } from '../../errors.ts';
import { auditWriter } from '../users/audit.ts';
import type { Context } from '../context.ts';
import { deleteInSteps } from '../maintenance/delete-in-steps.ts';
import { all, first } from '../unit.ts';

const finish = async (context: Context, id: number): Promise<void> => {
  const { sql, database } = context;
  for (const table of [
    'deliveries',
    'attempts',
    'events',
    'messages',
    'annotations',
    'inbox',
    'chats',
    'contacts',
  ] as const) {
    await deleteInSteps(context, table, text`device_id = ${id}`);
  }
  await database.write(function* () {
    for (const table of ['lanes', 'idempotency', 'app_state', 'groups', 'look_ups'] as const) {
      yield* all(sql.deleteFrom(table).where('device_id', '=', id));
    }
    yield* all(sql.deleteFrom('devices').where('id', '=', id));
  });
  await database.scrub();
};

/** The first step takes what lets the account be used: credentials and keys. With its commit the device is gone. */
export const removeDevice =
  (context: Context) =>
  async (id: number, by?: Actor): Promise<void> => {
    const { sql, database } = context;
    const note = auditWriter(context);
    await database.write(function* () {
      const query = sql.updateTable('devices').set({ deleted: 1, active: 0, queue_at: null, account: null });
      const row = yield* first(query.where('id', '=', id).where('deleted', '=', 0).returning('user_id'));
      if (row === undefined) throw deviceNotFound();
      yield* note(by, 'device.deleted', { userId: row.user_id, deviceId: id });
      yield* all(sql.deleteFrom('credentials').where('device_id', '=', id));
      yield* all(sql.deleteFrom('signal_keys').where('device_id', '=', id));
    });
    await finish(context, id);
  };

/** Finishes removals that a crash interrupted. */
export const finishRemovals = async (context: Context): Promise<void> => {
  const query = context.sql.selectFrom('devices').select('id').where('deleted', '=', 1).orderBy('id');
  for (const { id } of await context.database.read(() => all(query))) await finish(context, id);
};
