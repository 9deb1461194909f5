/** Notifications of the server: changed device lists, changed identities, prekeys that run low. */
import { createHash } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../base/types.ts';
import { seconds } from '../state/clock.ts';
import { deviceJid } from '../accounts/jid.ts';
import { element, SERVER } from '../../base/nodes.ts';
import { participantHash } from './participants.ts';
import { deliver } from './queue.ts';
import type { HubState } from '../state/state.ts';

const notification = (hub: HubState, from: string, type: string, content: BinaryNode[], lid?: string): BinaryNode =>
  element(
    'notification',
    { id: hub.nextId(), from, type, t: seconds(hub.clock), ...(lid === undefined ? {} : { lid }) },
    content,
  );

const keyIndex = (device: Device): Record<string, string> =>
  device.id === 0 ? {} : { 'key-index': String(device.keyIndex) };

const keyIndexList = (hub: HubState, account: Account): BinaryNode[] => {
  const list = hub.registry.stateOf(account).keyIndexList;
  return list === null ? [] : [element('key-index-list', { ts: seconds(hub.clock) }, list)];
};

const hashBytes = 3;

/**
 * The contact of a hash: LIVE hashes and WA Web `getContactRecordByHash` (whatsapp-rust a5416dae, 2026-08); the account's own name in its contacts, a
 * LID where it is migrated, is hashed.
 */
const contactHash = ({ migrated, lid, number }: Account): string =>
  createHash('md5')
    .update(`${migrated ? lid.split('@')[0]! : number}WA_ADD_NOTIF`)
    .digest()
    .subarray(0, hashBytes)
    .toString('base64');

/** The account's own devices, and everyone who has asked for its device list, hear of a companion that came or went. */
export const announceDevice = (hub: HubState, changed: Device, change: 'add' | 'remove'): void => {
  const { account } = changed;
  const pn = deviceJid(changed, 'pn');
  const lid = deviceJid(changed, 'lid');
  const list = keyIndexList(hub, account);
  const hashes = {
    device_hash: participantHash(account.devices.values(), 'pn'),
    device_lid_hash: participantHash(account.devices.values(), 'lid'),
  };
  // Stock Baileys renews the list of the user named in `jid` alone, and so keeps the one under the LID for ever.
  const again = hub.faults.addressing === 'lenient' ? [element('device', { jid: lid, ...keyIndex(changed) })] : [];
  const content = () => [
    element(change, hashes, [element('device', { jid: pn, lid, ...keyIndex(changed) }), ...again, ...list]),
  ];
  const tell = (target: Device) => {
    if (target !== changed) deliver(hub, target, notification(hub, account.jid, 'devices', content(), account.lid));
  };
  for (const own of account.devices.values()) {
    if (own === changed) continue;
    const devices = [...account.devices.values()].map((device) =>
      element('device', { jid: deviceJid(device, 'pn'), ...keyIndex(device) }),
    );
    const sync = [element('devices', { dhash: hashes.device_hash }, [...devices, ...list])];
    deliver(hub, own, notification(hub, account.jid, 'account_sync', sync));
    tell(own);
  }
  for (const watcher of hub.registry.stateOf(account).watchers) {
    if (watcher === account) continue;
    for (const device of watcher.devices.values()) {
      if (device.id === 0 || hub.faults.deviceNews === 'named') tell(device);
      else {
        const update = element('update', { hash: contactHash(account) });
        deliver(hub, device, notification(hub, watcher.jid, 'devices', [update], watcher.lid));
      }
    }
  }
};

/** A new identity key, as after a reinstalled app. */
export const announceIdentity = (hub: HubState, account: Account): void => {
  for (const watcher of hub.registry.stateOf(account).watchers) {
    if (watcher === account) continue;
    for (const device of watcher.devices.values()) {
      deliver(hub, device, notification(hub, account.jid, 'encrypt', [element('identity')], account.lid));
    }
  }
};

/** The account's other devices hear that one of them has changed the application state. */
export const announceAppState = (hub: HubState, by: Device, name: string, version: number): void => {
  for (const own of by.account.devices.values()) {
    if (own === by) continue;
    const collection = element('collection', { name, version: String(version) });
    deliver(hub, own, notification(hub, by.account.jid, 'server_sync', [collection]));
  }
};

const PREKEYS_LOW = 5;

export const tellIfPreKeysLow = (hub: HubState, device: Device): void => {
  const left = device.keys?.preKeys.size ?? 0;
  if (left >= PREKEYS_LOW || hub.toldPreKeysLow.has(device)) return;
  hub.toldPreKeysLow.add(device);
  deliver(hub, device, notification(hub, SERVER, 'encrypt', [element('count', { value: String(left) })]));
};
