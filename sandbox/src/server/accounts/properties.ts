/** AB properties of an account: the switches that the network tells a client by number. */
import { createHash } from 'node:crypto';
import { type BinaryNode, proto } from 'baileys';
import type { Account } from '../../base/types.ts';
import { element } from '../../base/nodes.ts';
import type { HubState } from '../state/state.ts';

/** `lid_one_on_one_migration_enabled` (zapo spec/abprops, 2026-08); absent for other accounts (whatsapp-rust #941, 2026-07-02). */
const MIGRATION_PROPERTY = '9435';

/** `<client-props>` of `pair-success` (whatsmeow pair.go, 2026-08). */
export const clientProps = ({ migrated, migrationTold }: Account): BinaryNode[] => {
  if (!migrationTold.includes('clientProps')) return [];
  const props = proto.ClientPairingProps.encode({ isChatDbLidMigrated: migrated }).finish();
  return [element('client-props', {}, props)];
};

const migrationProperty = ({ migrated, migrationTold }: Account): Readonly<Record<string, string>> =>
  migrated && migrationTold.includes('property') ? { [MIGRATION_PROPERTY]: 'true' } : {};

/** A client that sends the hash of those it knows gets the changes (whatsapp-rust `fetch_props`, zapo `WaAbPropsCoordinator`; 2026-08). */
type Properties = Readonly<Record<string, string>>;

const hashBytes = 6;

const hashOf = (properties: Properties): string =>
  createHash('sha256').update(JSON.stringify(properties)).digest().subarray(0, hashBytes).toString('base64');

/** Null if a property was removed, which a delta cannot express. */
const changesOf = (before: Properties, now: Properties): Properties | null =>
  Object.keys(before).some((code) => now[code] === undefined)
    ? null
    : Object.fromEntries(Object.entries(now).filter(([code, value]) => before[code] !== value));

/** The answer to a client that sends `hash`. */
export const propertiesFor = (hub: HubState, account: Account, hash: string | undefined): BinaryNode => {
  const now = { ...migrationProperty(account), ...hub.faults.properties };
  const before = hash === undefined ? undefined : hub.propertySets.get(hash);
  const changes = before === undefined ? null : changesOf(before, now);
  hub.propertySets.set(hashOf(now), now);
  const attrs = {
    protocol: '1',
    ab_key: 'sandbox',
    hash: hashOf(now),
    refresh: '86400',
    refresh_id: '1',
    delta_update: String(changes !== null),
  };
  const told = Object.entries(changes ?? now).map(([code, value]) =>
    element('prop', { config_code: code, config_value: value }),
  );
  return element('props', attrs, told);
};
