/** Devices, and the removal of every trace of one. */
import type { Actor, AuditDetail } from '../../domain/audit.ts';
import type { DevicePatch } from '../../domain/device.ts';
import type { DeviceStore } from '../../domain/stores.ts';
import { deviceLimitReached, deviceNotFound, notFound } from '../../errors.ts';
import { type WriteAudit, auditWriter } from '../sealing/audit.ts';
import type { Context } from '../base/context.ts';
import { deviceReader } from './device-reader.ts';
import { removeDevice } from './device-removal.ts';
import { type DeviceRow, deviceColumns, proxyContext, recordOf } from '../webhooks/device-rows.ts';
import { changedSettings } from '../sealing/stored-settings.ts';
import { eventWriter } from '../commit/event-writer.ts';
import { urlContext } from '../webhooks/webhooks.ts';
import { queueWriter } from '../webhooks/delivery-queues.ts';
import { ownQueues } from '../webhooks/queues.ts';
import { recovery } from '../webhooks/recovery.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { type Unit, first, prepare } from '../base/unit.ts';

const queriesOf = ({ sql }: Context) => ({
  find: prepare((p: { id: number }) =>
    sql.selectFrom('devices').select(deviceColumns).where('id', '=', p.id).where('deleted', '=', 0),
  ),
  // Changes nothing but locks the user's row, so that two devices cannot take the last free slot at once.
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

const create = (context: Context, queries: Queries): DeviceStore['create'] => {
  const { sql, sealer, database, published } = context;
  const writeEvents = eventWriter(context);
  return async (device, now, by) => {
    const unit = function* () {
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
          .returning(deviceColumns),
      );
      const { id } = made!;
      const { proxy = null } = device;
      const set = {
        name: device.name ?? `Device ${id}`,
        proxy: proxy === null ? null : sealer.sealJson(proxy, proxyContext(id)),
        webhook_url: device.webhookUrl === null ? null : sealer.sealJson(device.webhookUrl, urlContext(id)),
      };
      const row = yield* first(sql.updateTable('devices').set(set).where('id', '=', id).returning(deviceColumns));
      const event = { type: 'device.created', data: { name: set.name } } as const;
      const told = yield* writeEvents(id, { events: [{ event, at: now, orderKey: 'device' }] }, new Set());
      yield* auditWriter(context)(by, 'device.created', { userId: device.userId, deviceId: id });
      return { told, record: recordOf(sealer, row!) };
    };
    return (await database.write(unit, ({ told }) => published(told))).record;
  };
};

/**
 * Setting any URL re-enables a webhook that a 410 has stopped. While the URL is null, pending deliveries stay and
 * go out when a URL is set again (`retention.ts` says how long they are kept).
 */
const patchColumns = (sealer: Sealer, before: DeviceRow, patch: DevicePatch) => {
  const { id } = before;
  const { name, webhookUrl, webhookEvents, subscriptionStatus } = patch;
  const { proxy, ...settings } = patch.settings ?? {};
  return {
    ...(name === undefined ? {} : { name }),
    ...(webhookUrl === undefined
      ? {}
      : {
          webhook_url: webhookUrl === null ? null : sealer.sealJson(webhookUrl, urlContext(id)),
          disabled_at: null,
          failing_since: null,
        }),
    ...(webhookEvents === undefined ? {} : { webhook_events: JSON.stringify(webhookEvents) }),
    ...(subscriptionStatus === undefined ? {} : { active: subscriptionStatus === 'active' ? 1 : 0 }),
    ...(Object.keys(settings).length === 0 ? {} : changedSettings(sealer, before, settings)),
    ...(proxy === undefined ? {} : { proxy: proxy === null ? null : sealer.sealJson(proxy, proxyContext(id)) }),
  };
};

/** Records the names of the members only, because a URL may carry a token. */
function* noteUpdate(note: WriteAudit, by: Actor | undefined, before: DeviceRow, patch: DevicePatch): Unit<void> {
  const subject = { userId: before.user_id, deviceId: before.id };
  const { settings = {}, ...fields } = patch;
  const members = [...Object.keys(fields), ...Object.keys(settings)];
  const ofWebhook = members.filter((member) => member.startsWith('webhook'));
  const others = members.filter((member) => !ofWebhook.includes(member));
  const { subscriptionStatus } = patch;
  const detail: AuditDetail = subscriptionStatus === undefined ? {} : { subscriptionStatus };
  if (others.length > 0) yield* note(by, 'device.updated', subject, { members: others, ...detail });
  if (ofWebhook.length > 0) yield* note(by, 'webhook.updated', subject, { members: ofWebhook });
}

const update = (context: Context, queries: Queries): DeviceStore['update'] => {
  const { sql, sealer, database } = context;
  const queues = queueWriter(context, ownQueues(context));
  const note = auditWriter(context);
  const { bringForward } = recovery(context);
  return async (id, patch, by) => {
    const record = await database.write(function* () {
      const before = yield* queries.find.first({ id });
      if (before === undefined) throw deviceNotFound();
      if (patch.subscriptionStatus === 'active' && before.active === 0) yield* reserve(queries, before.user_id);
      const set = patchColumns(sealer, before, patch);
      if (Object.keys(set).length === 0) return recordOf(sealer, before);
      const after = yield* first(sql.updateTable('devices').set(set).where('id', '=', id).returning(deviceColumns));
      if (patch.webhookUrl !== undefined) {
        yield* queues.reschedule({ deviceId: id, webhookId: 0 }, context.now());
      }
      yield* noteUpdate(note, by, before, patch);
      return recordOf(sealer, after!);
    });
    // Its schedule may be hours long by now.
    if (typeof patch.webhookUrl === 'string') await bringForward(id, context.now());
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
