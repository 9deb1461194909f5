/** Presence and typing, which are never queued. */
import type { Account, Device } from '../../base/types.ts';
import { isTrusted } from './privacy-tokens.ts';
import { type HubState, sendLive, sendNow } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';
import type { BinaryNode } from 'baileys';
import { isStrict, wireJid } from '../accounts/addressing.ts';
import { accountJid, deviceJid, modeOf, parseJid } from '../accounts/jid.ts';
import { childrenOf, element } from '../../base/nodes.ts';

/**
 * Whether a setting lets `viewer` see or do something. The server cannot read the address book, so `contacts` are those with a
 * privacy token of the account (whatsapp-rust wacore/src/iq/contacts.rs, 2026-08).
 */
export const permits = (
  hub: HubState,
  owner: Account,
  viewer: Account,
  setting: 'profile' | 'status' | 'last' | 'groupadd',
): boolean => {
  if (owner === viewer) return true;
  const { blocked, profile } = hub.registry.stateOf(owner);
  const value = profile.privacy.get(setting);
  if (blocked.has(viewer) || value === 'none') return false;
  return value === 'all' || isTrusted(hub, owner, viewer);
};

const showsOnline = (hub: HubState, owner: Account, viewer: Account): boolean => {
  const { blocked, profile } = hub.registry.stateOf(owner);
  if (blocked.has(viewer)) return false;
  return profile.privacy.get('online') !== 'match_last_seen' || permits(hub, owner, viewer, 'last');
};

const isAvailable = (hub: HubState, account: Account): boolean => {
  for (const device of account.devices.values()) if (hub.sessions.get(device)?.available === true) return true;
  return false;
};

/** `last`: the time last seen, or `deny` (whatsmeow presence.go, 2026-08). Nothing is sent to those it is hidden from. */
const tellPresence = (hub: HubState, account: Account, jid: string, watcher: Device): void => {
  if (!showsOnline(hub, account, watcher.account)) return;
  if (isAvailable(hub, account)) return sendNow(watcher, element('presence', { from: jid, type: 'available' }));
  const { lastSeen } = hub.registry.stateOf(account).profile;
  const last = permits(hub, account, watcher.account, 'last') ? lastSeen : 'deny';
  const attrs = { from: jid, type: 'unavailable', ...(last !== null && { last: String(last) }) };
  sendNow(watcher, element('presence', attrs));
};

export const setAvailable = (hub: HubState, device: Device, available: boolean): void => {
  const session = hub.sessions.get(device);
  if (session === undefined || session.available === available) return;
  const before = isAvailable(hub, device.account);
  session.available = available;
  if (isAvailable(hub, device.account) === before) return;
  if (before) hub.registry.stateOf(device.account).profile.lastSeen = Number(seconds(hub.clock));
  for (const watcher of hub.presenceWatchers.get(device.account) ?? []) {
    if (hub.sessions.get(watcher)?.backlog) continue;
    tellPresence(hub, device.account, wireJid(hub, watcher.account, device.account.jid), watcher);
  }
};

const NAMELESS = '-';

/**
 * The name on a device's stanzas. A companion's is that of its `<presence name>`, `-` until one was received on the connection
 * (whatsmeow `SendPresence`, presence.go, 2026-08-21). A lenient network uses the account's name.
 */
export const pushNameOf = (hub: HubState, device: Device): string | null => {
  if (device.id !== 0 && isStrict(hub)) return hub.sessions.get(device)?.pushName ?? NAMELESS;
  return device.account.name === '' ? null : device.account.name;
};

export const takePresence = (hub: HubState, device: Device, node: BinaryNode): void => {
  const { type, to, name } = node.attrs;
  const session = hub.sessions.get(device);
  if (session !== undefined && name) session.pushName = name;
  if (type === 'available' || type === 'unavailable') return setAvailable(hub, device, type === 'available');
  if (type !== 'subscribe' || to === undefined) return;
  const account = hub.registry.find(to);
  if (account === null) return;
  const watchers = hub.presenceWatchers.get(account) ?? new Set();
  hub.presenceWatchers.set(account, watchers.add(device));
  tellPresence(hub, account, to, device);
};

export const routeChatState = (hub: HubState, from: Device, node: BinaryNode): void => {
  const to = node.attrs.to ?? '';
  const content = [...childrenOf(node)];
  const group = hub.groups.get(to);
  if (group !== undefined) {
    const state = element('chatstate', { from: to, participant: deviceJid(from, 'lid') }, content);
    for (const member of group.members.keys()) {
      if (member !== from.account) for (const device of member.devices.values()) sendLive(hub, device, state);
    }
    return;
  }
  const account = hub.registry.find(to);
  if (account === null || account === from.account) return;
  const jid = accountJid(from.account, modeOf(parseJid(to)?.server ?? ''));
  for (const device of account.devices.values()) sendLive(hub, device, element('chatstate', { from: jid }, content));
};
