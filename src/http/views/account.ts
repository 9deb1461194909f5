/** Users, API keys and suppressions as callers see them (docs/spec/users.md). */
import { parseTimestamp } from '../wire/values.ts';
import type { ApiKey, User } from '../../domain/user.ts';
import { iso, isoOrNull } from '../../domain/event-view.ts';
import type { Suppression } from '../../domain/chats/suppressions.ts';

const expiryOf = (expiresAt: string | null = null): number | null =>
  expiresAt === null ? null : parseTimestamp('expiresAt', expiresAt);

export const keyRequestOf = <T extends { readonly expiresAt?: string }>(body: T) => ({
  ...body,
  expiresAt: expiryOf(body.expiresAt),
});

export const keyPatchOf = <T extends { readonly expiresAt?: string | null }>({ expiresAt, ...limits }: T) => ({
  ...limits,
  ...(expiresAt !== undefined && { expiresAt: expiryOf(expiresAt) }),
});

export const keyView = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  hint: key.hint,
  createdAt: iso(key.createdAt),
  lastUsedAt: isoOrNull(key.lastUsedAt),
  expiresAt: isoOrNull(key.expiresAt),
  revokedAt: isoOrNull(key.revokedAt),
  devices: key.devices,
  actions: key.actions,
});

export const userView = (user: User, activeDevices: number, rateLimit: number) => ({
  id: user.id,
  name: user.name,
  deviceLimit: user.deviceLimit,
  activeDevices,
  rateLimit,
  createdAt: iso(user.createdAt),
});

export const suppressionView = ({ createdAt, ...entry }: Suppression) => ({ ...entry, createdAt: iso(createdAt) });
