/** The failures that acknowledged requests survive, and the PostgreSQL settings this requires. */
import type { Database, Unit } from './unit.ts';

export type Durability = 'power' | 'process';

/** Why each setting has to be on (PostgreSQL 18, "Write Ahead Log" and "Asynchronous Commit", 2026-11). */
const reasons = {
  fsync: 'a power cut of its machine can damage the whole database',
  synchronous_commit: 'a power cut of its machine takes commits of the last moment, which have been acknowledged',
  full_page_writes: 'a power cut of its machine can leave pages half written, which nothing mends',
} as const;

function* settings(): Unit<Record<keyof typeof reasons, string>> {
  const [row]: Record<keyof typeof reasons, string>[] = yield {
    sql:
      "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit, " +
      "current_setting('full_page_writes') as full_page_writes",
    values: [],
  };
  return row!;
}

export const unsafeSettings = async (database: Database): Promise<readonly string[]> => {
  const values = await database.read(settings);
  return (['fsync', 'synchronous_commit', 'full_page_writes'] as const)
    .filter((name) => values[name] === 'off')
    .map((name) => `PostgreSQL runs with ${name} = off: ${reasons[name]}`);
};

export const assertSettings = async (database: Database): Promise<void> => {
  const unsafe = await unsafeSettings(database);
  if (unsafe.length === 0) return;
  throw new Error(
    `${unsafe.join('. ')}. Switch it on in postgresql.conf (a role or a database may have a value of its own), ` +
      'or set HANDSET_DURABILITY=process if this data may be lost with the power',
  );
};
