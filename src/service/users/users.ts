/** Users and their API keys: authentication, and the operator's work on them (docs/spec/users.md, Users). */
import type { Actor } from '../../domain/audit.ts';
import type { Creation } from '../../domain/messages/idempotency.ts';
import type { Clock } from '../../domain/clock.ts';
import type { DeviceStore } from '../../domain/stores.ts';
import {
  type ApiKey,
  isWithin,
  type KeyLimits,
  type KeyPatch,
  noKeyLimits,
  type User,
  type UserStore,
} from '../../domain/user.ts';
import { HandsetError, invalidRequest, notFound, notPermitted } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { Authentication, hashOf, type Identity, newSecret } from './authentication.ts';

export interface UserPatch {
  readonly name?: string;
  readonly deviceLimit?: number;
}

export interface KeyRequest extends Partial<KeyLimits> {
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

const checkWithin = (limits: KeyLimits, maker: KeyLimits): void => {
  if (!isWithin(limits, maker)) throw notPermitted('give another key more than it has itself');
};

const makeKeys = ({ users, devices: deviceStore, clock }: Parts, authentication: Authentication) => {
  const store = (
    userId: number,
    request: KeyRequest,
    secret: string,
    by?: Actor,
    creation?: Creation,
  ): Promise<ApiKey> => {
    const { name, expiresAt, devices = null, actions = null } = request;
    const [hint, hash, createdAt] = [secret.slice(-4), hashOf(secret), clock.now()];
    const made = { userId, name, hint, hash, createdAt, expiresAt, devices, actions };
    return users.createKey(made, by, creation && { creation, secret });
  };
  /** Throws InvalidRequest for devices that are not the user's. */
  const checkDevices = async (userId: number, wanted: readonly number[] | null = null): Promise<void> => {
    const found = await deviceStore.findMany(wanted ?? []);
    const unknown = wanted?.find((id) => !found.some((each) => each.id === id && each.userId === userId));
    if (unknown !== undefined) throw invalidRequest(`devices names ${unknown}, which is none of your devices`);
  };
  /** Throws NotFound, also for a key with more rights than `maker`. */
  const within = async (userId: number, keyId: number, maker: KeyLimits): Promise<ApiKey> => {
    const key = (await users.listKeys(userId)).find(({ id }) => id === keyId);
    if (key === undefined || !isWithin(key, maker)) throw notFound('Key');
    return key;
  };
  return {
    store,
    /** `secret` is shown only here. Throws NotFound. */
    async createKey(
      userId: number,
      request: KeyRequest,
      by?: Actor,
      maker = noKeyLimits,
      once?: Creation,
    ): Promise<{ key: ApiKey; secret: string }> {
      if ((await users.find(userId)) === null) throw notFound('User');
      if (request.expiresAt !== null && request.expiresAt <= clock.now())
        throw invalidRequest('expiresAt must be in the future');
      const { devices = maker.devices, actions = maker.actions } = request;
      checkWithin({ devices, actions }, maker);
      await checkDevices(userId, devices);
      const secret = newSecret();
      return { key: await store(userId, { ...request, devices, actions }, secret, by, once), secret };
    },
    /** Those with no more rights than `maker`. */
    listKeys: async (userId: number, maker = noKeyLimits): Promise<readonly ApiKey[]> =>
      (await users.listKeys(userId)).filter((key) => isWithin(key, maker)),
    async revokeKey(userId: number, keyId: number, by?: Actor, maker = noKeyLimits): Promise<void> {
      await within(userId, keyId, maker);
      const revoked = await users.revokeKey(userId, keyId, clock.now(), by);
      authentication.forget(({ key: { id } }) => id === keyId);
      if (!revoked) throw notFound('Key');
    },
    /** `expiresAt`: a past time ends it now; null: never. Throws NotFound. */
    async updateKey(userId: number, keyId: number, patch: KeyPatch, by?: Actor, maker = noKeyLimits): Promise<ApiKey> {
      const before = await within(userId, keyId, maker);
      checkWithin({ ...before, ...patch }, maker);
      await checkDevices(userId, patch.devices);
      const key = await users.updateKey(userId, keyId, patch, by);
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
    if (holder !== null && holder.id !== by) throw new HandsetError('Conflict', 'A user with this name already exists');
  };
  return {
    findUser: find,
    listUsers: (): Promise<readonly User[]> => users.list(),
    async createUser(name: string, deviceLimit: number, by?: Actor): Promise<User> {
      await claimName(name, null);
      return users.create(name, deviceLimit, clock.now(), by);
    },
    async updateUser(userId: number, patch: UserPatch, by?: Actor): Promise<User> {
      await find(userId);
      if (patch.name !== undefined) await claimName(patch.name, userId);
      const user = await users.update(userId, patch, by);
      authentication.forget(({ user: { id } }) => id === userId);
      return user;
    },
    async deleteUser(userId: number, by?: Actor): Promise<void> {
      await find(userId);
      const { items } = await devices.list(userId, { limit: 1, cursor: null });
      if (items.length > 0) throw new HandsetError('Conflict', 'The user still has devices; delete them first');
      await users.delete(userId, by);
      authentication.forget(({ user: { id } }) => id === userId);
    },
    async countActiveDevices(userId: number, only: readonly number[] | null = null): Promise<number> {
      if (only === null) return devices.countActive(userId);
      const found = await devices.findMany(only);
      return found.filter((each) => each.userId === userId && each.subscriptionStatus === 'active').length;
    },
  };
};

export const makeUsers = (parts: Parts) => {
  const authentication = new Authentication(parts);
  const { store, ...keys } = makeKeys(parts, authentication);
  const accounts = makeAccounts(parts, authentication);
  return {
    /** Null for an unknown, revoked or expired key. Notes the use. */
    authenticate: (key: string): Promise<Identity | null> => authentication.authenticate(key),
    recall: authentication.recall,
    isValid: (key: string): Promise<boolean> => authentication.isValid(key),
    identify: (key: string): Promise<Identity | null> => authentication.identify(key),
    signIn: (key: ApiKey, lifeMs: number) => authentication.signIn(key, lifeMs),
    signOut: (secret: string): Promise<void> => authentication.signOut(secret),
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
      // An owner without a key: a first start was interrupted between the two writes.
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
