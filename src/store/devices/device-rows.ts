/** A device's row, and the record that it stands for. */
import type { DeviceRecord } from '../../domain/device.ts';
import type { EventKind } from '../../domain/event.ts';
import type { Account } from '../../domain/session-state.ts';
import type { Seal, SealedJson } from '../sealing/seal.ts';

export const accountContext = (deviceId: number): string => `devices.account/${deviceId}`;
export const urlContext = (deviceId: number): string => `devices.webhook_url/${deviceId}`;

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
] as const;

export interface DeviceRow {
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

const plainOf = (row: DeviceRow) => ({
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

export const recordOf = (seal: Seal, row: DeviceRow): DeviceRecord => ({
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

const samePlain = (a: DeviceRow, b: DeviceRow): boolean =>
  a.name === b.name &&
  a.active === b.active &&
  a.messages_sent === b.messages_sent &&
  a.announced_open === b.announced_open &&
  a.pairing_at === b.pairing_at &&
  a.last_seen_at === b.last_seen_at;

/** As `recordOf`; what is sealed is opened again only when it has changed, for the row is asked for with every request. */
export const makeOpener = (seal: Seal): ((row: DeviceRow) => DeviceRecord) => {
  const opened = new Map<number, { readonly row: DeviceRow; readonly record: DeviceRecord }>();
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
