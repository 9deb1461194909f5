/** Users, their API keys and their limits (docs/spec/users.md, Users). */

export interface User {
  readonly id: number;
  readonly name: string;
  /** How many active devices the subscription allows. */
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
