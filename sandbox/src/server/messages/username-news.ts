/** Notifications of changed usernames (`mex`; `WAWebMexUsernameUpdateNotificationHandler`, zapo 2026-08-19). */
import type { Account } from '../../base/types.ts';
import type { HubState } from '../state/state.ts';
import { announce } from './limits.ts';
import { contactHash } from './notifications.ts';

/** Companions, chat partners, and those who asked for its device list. */
const tell = (hub: HubState, account: Account): void => {
  const { username, usernameKey: pin, lid, name } = account;
  const { known, watchers } = hub.registry.stateOf(account);
  const info = username === null ? null : { username, state: 'ACTIVE', pin };
  for (const viewer of new Set([account, ...known, ...watchers])) {
    for (const device of viewer.devices.values()) {
      if (device.id === 0) continue;
      if (viewer === account) {
        const data = { xwa2_notify_wa_user: { lid_jid: lid, username_info: info } };
        announce(hub, device, 'AccountSyncUsernameNotification', data);
      } else if (hub.faults.usernameNews === 'hash') {
        const hint = { hash: contactHash(account) };
        announce(hub, device, 'UsernameUpdateNotification', { xwa2_notify_username_on_update_side_sub: hint });
      } else if (username === null) {
        announce(hub, device, 'UsernameDeleteNotification', {
          xwa2_notify_username_delete: { lid, display_name: name },
        });
      } else {
        announce(hub, device, 'UsernameSetNotification', { xwa2_notify_username_on_change: { lid, username } });
      }
    }
  }
};

export const setUsername = (hub: HubState, account: Account, username: string | null): void => {
  if (account.username === username) return;
  account.username = username;
  if (username === null) account.usernameKey = null;
  tell(hub, account);
};
