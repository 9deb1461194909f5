/** The event log of each device. */
import { sql as text } from 'kysely';
import type { AnyKind, StoredEvent } from '../../domain/event.ts';
import type { EventStore, Page, PageRequest } from '../../domain/stores.ts';
import { invalidRequest } from '../../errors.ts';
import type { Context } from '../base/context.ts';
import { eventId, seqOf } from '../base/ids.ts';
import { inOrder, listed } from '../base/listed.ts';
import { openEvent } from '../sealing/rows.ts';
import { all, first, prepare, type Unit } from '../base/unit.ts';
import { finding } from '../base/statements.ts';

const columns = ['device_id', 'seq', 'at', 'kind', 'data'] as const;

const notOfDevice = (member = 'after'): Error => invalidRequest(`${member} must be the id of an event of this device`);

const lossFinder = (context: Context) => {
  const device = finding(context, 'devices', ['pruned_seq'], ['id']);
  const exact = finding(context, 'events', ['seq'], ['device_id', 'seq']);
  /** True if the event is missing, but not by retention. */
  return function* isLost(deviceId: number, seq: number): Unit<boolean> {
    const pruned = (yield* device.first({ id: deviceId }))?.pruned_seq;
    if (pruned === undefined || seq <= pruned) return false;
    return (yield* exact.first({ device_id: deviceId, seq })) === undefined;
  };
};

interface Span extends Readonly<Record<string, unknown>> {
  readonly deviceId: number;
  readonly first: number;
  readonly last: number;
}

const keyOf = ({ seq }: { readonly seq: number }): number => seq;

const pageReader = ({ sql, sealer, database }: Context) => {
  const inSpan = (p: Span) =>
    sql.selectFrom('events').where('device_id', '=', p.deviceId).where('seq', '>=', p.first).where('seq', '<=', p.last);
  const headsOf = (p: Span & { readonly count: number }) =>
    inSpan(p)
      .select(['seq', text<number>`octet_length(data)`.as('bytes')])
      .limit(p.count);
  const heads = prepare((p: Span & { readonly count: number }) => headsOf(p).orderBy('seq'));
  const rows = prepare((p: Span) => inSpan(p).select(columns));
  return (
    deviceId: number,
    order: 'asc' | 'desc',
    { limit, bytes }: PageRequest,
    from: number | null,
    kinds?: readonly AnyKind[],
  ): Promise<Page<StoredEvent>> =>
    listed({
      from,
      limit,
      bytes,
      heads(after: number | null, count: number) {
        const [lowest, highest] =
          order === 'asc' ? [(after ?? 0) + 1, Number.MAX_SAFE_INTEGER] : [0, (after ?? Number.MAX_SAFE_INTEGER) - 1];
        const asked = { deviceId, first: lowest, last: highest, count };
        return database.read(() =>
          order === 'asc' && kinds === undefined
            ? heads.all(asked)
            : all(
                headsOf(asked)
                  .$if(kinds !== undefined, (query) => query.where('kind', 'in', [...kinds!]))
                  .orderBy('seq', order),
              ),
        );
      },
      async open(of) {
        const numbers = of.map(keyOf);
        const span = { deviceId, first: Math.min(...numbers), last: Math.max(...numbers) };
        const found = await database.read(() =>
          kinds === undefined
            ? rows.all(span)
            : all(
                inSpan(span)
                  .select(columns)
                  .where('kind', 'in', [...kinds]),
              ),
        );
        return inOrder(of, found, keyOf, (row) => openEvent(sealer, row).event);
      },
      keyOf,
      cursorOf: (seq) => eventId(deviceId, seq),
    });
};

export const eventStore = (context: Context): EventStore => {
  const { sql, sealer, database } = context;
  const readPage = pageReader(context);
  const isLost = lossFinder(context);
  return {
    find: async (deviceId, id) => {
      const seq = seqOf('evt', deviceId, id);
      if (seq === null) return null;
      const query = sql.selectFrom('events').select(columns).where('device_id', '=', deviceId).where('seq', '=', seq);
      const row = await database.read(() => first(query));
      return row === undefined ? null : openEvent(sealer, row).event;
    },
    listAfter: async (deviceId, page, kinds) => {
      const from = page.cursor === null ? null : seqOf('evt', deviceId, page.cursor);
      if (page.cursor !== null && from === null) throw notOfDevice();
      return readPage(deviceId, 'asc', page, from, kinds);
    },
    listBefore: async (deviceId, page, kinds) => {
      const from = page.cursor === null ? null : seqOf('evt', deviceId, page.cursor);
      if (page.cursor !== null && from === null) throw notOfDevice('before');
      return readPage(deviceId, 'desc', page, from, kinds);
    },
    assertPosition: async (deviceId, id, member) => {
      const seq = seqOf('evt', deviceId, id);
      if (seq === null || (await database.read(() => isLost(deviceId, seq)))) throw notOfDevice(member);
    },
    latestId: async (deviceId) => {
      const last = sql
        .selectFrom('events')
        .select('seq')
        .where('device_id', '=', deviceId)
        .orderBy('seq', 'desc')
        .limit(1);
      const row = await database.read(() => first(last));
      return eventId(deviceId, row?.seq ?? 0);
    },
  };
};
