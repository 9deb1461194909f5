/** Device rows joined with their primary webhook, and the record built from them. */
import type { InferResult, Kysely } from 'kysely';
import { type DeviceRecord, type DeviceSettings, defaultSettings } from '../../domain/device.ts';
import type { AccountLimits } from '../../domain/account-limits.ts';
import type { Schema } from '../base/schema.ts';
import { contextOf, type Sealer } from '../sealing/sealer.ts';
import { settingsOf } from '../sealing/stored-settings.ts';

export const devicesIn = (sql: Kysely<Schema>) =>
  sql
    .selectFrom('devices as v')
    .innerJoin('webhooks as w', (join) => join.onRef('w.device_id', '=', 'v.id').on('w.is_primary', '=', 1))
    .select([
      'v.id',
      'v.user_id',
      'v.name',
      'v.active',
      'w.id as webhook_id',
      'w.data as webhook_data',
      'w.events as webhook_events',
      'v.messages_sent',
      'v.created_at',
      'v.account',
      'v.announced_open',
      'v.pairing_at',
      'v.last_seen_at',
      'v.settings',
      'v.sealed_settings',
      'v.limits',
      'v.proxy',
    ])
    .where('v.deleted', '=', 0);

export type DeviceRow = InferResult<ReturnType<typeof devicesIn>>[number];

const allSettingsOf = (sealer: Sealer, row: DeviceRow): DeviceSettings => {
  if (row.settings === null && row.sealed_settings === null && row.proxy === null) return defaultSettings;
  const proxy = row.proxy === null ? null : sealer.openKept(row.proxy, contextOf('devices.proxy', row));
  return { ...settingsOf(sealer, row), proxy };
};

/** Plain JSON: numbers, times and flags. */
const limitsOf = ({ limits }: Pick<DeviceRow, 'limits'>): AccountLimits | null =>
  limits === null ? null : JSON.parse(limits);

export const recordOf = (sealer: Sealer, row: DeviceRow): DeviceRecord => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  messagesSent: row.messages_sent,
  subscriptionStatus: row.active === 1 ? 'active' : 'inactive',
  createdAt: row.created_at,
  announcedOpen: row.announced_open === 1,
  pairingAt: row.pairing_at,
  lastSeenAt: row.last_seen_at,
  webhookUrl: sealer.openKept(row.webhook_data!, contextOf('webhooks.data', { id: row.webhook_id })).url,
  webhookEvents: JSON.parse(row.webhook_events),
  settings: allSettingsOf(sealer, row),
  limits: limitsOf(row),
  account: row.account === null ? null : sealer.openKept(row.account, contextOf('devices.account', row)),
});
