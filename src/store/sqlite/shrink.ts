/** Returns freed pages to the disk, a few at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../base/context.ts';
import type { Unit } from '../base/unit.ts';

/** 4 kB pages left free for new rows. */
const keptPages = 1_000;
/** 32 take half a millisecond; those of one commit are flushed together. */
const stepPages = 32;
const pauseMs = 5;
const maxSteps = 100;

function* numberOf(pragma: string): Unit<number> {
  const rows: Readonly<Record<string, number>>[] = yield { sql: `pragma ${pragma}`, values: [] };
  return Object.values(rows[0] ?? {})[0] ?? 0;
}

function* spare(): Unit<number> {
  const incremental = 2;
  return (yield* numberOf('auto_vacuum')) === incremental ? (yield* numberOf('freelist_count')) - keptPages : 0;
}

function* step(): Unit<number> {
  yield { sql: `pragma incremental_vacuum(${stepPages})`, values: [] };
  return yield* spare();
}

/** True if more can be returned. Without `auto_vacuum` nothing is, until `handset compact` has rewritten the database. */
export const shrink = async ({ database }: Pick<Context, 'database'>): Promise<boolean> => {
  if (database.shared) return false;
  let left = await database.read(spare);
  for (let steps = 0; left > 0 && steps < maxSteps; steps += 1) {
    left = await database.write(step);
    await sleep(pauseMs);
  }
  return left > 0;
};
