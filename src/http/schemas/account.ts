/** Users and API keys as callers see them (decisions.md, Users, keys, subscriptions). */
import { Type } from 'typebox';
import type { ApiKey } from '../../domain/user.ts';
import { nullableText, nullableTimestamp, oneOf, timestamp } from './build.ts';
import { iso, isoOrNull } from './message.ts';

const keyMembers = {
  id: Type.Integer(),
  name: Type.String(),
  hint: Type.String({ description: 'The last four characters' }),
  createdAt: timestamp('When it was made'),
  lastUsedAt: nullableTimestamp('When it was last used, to the minute'),
  expiresAt: nullableTimestamp('When it stops to work; null: never'),
  revokedAt: nullableTimestamp('When it was revoked'),
};

export const KeySchema = Type.Object(keyMembers, { title: 'ApiKey' });

export const NewKeySchema = Type.Object(
  { ...keyMembers, secret: Type.String({ description: 'The key itself, shown this once', examples: ['hs_…'] }) },
  { title: 'NewApiKey' },
);

export const keyView = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  hint: key.hint,
  createdAt: iso(key.createdAt),
  lastUsedAt: isoOrNull(key.lastUsedAt),
  expiresAt: isoOrNull(key.expiresAt),
  revokedAt: isoOrNull(key.revokedAt),
});

export const UserSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    deviceLimit: Type.Integer({ description: 'How many active devices the subscription allows' }),
    activeDevices: Type.Integer({ description: 'How many count against the limit now' }),
    rateLimit: Type.Integer({ description: 'Requests a minute' }),
    createdAt: timestamp('When the user was made'),
  },
  { title: 'User' },
);

export const ServiceSchema = Type.Object(
  {
    version: Type.String(),
    network: oneOf(['whatsapp', 'sandbox'], { description: '`sandbox`: nothing reaches the real network' }),
    sandboxControlUrl: nullableText({ description: 'Control interface of the sandbox; null on the real network' }),
  },
  { title: 'Service' },
);
