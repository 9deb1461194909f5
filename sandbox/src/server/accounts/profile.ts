/** Profiles: what an account tells of itself, and who may see it. */
import type { Account, Profile } from '../../types.ts';
import { isTrusted } from '../messages/privacy-tokens.ts';
import type { HubState } from '../state.ts';

const everyone = ['all', 'contacts', 'contact_blacklist', 'none'];

/** Values by setting (whatsmeow types/user.go, Baileys Types/Chat.ts; 2026-08). */
export const PRIVACY_VALUES: Readonly<Record<string, readonly string[]>> = {
  readreceipts: ['all', 'none'],
  last: everyone,
  online: ['all', 'match_last_seen'],
  profile: everyone,
  status: everyone,
  groupadd: everyone,
  calladd: ['all', 'known'],
  messages: ['all', 'contacts'],
};

export const newProfile = (): Profile => ({
  picture: null,
  about: null,
  privacy: new Map(Object.keys(PRIVACY_VALUES).map((name) => [name, 'all'])),
  disappearing: { seconds: 0, at: 0 },
  lastSeen: null,
});

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

export type ProfileJson = Omit<Profile, 'privacy' | 'lastSeen'> & { readonly privacy: (readonly [string, string])[] };

export const saveProfile = ({ privacy, picture, about, disappearing }: Profile): ProfileJson => ({
  picture,
  about,
  disappearing,
  privacy: [...privacy],
});

export const loadProfile = (profile: Profile, { privacy, ...saved }: ProfileJson): void => {
  Object.assign(profile, saved);
  for (const [name, value] of privacy) profile.privacy.set(name, value);
};
