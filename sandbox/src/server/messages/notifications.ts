/** Notifications of the server: changed devices, identities and profiles, and prekeys that run low. */
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../base/types.ts';
import { wireJid } from '../accounts/addressing.ts';
import { deviceJid } from '../accounts/jid.ts';
import type { Group } from '../groups/group.ts';
import { permits } from './presence.ts';
import type { HubState } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';
import { element, SERVER } from '../../base/nodes.ts';
import { devicesOf, participantHash } from './participants.ts';
import { deliver } from './queue.ts';
import { createHash } from 'node:crypto';

export const tellOwnDevices = (hub: HubState, account: Account, by: Device | null, content: BinaryNode): void => {
  for (const own of account.devices.values()) {
    if (own !== by) deliver(hub, own, notification(hub, account.jid, 'account_sync', content));
  }
};

/** Chat partners and watchers, if the setting allows them to see it. */
export const tellPeople = (
  hub: HubState,
  account: Account,
  setting: 'profile' | 'status' | null,
  type: 'picture' | 'status' | 'disappearing_mode',
  contentFor: (jid: string) => BinaryNode,
  more: Readonly<Record<string, string>> = {},
): void => {
  const { known, watchers } = hub.registry.stateOf(account);
  for (const viewer of new Set([...known, ...watchers])) {
    if (viewer === account || (setting !== null && !permits(hub, account, viewer, setting))) continue;
    const jid = wireJid(hub, viewer, account.jid);
    for (const device of viewer.devices.values()) {
      deliver(hub, device, notification(hub, jid, type, contentFor(jid), more));
    }
  }
};

/** `id` null: removed (whatsmeow notification.go, whatsapp-rust handlers/notification.rs; 2026-08). */
const pictureChange = (id: string | null, jid: string, author: string): BinaryNode =>
  id === null ? element('delete', { jid, author }) : element('set', { jid, id, author });

export const tellPicture = (hub: HubState, account: Account, by: Device, id: string | null): void => {
  tellOwnDevices(hub, account, by, element('picture'));
  tellPeople(hub, account, 'profile', 'picture', (jid) => pictureChange(id, jid, jid));
};

export const tellGroupPicture = (hub: HubState, group: Group, by: Device, id: string | null): void => {
  const author = group.mode === 'lid' ? by.account.lid : by.account.jid;
  // Includes the device that made the change, as for every group change.
  for (const device of devicesOf(group.members.keys())) {
    deliver(hub, device, notification(hub, group.jid, 'picture', pictureChange(id, group.jid, author)));
  }
};

const notification = (
  hub: HubState,
  from: string,
  type: string,
  content: BinaryNode,
  more: Readonly<Record<string, string>> = {},
): BinaryNode => element('notification', { id: hub.nextId(), from, type, t: seconds(hub.clock), ...more }, [content]);

const keyIndex = (device: Device): Record<string, string> =>
  device.id === 0 ? {} : { 'key-index': String(device.keyIndex) };

const keyIndexList = (hub: HubState, account: Account): BinaryNode[] => {
  const list = hub.registry.stateOf(account).keyIndexList;
  return list === null ? [] : [element('key-index-list', { ts: seconds(hub.clock) }, list)];
};

const hashBytes = 3;

/** LIVE hashes and WA Web `getContactRecordByHash` (whatsapp-rust a5416dae, 2026-08): the user of the LID if migrated, else the number. */
export const contactHash = ({ migrated, lid, number }: Account): string =>
  createHash('md5')
    .update(`${migrated ? lid.split('@')[0]! : number}WA_ADD_NOTIF`)
    .digest()
    .subarray(0, hashBytes)
    .toString('base64');

export const announceDevice = (hub: HubState, changed: Device, change: 'add' | 'remove'): void => {
  const { account } = changed;
  const pn = deviceJid(changed, 'pn');
  const lid = deviceJid(changed, 'lid');
  const list = keyIndexList(hub, account);
  const hashes = {
    device_hash: participantHash(account.devices.values(), 'pn'),
    device_lid_hash: participantHash(account.devices.values(), 'lid'),
  };
  // Stock Baileys refreshes only the list of the user named in `jid`, and would keep the one under the LID forever.
  const again = hub.faults.addressing === 'lenient' ? [element('device', { jid: lid, ...keyIndex(changed) })] : [];
  const content = () =>
    element(change, hashes, [element('device', { jid: pn, lid, ...keyIndex(changed) }), ...again, ...list]);
  const tell = (target: Device) => {
    if (target !== changed)
      deliver(hub, target, notification(hub, account.jid, 'devices', content(), { lid: account.lid }));
  };
  for (const own of account.devices.values()) {
    if (own === changed) continue;
    const devices = [...account.devices.values()].map((device) =>
      element('device', { jid: deviceJid(device, 'pn'), ...keyIndex(device) }),
    );
    const sync = element('devices', { dhash: hashes.device_hash }, [...devices, ...list]);
    deliver(hub, own, notification(hub, account.jid, 'account_sync', sync));
    tell(own);
  }
  for (const watcher of hub.registry.stateOf(account).watchers) {
    if (watcher === account) continue;
    for (const device of watcher.devices.values()) {
      if (device.id === 0 || hub.faults.deviceNews === 'named') tell(device);
      else {
        const update = element('update', { hash: contactHash(account) });
        deliver(hub, device, notification(hub, watcher.jid, 'devices', update, { lid: watcher.lid }));
      }
    }
  }
};

export const announceIdentity = (hub: HubState, account: Account): void => {
  for (const watcher of hub.registry.stateOf(account).watchers) {
    if (watcher === account) continue;
    for (const device of watcher.devices.values()) {
      deliver(hub, device, notification(hub, account.jid, 'encrypt', element('identity'), { lid: account.lid }));
    }
  }
};

export const announceAppState = (hub: HubState, by: Device, name: string, version: number): void => {
  for (const own of by.account.devices.values()) {
    if (own === by) continue;
    const collection = element('collection', { name, version: String(version) });
    deliver(hub, own, notification(hub, by.account.jid, 'server_sync', collection));
  }
};

const PREKEYS_LOW = 5;

export const tellIfPreKeysLow = (hub: HubState, device: Device): void => {
  const left = device.keys?.preKeys.size ?? 0;
  if (left >= PREKEYS_LOW || hub.toldPreKeysLow.has(device)) return;
  hub.toldPreKeysLow.add(device);
  deliver(hub, device, notification(hub, SERVER, 'encrypt', element('count', { value: String(left) })));
};
