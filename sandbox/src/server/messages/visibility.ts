/** Privacy settings as they are obeyed: who sees what of an account. */
import type { Account } from '../../base/types.ts';
import { isTrusted } from './privacy-tokens.ts';
import type { HubState } from '../state/state.ts';

/**
 * Whether a setting lets `viewer` see or do something. The server cannot read the address book, which is encrypted: `contacts` are those who have a
 * privacy token of the account, which is what it is for (whatsapp-rust wacore/src/iq/contacts.rs, 2026-08).
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

/** Online is shown to whom the setting of the last presence permits, or to everybody. */
export const showsOnline = (hub: HubState, owner: Account, viewer: Account): boolean => {
  const { blocked, profile } = hub.registry.stateOf(owner);
  if (blocked.has(viewer)) return false;
  return profile.privacy.get('online') !== 'match_last_seen' || permits(hub, owner, viewer, 'last');
};
