/** Account restrictions: refused logins, no new chats, or a limited number of them. */
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../base/types.ts';
import type { HubState } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';
import { element, SERVER } from '../../base/nodes.ts';
import { deliver } from './queue.ts';

/** Reported duration of a restriction without an end. */
const restrictedForS = 86_400;

const inSeconds = (ms: number): string => String(Math.round(ms / 1000));

/** When the account may start chats again, ms; null: now. */
const lockedUntil = ({ faults, limits, clock }: HubState): number | null => {
  const now = clock.now();
  if (faults.timeLock !== null && limits.timeLock > now) return limits.timeLock;
  return faults.restrict ? now + restrictedForS * 1000 : null;
};

/** The answer to `xwa2_fetch_account_reachout_timelock`, as read by Baileys rc14. */
export const timeLockOf = (hub: HubState): object => {
  const until = lockedUntil(hub);
  return until === null
    ? { is_active: false, time_enforcement_ends: '0' }
    : { is_active: true, enforcement_type: 'DEFAULT', time_enforcement_ends: inSeconds(until) };
};

const capIsOn = ({ faults, limits, clock }: HubState): boolean =>
  faults.newChatCap !== null && limits.cap.until > clock.now();

/** The answer to `xwa2_message_capping_info`; without a cap the quota is 0. */
export const capOf = (hub: HubState, account: Account): object => {
  const { faults, limits, clock } = hub;
  const others = { ote_status: 'NOT_ELIGIBLE', mv_status: 'NOT_ELIGIBLE', server_sent_timestamp: seconds(clock) };
  if (faults.newChatCap === null || !capIsOn(hub)) {
    return { total_quota: 0, used_quota: 0, capping_status: 'NONE', ...others };
  }
  const { limit } = faults.newChatCap;
  const used = limits.begun.get(account) ?? 0;
  return {
    total_quota: limit,
    used_quota: used,
    cycle_start_timestamp: inSeconds(limits.cap.from),
    cycle_end_timestamp: inSeconds(limits.cap.until),
    capping_status: used >= limit ? 'CAPPED' : 'NONE',
    ...others,
  };
};

export const announce = (hub: HubState, device: Device, operation: string, data: object): void => {
  const content = Buffer.from(JSON.stringify({ data }));
  const attrs = { id: hub.nextId(), from: SERVER, type: 'mex', t: seconds(hub.clock) };
  deliver(hub, device, element('notification', attrs, [element('update', { op_name: operation }, content)]));
};

export const announceTimeLock = (hub: HubState): void => {
  const data = { xwa2_notify_account_reachout_timelock: timeLockOf(hub) };
  for (const { device } of hub.sessions.values()) {
    if (device.id !== 0) announce(hub, device, 'NotificationUserReachoutTimelockUpdate', data);
  }
};

const announceCap = (hub: HubState, account: Account): void => {
  const data = { xwa2_notify_new_chat_messages_capping_info_update: capOf(hub, account) };
  for (const device of account.devices.values()) {
    if (device.id !== 0) announce(hub, device, 'MessageCappingInfoNotification', data);
  }
};

/** Phones of the sandbox are not restricted. */
export const chatRefusal = (hub: HubState, sender: Device, peer: Account): number | null => {
  const { account } = sender;
  if (sender.id === 0 || peer === account || hub.registry.stateOf(account).known.has(peer)) return null;
  if (hub.faults.timeLock !== null && hub.limits.timeLock > hub.clock.now()) return 463;
  const { newChatCap } = hub.faults;
  if (newChatCap === null || !capIsOn(hub)) return null;
  const used = hub.limits.begun.get(account) ?? 0;
  if (used >= newChatCap.limit) return 475;
  hub.limits.begun.set(account, used + 1);
  if (used + 1 >= newChatCap.limit) announceCap(hub, account);
  return null;
};

export const keepChat = ({ registry }: HubState, account: Account, peer: Account): void => {
  registry.stateOf(account).known.add(peer);
  registry.stateOf(peer).known.add(account);
};

export const loginFailure = ({ faults, limits, clock }: HubState): BinaryNode | null => {
  const left = Math.ceil((limits.ban - clock.now()) / 1000);
  if (faults.temporaryBan === null || left <= 0) return null;
  const { code } = faults.temporaryBan;
  return element('failure', { reason: '402', code: String(code), expire: String(left), location: 'sandbox' });
};
