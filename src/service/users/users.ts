/** Users and their API keys: authentication, and the operator's work on them (docs/spec/users.md, Users). */
import type { Actor } from '../../domain/audit.ts';
import type { Clock } from '../../domain/clock.ts';
import type { DeviceStore } from '../../domain/stores.ts';
import type { ApiKey, User, UserStore } from '../../domain/user.ts';
import { HandsetError, invalidRequest, notFound } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { Authentication, hashOf, type Identity, newSecret } from './authentication.ts';

export interface UserPatch {
  readonly name?: string;
  readonly deviceLimit?: number;
}

/** `expiresAt`: ms, or null. */
export interface KeyRequest {
  readonly name: string;
  readonly expiresAt: number | null;
}

const ownerName = 'owner';
const ownerDeviceLimit = 10;

interface Parts {
  readonly users: UserStore;
  readonly devices: DeviceStore;
  readonly clock: Clock;
  readonly log: Logger;
}

const makeKeys = ({ users, clock }: Parts, authentication: Authentication) => {
  const store = (userId: number, { name, expiresAt }: KeyRequest, secret: string, by?: Actor): Promise<ApiKey> =>
    users.createKey(
      { userId, name, hint: secret.slice(-4), hash: hashOf(secret), createdAt: clock.now(), expiresAt },
      by,
    );
  return {
    store,
    /** `secret` is shown only here. Throws NotFound for an unknown user. */
    async createKey(userId: number, request: KeyRequest, by?: Actor): Promise<{ key: ApiKey; secret: string }> {
      if ((await users.find(userId)) === null) throw notFound('User');
      if (request.expiresAt !== null && request.expiresAt <= clock.now())
        throw invalidRequest('expiresAt must be in the future');
      const secret = newSecret();
      return { key: await store(userId, request, secret, by), secret };
    },
    listKeys: (userId: number): Promise<readonly ApiKey[]> => users.listKeys(userId),
    /** Effective at once. Throws NotFound if the user has no such key. */
    async revokeKey(userId: number, keyId: number, by?: Actor): Promise<void> {
      const revoked = await users.revokeKey(userId, keyId, clock.now(), by);
      authentication.forget(({ key: { id } }) => id === keyId);
      if (!revoked) throw notFound('Key');
    },
    /** A time in the past ends it now; null: never. Throws NotFound if the user has no such key. */
    async setKeyExpiry(userId: number, keyId: number, expiresAt: number | null, by?: Actor): Promise<ApiKey> {
      const key = await users.setKeyExpiry(userId, keyId, expiresAt, by);
      authentication.forget(({ key: { id } }) => id === keyId);
      if (key === null) throw notFound('Key');
      return key;
    },
  };
};

const makeAccounts = ({ users, devices, clock }: Parts, authentication: Authentication) => {
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
    /** Throws NotFound. */
    findUser: find,
    listUsers: (): Promise<readonly User[]> => users.list(),
    /** Throws Conflict when the name is taken. */
    async createUser(name: string, deviceLimit: number, by?: Actor): Promise<User> {
      await claimName(name, null);
      return users.create(name, deviceLimit, clock.now(), by);
    },
    /** Throws NotFound; Conflict when the name is taken. */
    async updateUser(userId: number, patch: UserPatch, by?: Actor): Promise<User> {
      await find(userId);
      if (patch.name !== undefined) await claimName(patch.name, userId);
      const user = await users.update(userId, patch, by);
      authentication.forget(({ user: { id } }) => id === userId);
      return user;
    },
    /** Deletes the keys too. Throws NotFound; Conflict while the user has devices. */
    async deleteUser(userId: number, by?: Actor): Promise<void> {
      await find(userId);
      const { items } = await devices.list(userId, { limit: 1, cursor: null });
      if (items.length > 0) throw new HandsetError('Conflict', 'The user still has devices; delete them first');
      await users.delete(userId, by);
      authentication.forget(({ user: { id } }) => id === userId);
    },
    /** Active devices, which count against the limit. */
    countActiveDevices: (userId: number): Promise<number> => devices.countActive(userId),
  };
};

export const makeUsers = (parts: Parts) => {
  const authentication = new Authentication(parts);
  const { store, ...keys } = makeKeys(parts, authentication);
  const accounts = makeAccounts(parts, authentication);
  return {
    /** Null for a key that is unknown, revoked or expired. Notes the use. */
    authenticate: (key: string): Promise<Identity | null> => authentication.authenticate(key),
    /** From the cache; null if the key is not in it. */
    recall: authentication.recall,
    /** Asks the database, so it sees what other processes did. Does not count as a use. */
    isValid: (key: string): Promise<boolean> => authentication.isValid(key),
    /** Writes the times of use. */
    flush: (): Promise<void> => authentication.flush(),
    ...keys,
    ...accounts,
    /** The first start on an empty store: user `owner` with one key; null if there are users. */
    async bootstrap(
      bootstrapKey: string | null,
      deviceLimit = ownerDeviceLimit,
    ): Promise<{ user: User; secret: string } | null> {
      const known = await parts.users.list();
      const [first] = known;
      // An owner without a key: a first start that was interrupted between the two writes.
      const unfinished =
        known.length === 1 && first?.name === ownerName && (await keys.listKeys(first.id)).length === 0;
      if (first !== undefined && !unfinished) return null;
      const user = first ?? (await accounts.createUser(ownerName, deviceLimit));
      const secret = bootstrapKey ?? newSecret();
      await store(user.id, { name: 'first key', expiresAt: null }, secret);
      return { user, secret };
    },
  };
};

export type Users = ReturnType<typeof makeUsers>;
