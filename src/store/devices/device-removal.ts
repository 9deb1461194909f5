/** Removes a device in small steps: it is gone with the first one, and a crash between them is made good at the next start. */
import type { Actor } from '../../domain/audit.ts';
import { deviceNotFound } from '../../errors.ts';
import { auditWriter } from '../users/audit.ts';
import type { Context } from '../context.ts';
import { type Unit, all, first } from '../unit.ts';

/** Rows a step: few enough that other work gets its turn. */
const stepSize = 500;

/** Rows of the tables that grow without bound; how many went. */
const steps = ({ sql }: Context, id: number): readonly (() => Unit<number>)[] => [
  function* () {
    const some = sql.selectFrom('deliveries').select('seq').where('device_id', '=', id).limit(stepSize);
    return (yield* all(
      sql.deleteFrom('deliveries').where('device_id', '=', id).where('seq', 'in', some).returning('seq'),
    )).length;
  },
  function* () {
    const some = sql.selectFrom('attempts').select(['seq', 'at']).where('device_id', '=', id).limit(stepSize);
    const rows = yield* all(some);
    for (const { seq, at } of rows) {
      const one = sql.deleteFrom('attempts').where('device_id', '=', id).where('seq', '=', seq);
      yield* all(one.where('at', '=', at));
    }
    return rows.length;
  },
  function* () {
    const some = sql.selectFrom('events').select('seq').where('device_id', '=', id).limit(stepSize);
    return (yield* all(sql.deleteFrom('events').where('device_id', '=', id).where('seq', 'in', some).returning('seq')))
      .length;
  },
  function* () {
    const some = sql.selectFrom('messages').select('n').where('device_id', '=', id).limit(stepSize);
    return (yield* all(sql.deleteFrom('messages').where('n', 'in', some).returning('n'))).length;
  },
  function* () {
    const some = sql.selectFrom('inbox').select('key').where('device_id', '=', id).limit(stepSize);
    return (yield* all(sql.deleteFrom('inbox').where('device_id', '=', id).where('key', 'in', some).returning('key')))
      .length;
  },
];

function* removeRest({ sql }: Context, id: number): Unit<void> {
  for (const table of ['lanes', 'idempotency', 'app_state'] as const) {
    yield* all(sql.deleteFrom(table).where('device_id', '=', id));
  }
  yield* all(sql.deleteFrom('devices').where('id', '=', id));
}

const finish = async (context: Context, id: number): Promise<void> => {
  for (const step of steps(context, id)) {
    while ((await context.database.write(step)) === stepSize);
  }
  await context.database.write(() => removeRest(context, id));
  await context.database.scrub();
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
