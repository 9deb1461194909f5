/** What every port of one database is made from. */
import type { Kysely } from 'kysely';
import type { CommittedEvent } from '../domain/event.ts';
import type { KnownDevices } from './devices/known-devices.ts';
import type { Schema } from './schema.ts';
import type { Seal } from './sealing/seal.ts';
import type { Database } from './unit.ts';

export interface Context {
  /** Compiles the queries in the database's dialect; nothing is executed through it after the migrations. */
  readonly sql: Kysely<Schema>;
  readonly database: Database;
  readonly seal: Seal;
  readonly now: () => number;
  /** Null where others write devices, too. */
  readonly known: KnownDevices | null;
  /** Tells the listeners of `Stores.onEvents`; called after the commit, in its order. */
  readonly published: (events: readonly CommittedEvent[]) => void;
}
