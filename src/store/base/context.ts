/** What all stores of one database share. */
import type { Kysely } from 'kysely';
import type { SuppressingUsers } from '../chats/suppressing-users.ts';
import type { FreshClaims, WrittenEvent } from './fresh-claims.ts';
import type { Schema } from './schema.ts';
import type { Sealer } from '../sealing/sealer.ts';
import type { Database } from './unit.ts';

export interface Context {
  /** Compiles queries in the database's dialect; after the migrations nothing is executed through it. */
  readonly sql: Kysely<Schema>;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly now: () => number;
  readonly suppressing: SuppressingUsers;
  readonly fresh: FreshClaims;
  /** Called after the commit, in commit order. */
  readonly published: (events: readonly WrittenEvent[]) => void;
}
