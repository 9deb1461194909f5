/** Profiles: pictures, texts, privacy settings, and how long messages of new chats are kept. */
import type { Profile } from '../../base/types.ts';

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
  textStatus: null,
  privacy: new Map(Object.keys(PRIVACY_VALUES).map((name) => [name, 'all'])),
  statusPrivacy: null,
  disappearing: { seconds: 0, at: 0 },
  lastSeen: null,
});

export type ProfileJson = Omit<Profile, 'privacy' | 'lastSeen'> & { readonly privacy: (readonly [string, string])[] };

export const saveProfile = ({ privacy, lastSeen: _lastSeen, ...profile }: Profile): ProfileJson => ({
  ...profile,
  privacy: [...privacy],
});

export const loadProfile = (profile: Profile, { privacy, ...saved }: ProfileJson): void => {
  Object.assign(profile, saved);
  for (const [name, value] of privacy) profile.privacy.set(name, value);
};
