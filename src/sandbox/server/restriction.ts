/** A restricted account may not start chats; its clients are told when that begins and ends. */
import { seconds } from './clock.ts';
import { element, SERVER } from './nodes.ts';
import { deliver } from './queue.ts';
import type { HubState } from './state.ts';

const RESTRICTED_FOR_S = 86_400;

export const standingOf = (hub: HubState): object =>
  hub.faults.restrict
    ? {
        is_active: true,
        enforcement_type: 'DEFAULT',
        time_enforcement_ends: String(Number(seconds(hub.clock)) + RESTRICTED_FOR_S),
      }
    : { is_active: false, time_enforcement_ends: '0' };

export const announceRestriction = (hub: HubState): void => {
  const data = { xwa2_notify_account_reachout_timelock: standingOf(hub) };
  const content = Buffer.from(JSON.stringify({ data }));
  for (const { device } of hub.sessions.values()) {
    if (device.id === 0) continue;
    const attrs = { id: hub.nextId(), from: SERVER, type: 'mex', t: seconds(hub.clock) };
    const update = element('update', { op_name: 'NotificationUserReachoutTimelockUpdate' }, content);
    deliver(hub, device, element('notification', attrs, [update]));
  }
};
