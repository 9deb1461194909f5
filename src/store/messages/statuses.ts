/** Statuses of the last day (docs/spec/statuses.md), and who got and saw the account's own. */
import { sql as text } from 'kysely';
import type { Jid } from '../../domain/jid.ts';
import type { Person } from '../../domain/messages/parts.ts';
import type { StatusChange, StatusRecord, StatusViewer } from '../../domain/messages/statuses.ts';
import type { StatusStore } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { contextOf } from '../sealing/sealer.ts';
import { decodeHashCursor, encodeCursor, inOrder, listed, pageOf } from '../base/listed.ts';
import { type Unit, all, first } from '../base/unit.ts';
import type { StatusesTable, StatusRow } from './tables.ts';
import { putting, finding } from '../base/statements.ts';

type Key = Readonly<Pick<StatusesTable, 'device_id' | 'status_id'>>;

const placeOf = (deviceId: number, id: string): Key => ({ device_id: deviceId, status_id: id });

type PageKey = readonly [at: number, id: string];
type Head = Pick<StatusesTable, 'at' | 'status_id'>;

const personName = ({ lid, jid }: Person): string => lid ?? jid;

const columns = [
  'device_id',
  'status_id',
  'at',
  'expires_at',
  'accepted_at',
  'deleted_at',
  'recipients',
  'data',
] as const;

const statusIn = (
  { sealer }: Context,
  row: Pick<StatusesTable, (typeof columns)[number]> & Partial<Pick<StatusesTable, 'content'>>,
): StatusRecord => {
  const { message, ...shown } = sealer.openJson(row.data, contextOf('statuses.data', row));
  const content = row.content ? sealer.open(row.content, contextOf('statuses.content', row)) : null;
  return {
    ...shown,
    message: { ...message, content },
    expiresAt: row.expires_at,
    acceptedAt: row.accepted_at,
    deletedAt: row.deleted_at,
    recipients: row.recipients,
  };
};

const viewerKey = ['device_id', 'status_id', 'person_hash'] as const;
const viewerValues = ['delivered_at', 'viewed_at', 'data'] as const;

const queriesOf = (context: Context) => ({
  own: finding(context, 'statuses', ['status_id'], ['device_id', 'status_id', 'own']),
  viewer: finding(context, 'status_viewers', viewerValues, viewerKey),
  put: putting(context, 'status_viewers', viewerKey, viewerValues),
});

type Queries = ReturnType<typeof queriesOf>;

function* see(
  { sealer }: Context,
  queries: Queries,
  deviceId: number,
  seen: Extract<StatusChange, { kind: 'seen' }>,
): Unit<void> {
  const { id, person, deliveredAt, viewedAt, reaction } = seen;
  const of = placeOf(deviceId, id);
  if ((yield* queries.own.first({ ...of, own: 1 })) === undefined) return;
  const key = { ...of, person_hash: sealer.lookup('status_viewers', deviceId, personName(person)) };
  const before = yield* queries.viewer.first(key);
  const kept =
    before === undefined ? null : sealer.openJson(before.data, contextOf('status_viewers.data', key)).reaction;
  const delivered_at = before?.delivered_at ?? deliveredAt ?? viewedAt ?? null;
  const viewed_at = before?.viewed_at ?? viewedAt ?? null;
  const shown = { person, reaction: reaction === undefined ? kept : reaction };
  const data = sealer.sealJson(shown, contextOf('status_viewers.data', key));
  yield* queries.put.write([{ ...key, delivered_at, viewed_at, data }]);
}

function* change(context: Context, queries: Queries, deviceId: number, made: StatusChange): Unit<void> {
  const { sql, sealer } = context;
  if (made.kind === 'seen') return yield* see(context, queries, deviceId, made);
  if (made.kind === 'new') {
    const { status, audience } = made;
    const key = placeOf(deviceId, status.message.id);
    const { acceptedAt, deletedAt, expiresAt, recipients, message, background, font } = status;
    const { content, secret: _secret, ...rest } = message;
    const data: StatusRow = { background, font, message: rest };
    const values = {
      ...key,
      own: message.direction === 'out' ? 1 : 0,
      at: message.timestamp,
      expires_at: expiresAt,
      accepted_at: acceptedAt,
      deleted_at: deletedAt,
      recipients,
      data: sealer.sealJson(data, contextOf('statuses.data', key)),
      content: content === null ? null : sealer.seal(content, contextOf('statuses.content', key)),
      audience: audience === null ? null : sealer.sealJson(audience, contextOf('statuses.audience', key)),
    };
    return void (yield* all(
      sql
        .insertInto('statuses')
        .values(values)
        .onConflict((c) => c.doNothing()),
    ));
  }
  const { id } = made;
  if (made.kind === 'withdrawn') {
    const gone = sql.deleteFrom('statuses').where('device_id', '=', deviceId).where('status_id', '=', id);
    return void (yield* all(gone.where('accepted_at', 'is', null)));
  }
  const { at } = made;
  const set = made.kind === 'deleted' ? { deleted_at: at } : { accepted_at: at, recipients: made.recipients };
  yield* all(sql.updateTable('statuses').set(set).where('device_id', '=', deviceId).where('status_id', '=', id));
}

export const statusWriter = (
  context: Context,
): ((deviceId: number, changes: readonly StatusChange[]) => Unit<void>) => {
  const queries = queriesOf(context);
  return function* write(deviceId, changes) {
    for (const each of changes) yield* change(context, queries, deviceId, each);
  };
};

const viewersOf =
  ({ sql, sealer, database }: Context): StatusStore['viewers'] =>
  async (deviceId, id, { limit, cursor }) => {
    const after = cursor === null ? '' : decodeHashCursor('viewers', cursor)[1];
    const query = sql.selectFrom('status_viewers').selectAll().where('device_id', '=', deviceId);
    const page = query.where('status_id', '=', id).where('person_hash', '>', after);
    const rows = await database.read(() => all(page.orderBy('person_hash').limit(limit + 1)));
    return pageOf('viewers', rows, limit, {
      item: (row): StatusViewer => ({
        ...sealer.openJson(row.data, contextOf('status_viewers.data', row)),
        deliveredAt: row.delivered_at,
        viewedAt: row.viewed_at,
      }),
      key: ({ person_hash: hash }) => [0, hash],
    });
  };

const keyOf = ({ at, status_id: id }: Head): PageKey => [at, id];

const cursorOf = (key: PageKey): string => encodeCursor('statuses', key);

export const statusStore = (context: Context): StatusStore => {
  const { sql, sealer, database, now } = context;
  const present = (deviceId: number) =>
    sql.selectFrom('statuses').where('device_id', '=', deviceId).where('expires_at', '>', now());
  return {
    find: async (deviceId, id) => {
      const row = await database.read(() => first(present(deviceId).selectAll().where('status_id', '=', id)));
      return row === undefined ? null : statusIn(context, row);
    },
    audience: async (deviceId, id) => {
      const query = present(deviceId).select('audience').where('status_id', '=', id);
      const sealed = (await database.read(() => first(query)))?.audience ?? null;
      return sealed === null
        ? null
        : sealer.openJson<readonly Jid[]>(sealed, contextOf('statuses.audience', placeOf(deviceId, id)));
    },
    list: async (deviceId, { limit, cursor, bytes, own }) => {
      const from = cursor === null ? null : decodeHashCursor('statuses', cursor);
      const heads = (after: PageKey | null, count: number) => {
        const [at, id] = after ?? [Number.MAX_SAFE_INTEGER, ''];
        const query = present(deviceId)
          .select(['at', 'status_id', text<number>`octet_length(data)`.as('bytes')])
          .$if(own !== undefined, (some) => some.where('own', '=', own === true ? 1 : 0))
          .where((e) => e.or([e('at', '<', at), e.and([e('at', '=', at), e('status_id', '>', id)])]));
        return database.read(() => all(query.orderBy('at', 'desc').orderBy('status_id').limit(count)));
      };
      const open = async (of: readonly Head[]) => {
        const ids = of.map(({ status_id: id }) => id);
        const rows = await database.read(() => all(present(deviceId).select(columns).where('status_id', 'in', ids)));
        return inOrder(of, rows, keyOf, (row) => statusIn(context, row));
      };
      return listed({ from, limit, bytes, heads, open, keyOf, cursorOf });
    },
    viewers: viewersOf(context),
  };
};
