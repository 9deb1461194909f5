/** Notifications of what an account has changed about itself: to its own devices, and to the people who know it. */
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../base/types.ts';
import { wireJid } from '../accounts/addressing.ts';
import type { Group } from '../groups/group.ts';
import { permits } from './visibility.ts';
import { seconds } from '../state/clock.ts';
import { element } from '../../base/nodes.ts';
import { devicesOf } from './participants.ts';
import { deliver } from './queue.ts';
import type { HubState } from '../state/state.ts';

const notification = (
  hub: HubState,
  from: string,
  type: string,
  content: BinaryNode,
  more: Readonly<Record<string, string>> = {},
): BinaryNode => element('notification', { id: hub.nextId(), from, type, t: seconds(hub.clock), ...more }, [content]);

/** The account's devices but the one that made the change. */
export const tellOwnDevices = (hub: HubState, account: Account, by: Device | null, content: BinaryNode): void => {
  for (const own of account.devices.values()) {
    if (own !== by) deliver(hub, own, notification(hub, account.jid, 'account_sync', content));
  }
};

/** Those with whom it has chats, or who have asked for its devices, as far as the setting permits. */
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

/** `id` null: it was removed (whatsmeow notification.go, whatsapp-rust handlers/notification.rs; 2026-08). */
const pictureChange = (id: string | null, jid: string, author: string): BinaryNode =>
  id === null ? element('delete', { jid, author }) : element('set', { jid, id, author });

export const tellPicture = (hub: HubState, account: Account, by: Device, id: string | null): void => {
  tellOwnDevices(hub, account, by, element('picture'));
  tellPeople(hub, account, 'profile', 'picture', (jid) => pictureChange(id, jid, jid));
};

export const tellGroupPicture = (hub: HubState, group: Group, by: Device, id: string | null): void => {
  const author = group.mode === 'lid' ? by.account.lid : by.account.jid;
  // The device that made the change, too, as of every other change of a group.
  for (const device of devicesOf(group.members.keys())) {
    deliver(hub, device, notification(hub, group.jid, 'picture', pictureChange(id, group.jid, author)));
  }
};
