/** The parts that every port of one database shares. */
import type { Kysely } from 'kysely';
import type { CommittedEvent } from '../../domain/event.ts';
import type { SuppressingUsers } from '../chats/suppressing-users.ts';
import type { Schema } from './schema.ts';
import type { Sealer } from '../sealing/sealer.ts';
import type { Database } from './unit.ts';

export interface Context {
  /** Compiles the queries in the database's dialect; nothing is executed through it after the migrations. */
  readonly sql: Kysely<Schema>;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly now: () => number;
  /** Users who have suppressions, over all nodes. */
  readonly suppressing: SuppressingUsers;
  /** Notifies the listeners of `Stores.onEvents`; called after the commit, in commit order. */
  readonly published: (events: readonly CommittedEvent[]) => void;
}
