/** What all stores of one database share. */
import type { Kysely } from 'kysely';
import type { CommittedEvent } from '../../domain/event.ts';
import type { SuppressingUsers } from '../chats/suppressing-users.ts';
import type { Schema } from './schema.ts';
import type { Sealer } from '../sealing/sealer.ts';
import type { Database } from './unit.ts';

export interface Context {
  /** Compiles queries in the database's dialect; after the migrations nothing is executed through it. */
  readonly sql: Kysely<Schema>;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly now: () => number;
  /** Users with suppressions, on all nodes. */
  readonly suppressing: SuppressingUsers;
  /** Notifies the listeners of `Stores.onEvents`; called after the commit, in commit order. */
  readonly published: (events: readonly CommittedEvent[]) => void;
}
