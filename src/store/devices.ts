/** Devices, and the removal of every trace of one. */
import type { Actor, AuditDetail } from '../domain/audit.ts';
import type { DevicePatch, DeviceRecord } from '../domain/device.ts';
import type { EventKind } from '../domain/event.ts';
import type { Account } from '../domain/session-state.ts';
import type { DeviceStore } from '../domain/stores.ts';
import { deviceLimitReached, deviceNotFound, notFound } from '../errors.ts';
import { type WriteAudit, auditWriter } from './audit.ts';
import type { Context } from './context.ts';
import { decodeCursor, pageOf } from './cursor.ts';
import { laneWriter } from './lanes.ts';
import type { Owners } from './owners.ts';
import type { Seal, SealedJson } from './seal.ts';
import { type Unit, all, first, prepare } from './unit.ts';

export const accountContext = (deviceId: number): string => `devices.account/${deviceId}`;
export const urlContext = (deviceId: number): string => `devices.webhook_url/${deviceId}`;

const columns = [
  'id',
  'user_id',
  'name',
  'active',
  'webhook_url',
  'webhook_events',
  'messages_sent',
  'created_at',
  'account',
  'announced_open',
  'pairing_at',
  'last_seen_at',
] as const;

interface Row {
  readonly id: number;
  readonly user_id: number;
  readonly name: string;
  readonly active: number;
  readonly webhook_url: SealedJson<string> | null;
  readonly webhook_events: string;
  readonly messages_sent: number;
  readonly created_at: number;
  readonly account: SealedJson<Account> | null;
  readonly announced_open: number;
  readonly pairing_at: number | null;
  readonly last_seen_at: number | null;
}

/** The kinds as they were stored with the device. */
export const kindsOf = (row: { readonly webhook_events: string }): readonly EventKind[] =>
  JSON.parse(row.webhook_events);

export const openUrl = (seal: Seal, deviceId: number, sealed: SealedJson<string> | null): string | null =>
  sealed === null ? null : seal.openJson(sealed, urlContext(deviceId));

const plainOf = (row: Row) => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  messagesSent: row.messages_sent,
  subscriptionStatus: row.active === 1 ? ('active' as const) : ('inactive' as const),
  createdAt: row.created_at,
  announcedOpen: row.announced_open === 1,
  pairingAt: row.pairing_at,
  lastSeenAt: row.last_seen_at,
});

const recordOf = (seal: Seal, row: Row): DeviceRecord => ({
  ...plainOf(row),
  webhookUrl: openUrl(seal, row.id, row.webhook_url),
  webhookEvents: kindsOf(row),
  account: row.account === null ? null : seal.openJson(row.account, accountContext(row.id)),
});

/** Byte for byte from the end, where envelopes differ: a call of native code takes longer. */
const sameBytes = (a: Uint8Array | null, b: Uint8Array | null): boolean => {
  if (a === null || b === null) return a === b;
  if (a.length !== b.length) return false;
  for (let at = a.length - 1; at >= 0; at -= 1) if (a[at] !== b[at]) return false;
  return true;
};

/** How many devices' rows are remembered as they were when they were last opened. */
const maxOpened = 5_000;

const samePlain = (a: Row, b: Row): boolean =>
  a.name === b.name &&
  a.active === b.active &&
  a.messages_sent === b.messages_sent &&
  a.announced_open === b.announced_open &&
  a.pairing_at === b.pairing_at &&
  a.last_seen_at === b.last_seen_at;

/** As `recordOf`; what is sealed is opened again only when it has changed, for the row is asked for with every request. */
const makeOpener = (seal: Seal): ((row: Row) => DeviceRecord) => {
  const opened = new Map<number, { readonly row: Row; readonly record: DeviceRecord }>();
  return (row) => {
    const known = opened.get(row.id);
    if (
      known !== undefined &&
      sameBytes(known.row.account, row.account) &&
      sameBytes(known.row.webhook_url, row.webhook_url) &&
      known.row.webhook_events === row.webhook_events
    ) {
      // Its user and its time of creation never change.
      if (samePlain(known.row, row)) return known.record;
      const { webhookUrl, webhookEvents, account } = known.record;
      return { ...plainOf(row), webhookUrl, webhookEvents, account };
    }
    const record = recordOf(seal, row);
    if (opened.size >= maxOpened) opened.clear();
    opened.set(row.id, { row, record });
    return record;
  };
};

const queriesOf = ({ sql }: Context) => ({
  find: prepare((p: { id: number }) =>
    sql.selectFrom('devices').select(columns).where('id', '=', p.id).where('deleted', '=', 0),
  ),
  // An update that changes nothing: it locks the user's row, so that two devices cannot take the last place at once.
  lockUser: prepare((p: { userId: number }) =>
    sql
      .updateTable('users')
      .set((e) => ({ device_limit: e.ref('device_limit') }))
      .where('id', '=', p.userId)
      .returning('device_limit'),
  ),
  countActive: prepare((p: { userId: number }) =>
    sql
      .selectFrom('devices')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('user_id', '=', p.userId)
      .where('active', '=', 1)
      .where('deleted', '=', 0),
  ),
});

type Queries = ReturnType<typeof queriesOf>;

/** Throws DeviceLimitReached when one more active device would be too many. */
function* reserve(queries: Queries, userId: number): Unit<void> {
  const user = yield* queries.lockUser.first({ userId });
  if (user === undefined) throw notFound('User');
  const active = (yield* queries.countActive.first({ userId }))!.count;
  if (active >= user.device_limit) throw deviceLimitReached(active, user.device_limit);
}

const create =
  (context: Context, queries: Queries): DeviceStore['create'] =>
  (device, now, by) =>
    context.database.write(function* () {
      const { sql, seal } = context;
      yield* reserve(queries, device.userId);
      const made = yield* first(
        sql
          .insertInto('devices')
          .values({
            user_id: device.userId,
            name: device.name ?? '',
            active: 1,
            webhook_events: JSON.stringify(device.webhookEvents),
            created_at: now,
          })
          .returning(columns),
      );
      const { id } = made!;
      const set = {
        name: device.name ?? `Device ${id}`,
        webhook_url: device.webhookUrl === null ? null : seal.sealJson(device.webhookUrl, urlContext(id)),
      };
      const row = yield* first(sql.updateTable('devices').set(set).where('id', '=', id).returning(columns));
      yield* auditWriter(context)(by, 'device.created', { userId: device.userId, deviceId: id });
      return recordOf(seal, row!);
    });

/**
 * Setting the URL, to whatever, ends a disabling by a 410. With the URL null, what is pending stays, is not posted, and
 * goes out when a URL is set again (`retention.ts` says how long it is kept).
 */
const patchColumns = (seal: Seal, id: number, patch: DevicePatch) => {
  const { name, webhookUrl, webhookEvents, subscriptionStatus } = patch;
  return {
    ...(name === undefined ? {} : { name }),
    ...(webhookUrl === undefined
      ? {}
      : {
          webhook_url: webhookUrl === null ? null : seal.sealJson(webhookUrl, urlContext(id)),
          disabled_at: null,
          failing_since: null,
        }),
    ...(webhookEvents === undefined ? {} : { webhook_events: JSON.stringify(webhookEvents) }),
    ...(subscriptionStatus === undefined ? {} : { active: subscriptionStatus === 'active' ? 1 : 0 }),
  };
};

/** The members by name: a URL may carry a token. */
function* noteUpdate(note: WriteAudit, by: Actor | undefined, before: Row, patch: DevicePatch): Unit<void> {
  const subject = { userId: before.user_id, deviceId: before.id };
  const members = Object.keys(patch);
  const ofWebhook = members.filter((member) => member.startsWith('webhook'));
  const others = members.filter((member) => !ofWebhook.includes(member));
  const { subscriptionStatus } = patch;
  const detail: AuditDetail = subscriptionStatus === undefined ? {} : { subscriptionStatus };
  if (others.length > 0) yield* note(by, 'device.updated', subject, { members: others, ...detail });
  if (ofWebhook.length > 0) yield* note(by, 'webhook.updated', subject, { members: ofWebhook });
}

const update = (context: Context, queries: Queries): DeviceStore['update'] => {
  const { sql, seal, database } = context;
  const lanes = laneWriter(context);
  const note = auditWriter(context);
  return (id, patch, by) =>
    database.write(function* () {
      const before = yield* queries.find.first({ id });
      if (before === undefined) throw deviceNotFound();
      if (patch.subscriptionStatus === 'active' && before.active === 0) yield* reserve(queries, before.user_id);
      const set = patchColumns(seal, id, patch);
      if (Object.keys(set).length === 0) return recordOf(seal, before);
      const after = yield* first(sql.updateTable('devices').set(set).where('id', '=', id).returning(columns));
      if (patch.webhookUrl !== undefined) {
        yield* lanes.giveBackAll(id, context.now());
        yield* lanes.reschedule(id, context.now());
      }
      yield* noteUpdate(note, by, before, patch);
      return recordOf(seal, after!);
    });
};

const list = ({ sql, database }: Context, open: (row: Row) => DeviceRecord): DeviceStore['list'] => {
  const page = (userId: number | null) =>
    prepare((p: { userId: number | null; after: number; limit: number }) =>
      sql
        .selectFrom('devices')
        .select(columns)
        .where('deleted', '=', 0)
        .$if(userId !== null, (query) => query.where('user_id', '=', p.userId))
        .where('id', '>', p.after)
        .orderBy('id')
        .limit(p.limit),
    );
  const ofAll = page(null);
  const ofUser = page(0);
  return async (userId, { limit, cursor }) => {
    const after = cursor === null ? 0 : decodeCursor('devices', 1, cursor)[0]!;
    const query = userId === null ? ofAll : ofUser;
    const rows = await database.read(() => query.all({ userId, after, limit: limit + 1 }));
    return pageOf('devices', rows, limit, { item: open, key: (row) => [row.id] });
  };
};

export const deviceStore = (context: Context, owners: Owners): DeviceStore => {
  const { sql, seal, database } = context;
  const queries = queriesOf(context);
  const open = makeOpener(seal);
  return {
    create: create(context, queries),
    find: async (id) => {
      const row = await database.read(() => queries.find.first({ id }));
      return row === undefined ? null : open(row);
    },
    list: list(context, open),
    update: update(context, queries),
    ...owners,
    countActive: async (userId) => {
      const row = await database.read(() => queries.countActive.first({ userId }));
      return row!.count;
    },
    listRestorable: async () => {
      const query = sql
        .selectFrom('devices')
        .select('id')
        .where('active', '=', 1)
        .where('deleted', '=', 0)
        .where('account', 'is not', null)
        .orderBy('id');
      return (await database.read(() => all(query))).map((row) => row.id);
    },
  };
};
