/** Additional webhooks: made, changed and removed by their user; read by the dispatcher. */
import { randomInt } from 'node:crypto';
import type { Actor, AuditAction } from '../../domain/audit.ts';
import type { Webhook } from '../../domain/delivery.ts';
import {
  type AdditionalWebhook,
  type AdditionalWebhookStore,
  type WebhookWish,
  mostWebhooks,
} from '../../domain/webhooks/additional.ts';
import { HandsetError, notFound } from '../../errors.ts';
import type { Context } from '../base/context.ts';
import { sql as text } from 'kysely';
import { deleteInSteps } from '../base/delete-in-steps.ts';
import { queueWriter } from './delivery-queues.ts';
import { additionalQueues, queuesOf } from './queues.ts';
import { recovery } from './recovery.ts';
import { lockDevice } from './retry.ts';
import { makeSecret } from './secret.ts';
import { type Unit, all, first } from '../base/unit.ts';
import { auditWriter } from '../sealing/audit.ts';
import { webhookColumns, webhookOf } from './rows.ts';
import { type WebhookContent, webhookContext } from './tables.ts';

const present = ({ sql }: Context) => sql.selectFrom('webhooks').select(webhookColumns).where('deleted', '=', 0);

const ofDevice = (context: Context, userId: number, deviceId: number | null) => {
  const query = present(context).where('user_id', '=', userId);
  return deviceId === null ? query.where('device_id', 'is', null) : query.where('device_id', '=', deviceId);
};

/** From now on every new event of the user's devices is compared with the webhooks as they are. Locks the user's row. */
const changeRevision = ({ sql }: Context, userId: number): Unit<unknown> =>
  all(
    sql
      .updateTable('users')
      .set({ webhooks_revision: randomInt(1, 2 ** 47) })
      .where('id', '=', userId),
  );

const columnsOf = ({ events, enabled, ordered, settleSeconds }: Omit<WebhookWish, 'url' | 'headers' | 'chats'>) => ({
  events: JSON.stringify(events),
  enabled: enabled ? 1 : 0,
  ordered: ordered ? 1 : 0,
  settle_seconds: settleSeconds,
});

const seal = ({ sealer }: Context, id: number, content: WebhookContent) => sealer.sealJson(content, webhookContext(id));

const note = (
  context: Context,
  by: Actor | undefined,
  action: AuditAction,
  { id, userId, deviceId }: AdditionalWebhook,
  members?: readonly string[],
): Unit<void> => {
  const subject = { userId, ...(deviceId === null ? {} : { deviceId }) };
  return auditWriter(context)(by, action, subject, { webhook: id, ...(members === undefined ? {} : { members }) });
};

const create =
  (context: Context): AdditionalWebhookStore['create'] =>
  (userId, deviceId, wish, by) => {
    const { sql, sealer, database, now } = context;
    return database.write(function* () {
      // First, so that two cannot take the last place at once.
      yield* changeRevision(context, userId);
      if ((yield* all(ofDevice(context, userId, deviceId))).length >= mostWebhooks) {
        const whose = deviceId === null ? 'The account' : 'The device';
        throw new HandsetError(
          'Conflict',
          `${whose} has ${mostWebhooks} webhooks, which is the most; delete one first`,
        );
      }
      const values = { user_id: userId, device_id: deviceId, created_at: now(), ...columnsOf(wish) };
      const made = yield* first(sql.insertInto('webhooks').values(values).returning('id'));
      const { id } = made!;
      const { url, headers, chats } = wish;
      const data = seal(context, id, { url, headers, chats, secret: makeSecret(), previousSecret: null });
      const query = sql.updateTable('webhooks').set({ data }).where('id', '=', id);
      const webhook = webhookOf(sealer, (yield* first(query.returning(webhookColumns)))!);
      yield* note(context, by, 'webhook.created', webhook);
      return webhook;
    });
  };

/** Part of the transaction of a change. Throws NotFound when the webhook is gone by now. */
function* set(context: Context, { id, userId }: AdditionalWebhook, columns: object): Unit<AdditionalWebhook> {
  yield* changeRevision(context, userId);
  const query = context.sql.updateTable('webhooks').set(columns).where('id', '=', id).where('deleted', '=', 0);
  const row = yield* first(query.returning(webhookColumns));
  if (row === undefined) throw notFound('Webhook');
  return webhookOf(context.sealer, row);
}

const isRevived = ({ url, enabled }: Partial<WebhookWish>): boolean => url !== undefined || enabled === true;

const changes = (context: Context) => {
  const { database } = context;
  return {
    update: (webhook: AdditionalWebhook, patch: Partial<WebhookWish>, by?: Actor) =>
      database.write(function* () {
        const wish = { ...webhook, ...patch };
        const { url, headers, chats, secret, previousSecret } = wish;
        const after = yield* set(context, webhook, {
          ...columnsOf(wish),
          data: seal(context, webhook.id, { url, headers, chats, secret, previousSecret }),
          ...(isRevived(patch) ? { disabled_at: null, failing_since: null } : {}),
        });
        yield* note(context, by, 'webhook.updated', webhook, Object.keys(patch));
        return after;
      }),
    rotateSecret: (webhook: AdditionalWebhook, previousUntil: number, by?: Actor) =>
      database.write(function* () {
        const { url, headers, chats, secret: previousSecret } = webhook;
        const data = seal(context, webhook.id, { url, headers, chats, secret: makeSecret(), previousSecret });
        const after = yield* set(context, webhook, { data, previous_secret_until: previousUntil });
        yield* note(context, by, 'webhook.secret_rotated', webhook);
        return after;
      }),
    disable: (webhook: AdditionalWebhook, at: number) =>
      database.write(function* () {
        yield* set(context, webhook, { disabled_at: at });
        yield* note(context, undefined, 'webhook.disabled', webhook);
      }),
    hide: (webhook: AdditionalWebhook, by?: Actor) =>
      database.write(function* () {
        yield* set(context, webhook, { deleted: 1, enabled: 0 });
        yield* note(context, by, 'webhook.deleted', webhook);
      }),
  };
};

/** Has all queues of a webhook looked at again, or no longer: after a change of whether it is posted to. */
const reschedule = async (context: Context, webhookId: number): Promise<void> => {
  const queues = queueWriter(context, additionalQueues(context));
  for (const key of await queuesOf(context, webhookId)) {
    await context.database.write(function* () {
      yield* lockDevice(context, key.deviceId);
      yield* queues.reschedule(key, context.now());
    });
  }
};

const remove = async (context: Context, id: number): Promise<void> => {
  const { sql, database } = context;
  await reschedule(context, id);
  for (const table of ['webhook_delivery_queues', 'webhook_deliveries', 'webhook_attempts'] as const)
    await deleteInSteps(context, table, text`webhook_id = ${id}`);
  await database.write(function* () {
    yield* all(sql.deleteFrom('webhook_queues').where('webhook_id', '=', id));
    yield* all(sql.deleteFrom('webhooks').where('id', '=', id));
  });
};

/** Finishes removals that a crash interrupted. */
export const finishWebhookRemovals = async (context: Context): Promise<void> => {
  const query = context.sql.selectFrom('webhooks').select('id').where('deleted', '=', 1);
  for (const { id } of await context.database.read(() => all(query))) await remove(context, id);
};

const findOne = async (context: Context, id: number): Promise<AdditionalWebhook> => {
  const row = await context.database.read(() => first(present(context).where('id', '=', id)));
  if (row === undefined) throw notFound('Webhook');
  return webhookOf(context.sealer, row);
};

/** For those who post. */
export const additionalTarget = (context: Context) => {
  const { disable } = changes(context);
  return {
    get: async (deviceId: number, webhookId: number): Promise<Webhook> => {
      const { enabled, ...webhook } = await findOne(context, webhookId);
      return { ...webhook, deviceId, webhookId, url: enabled ? webhook.url : null };
    },
    disable: async (webhookId: number, at: number): Promise<void> => {
      await disable(await findOne(context, webhookId), at);
      await reschedule(context, webhookId);
    },
  };
};

export const additionalStore = (context: Context): AdditionalWebhookStore => {
  const { sealer, database } = context;
  const { update, rotateSecret, hide } = changes(context);
  const { bringForward } = recovery(context);
  return {
    create: create(context),
    rotateSecret,
    find: async (userId, deviceId, id) => {
      const query = ofDevice(context, userId, deviceId).where('id', '=', id);
      const row = await database.read(() => first(query));
      return row === undefined ? null : webhookOf(sealer, row);
    },
    list: async (userId, deviceId) => {
      const rows = await database.read(() => all(ofDevice(context, userId, deviceId).orderBy('id')));
      return rows.map((row) => webhookOf(sealer, row));
    },
    update: async (webhook, patch, by) => {
      const after = await update(webhook, patch, by);
      if (patch.url !== undefined || patch.enabled !== undefined) await reschedule(context, webhook.id);
      if (isRevived(patch)) await bringForward(-webhook.id, context.now());
      return after;
    },
    delete: async (webhook, by) => {
      await hide(webhook, by);
      await remove(context, webhook.id);
    },
  };
};
