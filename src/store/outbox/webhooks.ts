/** The webhook of each device: its secrets and its health. The URL and the kinds are set with the device. */
import { randomBytes } from 'node:crypto';
import type { Webhook } from '../../domain/delivery.ts';
import type { WebhookStore } from '../../domain/stores.ts';
import { deviceNotFound } from '../../errors.ts';
import { auditWriter } from '../users/audit.ts';
import type { Context } from '../context.ts';
import { openUrl } from '../devices/device-rows.ts';
import type { SealedJson } from '../sealing/seal.ts';
import { type Unit, all, first, prepare } from '../unit.ts';

export const secretContext = (deviceId: number): string => `devices.webhook_secret/${deviceId}`;

/** Standard Webhooks: `whsec_` and base64 of 24 to 64 bytes. */
const makeSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Opened values kept. */
const maxOpened = 2_000;

/** What is sealed is opened again only when it has changed: it is asked for with every post. */
const makeOpened = <T>() => {
  const known = new Map<string, { readonly sealed: SealedJson<T>; readonly value: T }>();
  return (name: string, sealed: SealedJson<T>, open: (sealed: SealedJson<T>) => T): T => {
    const before = known.get(name);
    if (before !== undefined && Buffer.compare(before.sealed, sealed) === 0) return before.value;
    const value = open(sealed);
    if (known.size >= maxOpened) known.clear();
    known.set(name, { sealed, value });
    return value;
  };
};

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

const hasSecret = (row: Row): row is RowWithSecret => row.webhook_secret !== null;

const opener = ({ seal }: Context): ((row: RowWithSecret) => Webhook) => {
  const opened = makeOpened<string>();
  const secretOf = (deviceId: number, sealed: SealedJson<string>): string =>
    seal.openJson(sealed, secretContext(deviceId));
  return (row) => ({
    deviceId: row.id,
    url: row.webhook_url && opened(`url ${row.id}`, row.webhook_url, (sealed) => openUrl(seal, row.id, sealed)!),
    secret: opened(`secret ${row.id}`, row.webhook_secret, (sealed) => secretOf(row.id, sealed)),
    previousSecret: row.previous_secret === null ? null : secretOf(row.id, row.previous_secret),
    previousSecretUntil: row.previous_secret_until,
    disabledAt: row.disabled_at,
    failingSince: row.failing_since,
    lastSuccessAt: row.last_success_at,
  });
};

export const webhookStore = (context: Context): WebhookStore => {
  const { sql, seal, database, known } = context;
  const note = auditWriter(context);
  const find = findQuery(context);
  const webhookOf = opener(context);

  function* findOrMakeSecret(id: number): Unit<RowWithSecret> {
    const row = yield* find.first({ id });
    if (row === undefined) throw deviceNotFound();
    if (hasSecret(row)) return row;
    known?.forget(id);
    const secret = seal.sealJson(makeSecret(), secretContext(id));
    const query = sql.updateTable('devices').set({ webhook_secret: secret }).where('id', '=', id);
    const made = yield* first(query.where('webhook_secret', 'is', null).returning(columns));
    return made === undefined ? yield* findOrMakeSecret(id) : { ...made, webhook_secret: secret };
  }

  function* read(id: number): Unit<Webhook | null> {
    const row = yield* find.first({ id });
    if (row === undefined) throw deviceNotFound();
    if (!hasSecret(row)) return null;
    const webhook = webhookOf(row);
    // In the turn in which it was read.
    known?.keepTarget(webhook);
    return webhook;
  }
  const get = async (id: number): Promise<Webhook> =>
    (await database.read(() => read(id))) ?? webhookOf(await database.write(() => findOrMakeSecret(id)));

  return {
    get,
    target: async (id) => known?.target(id) ?? get(id),
    rotateSecret: (id, previousUntil, by) =>
      database.write(function* () {
        const { webhook_secret: former } = yield* findOrMakeSecret(id);
        known?.forget(id);
        const secret = seal.sealJson(makeSecret(), secretContext(id));
        const set = { webhook_secret: secret, previous_secret: former, previous_secret_until: previousUntil };
        const row = yield* first(sql.updateTable('devices').set(set).where('id', '=', id).returning(columns));
        yield* note(by, 'webhook.secret_rotated', { deviceId: id });
        return webhookOf({ ...row!, webhook_secret: secret });
      }),
    disable: (id, now) =>
      database.write(function* () {
        const set = { disabled_at: now, queue_at: null };
        known?.forget(id);
        yield* all(sql.updateTable('devices').set(set).where('id', '=', id));
        yield* note(undefined, 'webhook.disabled', { deviceId: id }, { reason: 'the endpoint answered 410' });
      }),
  };
};

type UnitResult<U> = U extends Unit<infer T> ? T : never;
