/**
 * AB properties: the switches that the network tells a client by number. A client that asks with the hash of what it knows gets what has changed since
 * (whatsapp-rust `fetch_props`, zapo `WaAbPropsCoordinator`; 2026-08).
 */
import { createHash } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import type { Account } from '../../base/types.ts';
import { element } from '../../base/nodes.ts';
import type { HubState } from '../state/state.ts';
import { migrationProperty } from './migration.ts';

type Properties = Readonly<Record<string, string>>;

const hashBytes = 6;

const hashOf = (properties: Properties): string =>
  createHash('sha256').update(JSON.stringify(properties)).digest().subarray(0, hashBytes).toString('base64');

/** Null where one of them is gone: what has changed cannot say that. */
const changesOf = (before: Properties, now: Properties): Properties | null =>
  Object.keys(before).some((code) => now[code] === undefined)
    ? null
    : Object.fromEntries(Object.entries(now).filter(([code, value]) => before[code] !== value));

/** The answer to a client that asks with `hash`. */
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
