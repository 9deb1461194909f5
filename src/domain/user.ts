/** Users, their API keys and limits (docs/spec/users.md, Users). */
import type { Creation } from './messages/idempotency.ts';
import type { Actor } from './audit.ts';

export interface User {
  readonly id: number;
  readonly name: string;
  readonly deviceLimit: number;
  readonly createdAt: number;
}

/** Of a user, that can be used; and those that cannot, of which older ones are removed. */
export const maxKeys = 1_000;
export const maxEndedKeys = 1_000;

/** `send`: messages and actions in chats; `manage`: devices, groups, settings, webhooks; `admin`: keys and account-wide webhooks. */
export const keyActions = ['read', 'send', 'manage', 'admin'] as const;

export type KeyAction = (typeof keyActions)[number];

/** Null: all. */
export interface KeyLimits {
  readonly devices: readonly number[] | null;
  readonly actions: readonly KeyAction[] | null;
}

export const noKeyLimits: KeyLimits = { devices: null, actions: null };

export const reaches = ({ devices }: KeyLimits, deviceId: number): boolean => devices?.includes(deviceId) ?? true;

export const permits = ({ actions }: KeyLimits, action: KeyAction): boolean => actions?.includes(action) ?? true;

const isPart = <T>(part: readonly T[] | null, whole: readonly T[] | null): boolean =>
  whole === null || (part !== null && part.every((each) => whole.includes(each)));

/** A key with `part` can do nothing that one with `whole` cannot. */
export const isWithin = (part: KeyLimits, whole: KeyLimits): boolean =>
  isPart(part.devices, whole.devices) && isPart(part.actions, whole.actions);

export interface KeyPatch extends Partial<KeyLimits> {
  readonly expiresAt?: number | null;
}

export interface ApiKey extends KeyLimits {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly hint: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface SignIn {
  readonly hash: Uint8Array;
  readonly keyId: number;
  readonly expiresAt: number;
}

export interface UserStore {
  create(name: string, deviceLimit: number, now: number, by?: Actor): Promise<User>;
  find(id: number): Promise<User | null>;
  findByName(name: string): Promise<User | null>;
  list(): Promise<readonly User[]>;
  update(id: number, patch: { readonly name?: string; readonly deviceLimit?: number }, by?: Actor): Promise<User>;
  delete(id: number, by?: Actor): Promise<void>;
  createKey(
    key: {
      readonly userId: number;
      readonly name: string;
      readonly hint: string;
      readonly hash: Uint8Array;
      readonly createdAt: number;
      readonly expiresAt: number | null;
    } & Partial<KeyLimits>,
    by?: Actor,
    once?: { readonly creation: Creation; readonly secret: string },
  ): Promise<ApiKey>;
  findByKeyHash(hash: Uint8Array, now: number): Promise<{ readonly user: User; readonly key: ApiKey } | null>;
  /** Valid as long as the key, at most until `expiresAt`. Only a key's newest sign-ins are kept. */
  createSignIn(signIn: SignIn, now: number): Promise<void>;
  findBySignIn(hash: Uint8Array, now: number): Promise<{ readonly user: User; readonly key: ApiKey } | null>;
  deleteSignIn(hash: Uint8Array): Promise<void>;
  listKeys(userId: number): Promise<readonly ApiKey[]>;
  revokeKey(userId: number, keyId: number, now: number, by?: Actor): Promise<boolean>;
  updateKey(userId: number, keyId: number, patch: KeyPatch, by?: Actor): Promise<ApiKey | null>;
  touchKeys(used: ReadonlyMap<number, number>): Promise<void>;
}
