/** A device's row, and the record that it stands for. */
import type { Selectable } from 'kysely';
import { type DeviceRecord, type DeviceSettings, defaultSettings } from '../../domain/device.ts';
import type { EventKind } from '../../domain/event.ts';
import type { AccountLimits } from '../../domain/account-limits.ts';
import type { DevicesTable } from '../base/schema.ts';
import { openUrl } from './webhooks.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { settingsOf } from '../sealing/stored-settings.ts';

export const accountContext = (deviceId: number): string => `devices.account/${deviceId}`;

export const proxyContext = (deviceId: number): string => `devices.proxy/${deviceId}`;

export const deviceColumns = [
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
  'settings',
  'sealed_settings',
  'limits',
  'proxy',
] as const;

export type DeviceRow = Pick<Selectable<DevicesTable>, (typeof deviceColumns)[number]>;

/** The kinds as they were stored with the device. */
const kindsOf = (row: { readonly webhook_events: string }): readonly EventKind[] => JSON.parse(row.webhook_events);

const allSettingsOf = (sealer: Sealer, row: DeviceRow): DeviceSettings => {
  if (row.settings === null && row.sealed_settings === null && row.proxy === null) return defaultSettings;
  const proxy = row.proxy === null ? null : sealer.openKept(row.proxy, proxyContext(row.id));
  return { ...settingsOf(sealer, row), proxy };
};

/** As JSON, since a number, a time or a flag of each is all that it has. */
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
  webhookUrl: openUrl(sealer, row.id, row.webhook_url),
  webhookEvents: kindsOf(row),
  settings: allSettingsOf(sealer, row),
  limits: limitsOf(row),
  account: row.account === null ? null : sealer.openKept(row.account, accountContext(row.id)),
});
