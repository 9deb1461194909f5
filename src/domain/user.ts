/** Users, their API keys and limits (docs/spec/users.md, Users). */
import type { Actor } from './audit.ts';

export interface User {
  readonly id: number;
  readonly name: string;
  readonly deviceLimit: number;
  readonly createdAt: number;
}

export interface ApiKey {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  /** The last four characters, to tell keys apart. */
  readonly hint: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
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
    },
    by?: Actor,
  ): Promise<ApiKey>;
  /** A valid key (neither revoked nor expired) with its user. */
  findByKeyHash(hash: Uint8Array, now: number): Promise<{ readonly user: User; readonly key: ApiKey } | null>;
  listKeys(userId: number): Promise<readonly ApiKey[]>;
  /** Returns false if the user has no such key. */
  revokeKey(userId: number, keyId: number, now: number, by?: Actor): Promise<boolean>;
  /** Returns null if the user has no such key. */
  setKeyExpiry(userId: number, keyId: number, expiresAt: number | null, by?: Actor): Promise<ApiKey | null>;
  touchKeys(used: ReadonlyMap<number, number>): Promise<void>;
}
