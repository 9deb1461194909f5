/** Users and their API keys: who calls, and the operator's work on them (decisions.md, Users, keys, subscriptions). */
import type { Clock } from '../domain/clock.ts';
import type { DeviceStore, UserStore } from '../domain/stores.ts';
import type { ApiKey, User } from '../domain/user.ts';
import { HandsetError, invalidRequest, notFound } from '../errors.ts';
import type { Logger } from '../log.ts';
import { hashOf, hintOf, isKey, newSecret } from './api-keys.ts';
import { type Identity, KeyCache } from './key-cache.ts';
import { KeyUse } from './key-use.ts';

export interface UserPatch {
  readonly name?: string;
  readonly deviceLimit?: number;
}

export interface Users {
  /** Whose key this is; null for one that is unknown, revoked or expired. Notes the key's use. */
  authenticate(key: string): Promise<Identity | null>;
  /** Throws Conflict when the name is taken. */
  createUser(name: string, deviceLimit: number): Promise<User>;
  /** Throws NotFound. */
  findUser(userId: number): Promise<User>;
  findUserByName(name: string): Promise<User | null>;
  listUsers(): Promise<readonly User[]>;
  /** Throws NotFound; Conflict when the name is taken. */
  updateUser(userId: number, patch: UserPatch): Promise<User>;
  /** With all keys. Throws NotFound; Conflict while the user has devices. */
  deleteUser(userId: number): Promise<void>;
  /** How many active devices count against the user's limit. */
  countActiveDevices(userId: number): Promise<number>;
  /** `secret` is shown this once. `expiresAt` in ms, or null. Throws NotFound for an unknown user. */
  createKey(
    userId: number,
    key: { readonly name: string; readonly expiresAt: number | null },
  ): Promise<{ key: ApiKey; secret: string }>;
  listKeys(userId: number): Promise<readonly ApiKey[]>;
  /** Stops the key at once. Throws NotFound when the user has no such key. */
  revokeKey(userId: number, keyId: number): Promise<void>;
  /** The first start on an empty store: user `owner` with one key; null when there are users already. */
  bootstrap(bootstrapKey: string | null, deviceLimit?: number): Promise<{ user: User; secret: string } | null>;
  /** Writes the noted uses of keys. */
  flush(): Promise<void>;
}

const ownerName = 'owner';
const ownerDeviceLimit = 10;

interface Parts {
  readonly users: UserStore;
  readonly devices: DeviceStore;
  readonly clock: Clock;
  readonly log: Logger;
}

const makeAuthenticate = ({ users, clock, log }: Parts, cache: KeyCache): Pick<Users, 'authenticate' | 'flush'> => {
  const use = new KeyUse(users, clock, log);
  return {
    async authenticate(key) {
      if (!isKey(key)) return null;
      const hash = hashOf(key);
      const name = Buffer.from(hash).toString('base64');
      const { generation } = cache;
      let identity = cache.get(name);
      if (identity === null) {
        identity = await users.findByKeyHash(hash, clock.now());
        if (identity === null) return null;
        cache.put(name, identity, generation);
      }
      use.note(identity.key.id);
      return identity;
    },
    flush: () => use.flush(),
  };
};

const makeKeys = ({ users, clock }: Parts, cache: KeyCache) => {
  const store = async (userId: number, name: string, secret: string, expiresAt: number | null): Promise<ApiKey> =>
    users.createKey({ userId, name, hint: hintOf(secret), hash: hashOf(secret), createdAt: clock.now(), expiresAt });
  return {
    store,
    async createKey(userId: number, { name, expiresAt }: { readonly name: string; readonly expiresAt: number | null }) {
      if ((await users.find(userId)) === null) throw notFound('User');
      if (expiresAt !== null && expiresAt <= clock.now()) throw invalidRequest('expiresAt must be in the future');
      const secret = newSecret();
      return { key: await store(userId, name, secret, expiresAt), secret };
    },
    listKeys: (userId: number) => users.listKeys(userId),
    async revokeKey(userId: number, keyId: number) {
      const revoked = await users.revokeKey(userId, keyId, clock.now());
      cache.forgetKey(keyId);
      if (!revoked) throw notFound('Key');
    },
  };
};

const makeAccounts = ({ users, devices, clock }: Parts, cache: KeyCache) => {
  const find = async (userId: number): Promise<User> => {
    const user = await users.find(userId);
    if (user === null) throw notFound('User');
    return user;
  };
  const claimName = async (name: string, by: number | null): Promise<void> => {
    const holder = await users.findByName(name);
    if (holder !== null && holder.id !== by) throw new HandsetError('Conflict', 'A user with this name exists already');
  };
  return {
    findUser: find,
    findUserByName: (name: string) => users.findByName(name),
    listUsers: () => users.list(),
    async createUser(name: string, deviceLimit: number) {
      await claimName(name, null);
      return users.create(name, deviceLimit, clock.now());
    },
    async updateUser(userId: number, patch: UserPatch) {
      await find(userId);
      if (patch.name !== undefined) await claimName(patch.name, userId);
      const user = await users.update(userId, patch);
      cache.forgetUser(userId);
      return user;
    },
    async deleteUser(userId: number) {
      await find(userId);
      const { items } = await devices.list(userId, { limit: 1, cursor: null });
      if (items.length > 0) throw new HandsetError('Conflict', 'The user still has devices; delete them first');
      await users.delete(userId);
      cache.forgetUser(userId);
    },
    countActiveDevices: (userId: number) => devices.countActive(userId),
  };
};

export const makeUsers = (parts: Parts): Users => {
  const cache = new KeyCache(parts.clock);
  const { store, ...keys } = makeKeys(parts, cache);
  const accounts = makeAccounts(parts, cache);
  return {
    ...makeAuthenticate(parts, cache),
    ...keys,
    ...accounts,
    async bootstrap(bootstrapKey, deviceLimit = ownerDeviceLimit) {
      const known = await parts.users.list();
      const [first] = known;
      // An owner without any key is a first start that was cut off between the two writes.
      const unfinished =
        known.length === 1 && first?.name === ownerName && (await keys.listKeys(first.id)).length === 0;
      if (first !== undefined && !unfinished) return null;
      const user = first ?? (await accounts.createUser(ownerName, deviceLimit));
      const secret = bootstrapKey ?? newSecret();
      await store(user.id, 'first key', secret, null);
      return { user, secret };
    },
  };
};
