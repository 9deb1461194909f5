/** Devices: created, read, changed and counted. */
import type { LookUpStore } from '../../domain/chats/contact.ts';
import { writeCreation } from '../messages/idempotency.ts';
import type { KeyChange } from '../../domain/changes.ts';
import type { DeviceStore, MovedLink } from '../../domain/stores.ts';
import type { Context, WrittenEvent } from '../base/context.ts';
import { decodeCursor, pageOf } from '../base/listed.ts';
import { devicesIn, recordOf, type DeviceRow } from '../webhooks/device-rows.ts';
import { all, prepare, type Unit, first } from '../base/unit.ts';
import type { Actor, AuditDetail } from '../../domain/audit.ts';
import type { DevicePatch, DeviceRecord } from '../../domain/device.ts';
import type { WebhookSettings } from '../../domain/webhooks/webhook.ts';
import { deviceLimitReached, deviceNotFound, notFound } from '../../errors.ts';
import { type WriteAudit, auditWriter } from '../sealing/audit.ts';
import { finishRemoval, movingIn, removeDevice } from './device-removal.ts';
import { changedSettings } from '../sealing/stored-settings.ts';
import { authenticationWriter } from '../commit/changes.ts';
import { eventWriter } from '../commit/event-writer.ts';
import {
  changeWebhook,
  findPrimary,
  insertWebhook,
  makeRevision,
  noteWebhook,
  rescheduled,
} from '../webhooks/webhooks.ts';
import { contextOf, type Sealer } from '../sealing/sealer.ts';
import { finding } from '../base/statements.ts';

const deviceReader = (context: Context): Pick<DeviceStore, 'find' | 'findMany' | 'list' | 'ownerOf'> => {
  const { sql, sealer, database } = context;
  const byId = prepare((p: { id: number }) => devicesIn(sql).where('v.id', '=', p.id));
  const owner = finding(context, 'devices', ['user_id'], ['id', 'deleted']);
  return {
    find: async (id) => {
      const row = await database.read(() => byId.first({ id }));
      return row === undefined ? null : recordOf(sealer, row);
    },
    findMany: async (ids) => {
      if (ids.length === 0) return [];
      const rows = await database.read(() => all(devicesIn(sql).where('v.id', 'in', ids)));
      return rows.map((row) => recordOf(sealer, row));
    },
    ownerOf: async (id) => (await database.read(() => owner.first({ id, deleted: 0 })))?.user_id ?? null,
    list: async (userId, { limit, cursor }, only = null) => {
      const after = cursor === null ? 0 : decodeCursor('devices', 1, cursor)[0]!;
      let query = devicesIn(sql).where('v.id', '>', after);
      if (userId !== null) query = query.where('v.user_id', '=', userId);
      if (only !== null) query = query.where('v.id', 'in', only);
      const rows = await database.read(() => all(query.orderBy('v.id').limit(limit + 1)));
      return pageOf('devices', rows, limit, { item: (row) => recordOf(sealer, row), key: ({ id }) => [id] });
    },
  };
};

const queriesOf = ({ sql }: Context) => ({
  find: prepare((p: { id: number }) => devicesIn(sql).where('v.id', '=', p.id)),
  // Locks the user's row, so that two devices cannot take the last free slot.
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
      .where((e) => e.and({ user_id: p.userId, active: 1, deleted: 0 })),
  ),
});

type Queries = ReturnType<typeof queriesOf>;

interface Made {
  readonly told: readonly WrittenEvent[];
  readonly record: DeviceRecord;
}

function* reserve(queries: Queries, userId: number): Unit<void> {
  const user = yield* queries.lockUser.first({ userId });
  if (user === undefined) throw notFound('User');
  const active = (yield* queries.countActive.first({ userId }))!.count;
  if (active >= user.device_limit) throw deviceLimitReached(active, user.device_limit);
}

const primarySettings = { chats: null, headers: {}, ordered: true, settleSeconds: null } as const;

const keysAtOnce = 200;

const stepsOfCreation = (context: Context, queries: Queries) => {
  const { sql, sealer } = context;
  const writeEvents = eventWriter(context);
  const writeAuthentication = authenticationWriter(context);
  const note = auditWriter(context);
  function* insert(userId: number, now: number, state: { deleted: number; active: number }): Unit<number> {
    yield* reserve(queries, userId);
    const values = { user_id: userId, name: '', webhooks_revision: makeRevision(), created_at: now, ...state };
    return (yield* first(sql.insertInto('devices').values(values).returning('id')))!.id;
  }
  function* receive(id: number, userId: number, { credentials, settings, action }: MovedLink, by?: Actor): Unit<void> {
    yield* writeAuthentication(id, { credentials });
    if (Object.keys(settings).length > 0) {
      const kept = changedSettings(sealer, (yield* queries.find.first({ id }))!, settings);
      yield* all(sql.updateTable('devices').set(kept).where('id', '=', id));
    }
    yield* note(by, action, { userId, deviceId: id });
  }
  const complete: (id: number, ...given: Parameters<DeviceStore['create']>) => Unit<Made> = function* (
    id,
    device,
    now,
    by,
    once,
  ) {
    const { userId, webhookUrl: url, webhookEvents: events, proxy = null, link } = device;
    const settings = { ...primarySettings, url, events, enabled: url !== null };
    yield* insertWebhook(context, { userId, deviceId: id, isPrimary: true, createdAt: now }, settings);
    const name = device.name ?? `Device ${id}`;
    const sealedProxy = proxy === null ? null : sealer.sealJson(proxy, contextOf('devices.proxy', { id }));
    yield* all(sql.updateTable('devices').set({ name, proxy: sealedProxy }).where('id', '=', id));
    const event = { type: 'device.created', data: { name } } as const;
    const account = link === undefined ? {} : { account: link.account };
    const told = yield* writeEvents(id, { facts: [{ event, at: now }], ...account });
    yield* note(by, 'device.created', { userId, deviceId: id });
    if (link !== undefined) yield* receive(id, userId, link, by);
    yield* writeCreation(context, once, { id });
    return { told, record: recordOf(sealer, (yield* queries.find.first({ id }))!) };
  };
  return { insert, complete };
};

const create = (context: Context, queries: Queries): DeviceStore['create'] => {
  const { sql, database, published } = context;
  const writeAuthentication = authenticationWriter(context);
  const { insert, complete } = stepsOfCreation(context, queries);
  /** A link has thousands of keys, and others take their turns in between. Until all are there nobody sees the device, and a crash ends it. */
  const moveIn = async (keys: readonly KeyChange[], ...given: Parameters<DeviceStore['create']>): Promise<Made> => {
    const [{ userId }, now] = given;
    const id = await database.write(() => insert(userId, now, { deleted: movingIn, active: 0 }));
    try {
      for (let from = 0; from < keys.length; from += keysAtOnce)
        await database.write(() => writeAuthentication(id, { keys: keys.slice(from, from + keysAtOnce) }));
      const unit = function* () {
        yield* reserve(queries, userId);
        const shown = { deleted: 0, active: 1 };
        yield* all(sql.updateTable('devices').set(shown).where('id', '=', id));
        return yield* complete(id, ...given);
      };
      return await database.write(unit, { committed: ({ told }) => published(told) });
    } catch (error) {
      await finishRemoval(context, id);
      throw error;
    }
  };
  return async (...given) => {
    const [{ userId, link }, now] = given;
    if (link !== undefined) return (await moveIn(link.keys, ...given)).record;
    const unit = function* () {
      return yield* complete(yield* insert(userId, now, { deleted: 0, active: 1 }), ...given);
    };
    return (await database.write(unit, { committed: ({ told }) => published(told) })).record;
  };
};

const patchColumns = (sealer: Sealer, before: DeviceRow, patch: DevicePatch) => {
  const { name, subscriptionStatus } = patch;
  const { proxy, ...settings } = patch.settings ?? {};
  const context = contextOf('devices.proxy', before);
  return {
    ...(name === undefined ? {} : { name }),
    ...(subscriptionStatus === undefined ? {} : { active: subscriptionStatus === 'active' ? 1 : 0 }),
    ...(Object.keys(settings).length === 0 ? {} : changedSettings(sealer, before, settings)),
    ...(proxy === undefined ? {} : { proxy: proxy === null ? null : sealer.sealJson(proxy, context) }),
  };
};

const webhookPatch = ({ webhookUrl: url, webhookEvents: events }: DevicePatch): Partial<WebhookSettings> => ({
  ...(url === undefined ? {} : { url, enabled: url !== null }),
  ...(events === undefined ? {} : { events }),
});

/** Names of members only: a URL may carry a token. */
function* noteUpdate(note: WriteAudit, by: Actor | undefined, before: DeviceRow, patch: DevicePatch): Unit<void> {
  const { settings = {}, webhookUrl: _url, webhookEvents: _events, ...fields } = patch;
  const members = [...Object.keys(fields), ...Object.keys(settings)];
  const { subscriptionStatus } = patch;
  const detail: AuditDetail = subscriptionStatus === undefined ? {} : { subscriptionStatus };
  const subject = { userId: before.user_id, deviceId: before.id };
  if (members.length > 0) yield* note(by, 'device.updated', subject, { members, ...detail });
}

const update = (context: Context, queries: Queries): DeviceStore['update'] => {
  const { sql, sealer, database } = context;
  const note = auditWriter(context);
  return async (id, patch, by) => {
    const ofWebhook = webhookPatch(patch);
    const members = Object.keys(patch).filter((member) => member.startsWith('webhook'));
    const { record, webhook } = await database.write(function* () {
      const before = yield* queries.find.first({ id });
      if (before === undefined) throw deviceNotFound();
      if (patch.subscriptionStatus === 'active' && before.active === 0) yield* reserve(queries, before.user_id);
      const set = patchColumns(sealer, before, patch);
      if (Object.keys(set).length > 0) yield* all(sql.updateTable('devices').set(set).where('id', '=', id));
      yield* noteUpdate(note, by, before, patch);
      let changed = null;
      if (members.length > 0) {
        changed = yield* changeWebhook(context, yield* findPrimary(context, id), ofWebhook);
        yield* noteWebhook(context, by, 'webhook.updated', changed, { members });
      }
      return { record: recordOf(sealer, (yield* queries.find.first({ id }))!), webhook: changed };
    });
    if (webhook !== null) await rescheduled(context, webhook, ofWebhook);
    return record;
  };
};

export const deviceStore = (context: Context): DeviceStore => {
  const { database } = context;
  const queries = queriesOf(context);
  return {
    create: create(context, queries),
    ...deviceReader(context),
    update: update(context, queries),
    delete: removeDevice(context),
    countActive: async (userId) => {
      const row = await database.read(() => queries.countActive.first({ userId }));
      return row!.count;
    },
  };
};

const dayMs = 86_400_000;

/** Counts look-ups per device and day in one statement, so that the limit holds across nodes. */
export const lookUpStore = ({ sql, database }: Pick<Context, 'sql' | 'database'>): LookUpStore => ({
  take: async (deviceId, kind, { count, max, now }) => {
    const day = Math.floor(now / dayMs);
    const query = sql
      .insertInto('look_ups')
      .values({ device_id: deviceId, kind, day, count })
      .onConflict((c) =>
        c
          .columns(['device_id', 'kind'])
          .doUpdateSet((e) => ({
            day,
            count: e
              .case()
              .when('look_ups.day', '=', day)
              .then(e('look_ups.count', '+', count))
              .else(count)
              .end(),
          }))
          .where((e) => e.or([e('look_ups.day', '!=', day), e('look_ups.count', '<=', max - count)])),
      )
      .returning('count');
    return (await database.write(() => first(query))) !== undefined;
  },
});
