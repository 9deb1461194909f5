/** Webhooks. A primary one is made, changed and removed with its device. */
import { writeCreation } from '../messages/idempotency.ts';
import { randomBytes, randomInt } from 'node:crypto';
import type { Actor, AuditAction, AuditDetail } from '../../domain/audit.ts';
import { type Webhook, type WebhookSettings, type WebhookStore, maxWebhooks } from '../../domain/webhooks/webhook.ts';
import { HandsetError, deviceNotFound, notFound } from '../../errors.ts';
import type { Context } from '../base/context.ts';
import { sql as text } from 'kysely';
import { deleteInSteps } from '../base/delete-in-steps.ts';
import { lockDevice, queueWriter, queuesOf } from './delivery-queues.ts';
import { recovery } from './recovery.ts';
import { type Unit, all, first } from '../base/unit.ts';
import { auditWriter } from '../sealing/audit.ts';
import { type WebhookContent, webhookColumns, webhookOf } from './tables.ts';
import { contextOf } from '../sealing/sealer.ts';

/** Standard Webhooks: `whsec_` and base64 of 24 to 64 bytes. */
const makeSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Random, so that the revision of a rolled-back transaction never comes again. */
export const makeRevision = (): number => randomInt(1, 2 ** 47);

type Owner = Pick<Webhook, 'userId' | 'deviceId'>;

/** New events are matched with the webhooks as they are now. Locks the row of the device, or of the user. */
const changeRevision = ({ sql }: Context, { userId, deviceId }: Owner): Unit<unknown> => {
  const revision = { webhooks_revision: makeRevision() };
  return all(
    deviceId === null
      ? sql.updateTable('users').set(revision).where('id', '=', userId)
      : sql.updateTable('devices').set(revision).where('id', '=', deviceId),
  );
};

const present = ({ sql }: Context) => sql.selectFrom('webhooks').select(webhookColumns).where('deleted', '=', 0);

const ofOwner = (context: Context, { userId, deviceId }: Owner) => {
  const query = present(context).where('user_id', '=', userId);
  return deviceId === null ? query.where('device_id', 'is', null) : query.where('device_id', '=', deviceId);
};

function* findOne(context: Context, id: number): Unit<Webhook> {
  const row = yield* first(present(context).where('id', '=', id));
  if (row === undefined) throw notFound('Webhook');
  return webhookOf(context.sealer, row);
}

export function* findPrimary(context: Context, deviceId: number): Unit<Webhook> {
  const row = yield* first(present(context).where('device_id', '=', deviceId).where('is_primary', '=', 1));
  if (row === undefined) throw deviceNotFound();
  return webhookOf(context.sealer, row);
}

const columnsOf = ({ events, enabled, ordered, settleSeconds }: WebhookSettings) => ({
  events: JSON.stringify(events),
  enabled: enabled ? 1 : 0,
  ordered: ordered ? 1 : 0,
  settle_seconds: settleSeconds,
});

const seal = ({ sealer }: Context, id: number, { url, headers, chats, secret, previousSecret }: WebhookContent) =>
  sealer.sealJson({ url, headers, chats, secret, previousSecret }, contextOf('webhooks.data', { id }));

export function* insertWebhook(
  context: Context,
  owner: Pick<Webhook, 'userId' | 'deviceId' | 'isPrimary' | 'createdAt'>,
  settings: WebhookSettings,
): Unit<Webhook> {
  const { sql, sealer } = context;
  const values = {
    user_id: owner.userId,
    device_id: owner.deviceId,
    is_primary: owner.isPrimary ? 1 : 0,
    created_at: owner.createdAt,
    ...columnsOf(settings),
  };
  const { id } = (yield* first(sql.insertInto('webhooks').values(values).returning('id')))!;
  const data = seal(context, id, { ...settings, secret: makeSecret(), previousSecret: null });
  const query = sql.updateTable('webhooks').set({ data }).where('id', '=', id);
  return webhookOf(sealer, (yield* first(query.returning(webhookColumns)))!);
}

export const noteWebhook = (
  context: Context,
  by: Actor | undefined,
  action: AuditAction,
  { id, userId, deviceId, isPrimary }: Webhook,
  detail: AuditDetail = {},
): Unit<void> => {
  const subject = { userId, ...(deviceId === null ? {} : { deviceId }) };
  return auditWriter(context)(by, action, subject, isPrimary ? detail : { webhook: id, ...detail });
};

const create =
  (context: Context): WebhookStore['create'] =>
  (userId, deviceId, settings, by, once) =>
    context.database.write(function* () {
      const owner = { userId, deviceId, isPrimary: false, createdAt: context.now() };
      // First: it locks, so two calls cannot both take the last place.
      yield* changeRevision(context, owner);
      if ((yield* all(ofOwner(context, owner).where('is_primary', '=', 0))).length >= maxWebhooks) {
        const whose = deviceId === null ? 'The account' : 'The device';
        throw new HandsetError('Conflict', `${whose} has the maximum of ${maxWebhooks} webhooks; delete one first`);
      }
      const webhook = yield* insertWebhook(context, owner, settings);
      yield* noteWebhook(context, by, 'webhook.created', webhook);
      yield* writeCreation(context, once, webhook);
      return webhook;
    });

const isRevived = ({ url, enabled }: Partial<WebhookSettings>): boolean => url !== undefined || enabled === true;

/** The owner must be locked. */
function* set(context: Context, { id, deviceId }: Webhook, columns: object): Unit<Webhook> {
  const query = context.sql.updateTable('webhooks').set(columns).where('id', '=', id);
  const row = yield* first(query.returning(webhookColumns));
  if (deviceId !== null) yield* queueWriter(context).reschedule({ deviceId, webhookId: id }, context.now());
  return webhookOf(context.sealer, row!);
}

/** Locks the owner and reads the webhook again. Throws NotFound if it is gone. */
function* locked(context: Context, webhook: Webhook): Unit<Webhook> {
  yield* changeRevision(context, webhook);
  return yield* findOne(context, webhook.id);
}

export function* changeWebhook(context: Context, webhook: Webhook, patch: Partial<WebhookSettings>): Unit<Webhook> {
  const changed = { ...(yield* locked(context, webhook)), ...patch };
  return yield* set(context, changed, {
    ...columnsOf(changed),
    data: seal(context, webhook.id, changed),
    ...(isRevived(patch) ? { disabled_at: null, failing_since: null } : {}),
  });
}

/** One device at a time. For a device's webhook `set` has done it. */
const rescheduleAll = async (context: Context, { id, deviceId }: Webhook): Promise<void> => {
  if (deviceId !== null) return;
  const queues = queueWriter(context);
  for (const key of await queuesOf(context, id)) {
    await context.database.write(function* () {
      yield* lockDevice(context, key.deviceId);
      yield* queues.reschedule(key, context.now());
    });
  }
};

/** After the transaction: deliveries that waited become due, as their schedule may be hours long by now. */
export const rescheduled = async (
  context: Context,
  webhook: Webhook,
  patch: Partial<WebhookSettings>,
): Promise<void> => {
  if (patch.url !== undefined || patch.enabled !== undefined) await rescheduleAll(context, webhook);
  if (webhook.enabled && isRevived(patch)) await recovery(context).bringForward(webhook.id, context.now());
};

const remove = async (context: Context, id: number): Promise<void> => {
  const { sql, database } = context;
  for (const { deviceId } of await queuesOf(context, id)) {
    for (const table of ['delivery_queues', 'attempts'] as const)
      await deleteInSteps(context, table, text`device_id = ${deviceId} and webhook_id = ${id}`);
  }
  await deleteInSteps(context, 'deliveries', text`webhook_id = ${id}`);
  await database.write(function* () {
    yield* all(sql.deleteFrom('webhook_queues').where('webhook_id', '=', id));
    yield* all(sql.deleteFrom('webhooks').where('id', '=', id));
  });
};

export const finishWebhookRemovals = async (context: Context): Promise<void> => {
  const query = context.sql.selectFrom('webhooks').select('id').where('deleted', '=', 1);
  for (const { id } of await context.database.read(() => all(query))) await remove(context, id);
};

export const webhookStore = (context: Context): WebhookStore => {
  const { sealer, database } = context;
  return {
    create: create(context),
    get: (id) => database.read(() => findOne(context, id)),
    primary: (deviceId) => database.read(() => findPrimary(context, deviceId)),
    find: async (userId, deviceId, id) => {
      const row = await database.read(() => first(ofOwner(context, { userId, deviceId }).where('id', '=', id)));
      return row === undefined ? null : webhookOf(sealer, row);
    },
    list: async (userId, deviceId) => {
      const query = ofOwner(context, { userId, deviceId }).orderBy('is_primary', 'desc').orderBy('id');
      return (await database.read(() => all(query))).map((row) => webhookOf(sealer, row));
    },
    update: async (webhook, patch, by) => {
      const after = await database.write(function* () {
        const changed = yield* changeWebhook(context, webhook, patch);
        yield* noteWebhook(context, by, 'webhook.updated', webhook, { members: Object.keys(patch) });
        return changed;
      });
      await rescheduled(context, after, patch);
      return after;
    },
    rotateSecret: (webhook, previousUntil, by) =>
      database.write(function* () {
        const before = yield* locked(context, webhook);
        const data = seal(context, webhook.id, { ...before, secret: makeSecret(), previousSecret: before.secret });
        const after = yield* set(context, before, { data, previous_secret_until: previousUntil });
        yield* noteWebhook(context, by, 'webhook.secret_rotated', webhook);
        return after;
      }),
    disable: async (webhook, at) => {
      await database.write(function* () {
        yield* set(context, yield* locked(context, webhook), { disabled_at: at });
        yield* noteWebhook(context, undefined, 'webhook.disabled', webhook, { reason: 'the endpoint answered 410' });
      });
      await rescheduleAll(context, webhook);
    },
    delete: async (webhook, by) => {
      await database.write(function* () {
        yield* set(context, yield* locked(context, webhook), { deleted: 1, enabled: 0 });
        yield* noteWebhook(context, by, 'webhook.deleted', webhook);
      });
      await rescheduleAll(context, webhook);
      await remove(context, webhook.id);
    },
  };
};
