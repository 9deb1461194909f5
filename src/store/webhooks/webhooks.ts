/** The webhook of each device: its secrets and its health. The URL and the kinds are set with the device. */
import type { Webhook } from '../../domain/delivery.ts';
import type { WebhookStore } from '../../domain/stores.ts';
import { deviceNotFound } from '../../errors.ts';
import { auditWriter } from '../sealing/audit.ts';
import type { Context } from '../base/context.ts';
import type { Sealer, SealedJson } from '../sealing/sealer.ts';
import { type Unit, all, first, prepare } from '../base/unit.ts';
import { additionalStore, additionalTarget } from './additional.ts';
import { makeSecret } from './secret.ts';

export const urlContext = (deviceId: number): string => `devices.webhook_url/${deviceId}`;
export const secretContext = (deviceId: number): string => `devices.webhook_secret/${deviceId}`;

const columns = [
  'id',
  'webhook_url',
  'webhook_secret',
  'previous_secret',
  'previous_secret_until',
  'disabled_at',
  'failing_since',
  'last_success_at',
] as const;

const findQuery = ({ sql }: Context) =>
  prepare((p: { id: number }) =>
    sql.selectFrom('devices').select(columns).where('id', '=', p.id).where('deleted', '=', 0),
  );

type Row = NonNullable<UnitResult<ReturnType<ReturnType<typeof findQuery>['first']>>>;
type RowWithSecret = Row & { readonly webhook_secret: SealedJson<string> };

export const openUrl = (sealer: Sealer, deviceId: number, sealed: SealedJson<string> | null): string | null =>
  sealed === null ? null : sealer.openKept(sealed, urlContext(deviceId));

const webhookOf = (sealer: Sealer, row: RowWithSecret): Webhook => ({
  deviceId: row.id,
  webhookId: 0,
  url: openUrl(sealer, row.id, row.webhook_url),
  secret: sealer.openKept(row.webhook_secret, secretContext(row.id)),
  previousSecret: row.previous_secret === null ? null : sealer.openJson(row.previous_secret, secretContext(row.id)),
  previousSecretUntil: row.previous_secret_until,
  disabledAt: row.disabled_at,
  failingSince: row.failing_since,
  lastSuccessAt: row.last_success_at,
});

export const webhookStore = (context: Context): WebhookStore => {
  const { sql, sealer, database } = context;
  const note = auditWriter(context);
  const find = findQuery(context);
  const additional = additionalTarget(context);

  function* findOrMakeSecret(id: number): Unit<RowWithSecret> {
    const row = yield* find.first({ id });
    if (row === undefined) throw deviceNotFound();
    if (row.webhook_secret !== null) return { ...row, webhook_secret: row.webhook_secret };
    const secret = sealer.sealJson(makeSecret(), secretContext(id));
    const query = sql.updateTable('devices').set({ webhook_secret: secret }).where('id', '=', id);
    const made = yield* first(query.where('webhook_secret', 'is', null).returning(columns));
    return made === undefined ? yield* findOrMakeSecret(id) : { ...made, webhook_secret: secret };
  }

  return {
    get: async (id, webhookId = 0) => {
      if (webhookId !== 0) return additional.get(id, webhookId);
      const row = await database.read(() => find.first({ id }));
      if (row === undefined) throw deviceNotFound();
      const { webhook_secret } = row;
      const known =
        webhook_secret === null ? await database.write(() => findOrMakeSecret(id)) : { ...row, webhook_secret };
      return webhookOf(sealer, known);
    },
    rotateSecret: (id, previousUntil, by) =>
      database.write(function* () {
        const { webhook_secret: former } = yield* findOrMakeSecret(id);
        const secret = sealer.sealJson(makeSecret(), secretContext(id));
        const set = { webhook_secret: secret, previous_secret: former, previous_secret_until: previousUntil };
        const row = yield* first(sql.updateTable('devices').set(set).where('id', '=', id).returning(columns));
        yield* note(by, 'webhook.secret_rotated', { deviceId: id });
        return webhookOf(sealer, { ...row!, webhook_secret: secret });
      }),
    disable: async (id, now, webhookId = 0) => {
      if (webhookId !== 0) return additional.disable(webhookId, now);
      await database.write(function* () {
        const set = { disabled_at: now, queue_at: null };
        yield* all(sql.updateTable('devices').set(set).where('id', '=', id));
        yield* note(undefined, 'webhook.disabled', { deviceId: id }, { reason: 'the endpoint answered 410' });
      });
    },
    additional: additionalStore(context),
  };
};

type UnitResult<U> = U extends Unit<infer T> ? T : never;
