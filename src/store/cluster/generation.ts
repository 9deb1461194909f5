/**
 * Detects a restored database that is older than what was acknowledged (docs/internals/durability.md): the database counts generations, at each
 * start, every ten seconds and at the end, and each process writes the number to a file. A database behind the file has lost what came between.
 */
import { theService } from '../../domain/audit.ts';
import { restoredNote } from '../../domain/changes.ts';
import { auditWriter } from '../sealing/audit.ts';
import type { Context } from '../base/context.ts';
import { keyWriter } from '../sealing/keys.ts';
import { type Unit, all, first } from '../base/unit.ts';
import { randomUUID } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Mutex } from 'async-mutex';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { makeFolder } from '../base/durable-files.ts';

/** May have advanced since: reuse would encrypt two messages with one key. Received sender keys cannot be told from own ones here. */
const gone = ['session', 'sender-key', 'sender-key-memory', 'device-list'];

/** Larger than the number of epochs lost, so none is given twice. */
const epochStep = 1_000_000;

/** Returns the number of devices. The driver does its part at the next login, prompted by a note among the keys. */
function* beginAnew(context: Context, sign: string): Unit<number> {
  const { sql, database } = context;
  // First: this ends running sessions and waits for their writes.
  if (database.shared) {
    // A running node keeps its devices, so no other connects them before it has ended its sessions.
    const free = sign === 'told' ? { node: null } : {};
    yield* all(sql.updateTable('leases').set((e) => ({ ...free, epoch: e('epoch', '+', epochStep) })));
  }
  yield* all(sql.deleteFrom('signal_keys').where('type', 'in', gone));
  const devices = yield* all(sql.selectFrom('credentials').select('device_id').orderBy('device_id'));
  const write = keyWriter(context);
  for (const { device_id: id } of devices) yield* write(id, [{ ...restoredNote, value: Uint8Array.of(1) }]);
  const by = sign === 'told' ? ({ kind: 'operator', address: null } as const) : theService;
  yield* auditWriter(context)(by, 'backup.restored', {}, { sign, devices: devices.length });
  return devices.length;
}

/** `lineage`: one installation's database and its copies. */
export interface Generation {
  readonly lineage: string;
  readonly value: number;
}

/** Another node's file may be ahead of the one that notices first. */
const restoredStep = 1_000_000_000;
const everyMs = 10_000;

const fileOf = (dataDir: string): string => join(dataDir, 'generation.json');

export const readGeneration = async (dataDir: string): Promise<Generation | null> => {
  try {
    const said: unknown = JSON.parse(await readFile(fileOf(dataDir), 'utf8'));
    if (typeof said !== 'object' || said === null || !('lineage' in said) || !('value' in said)) return null;
    const { lineage, value } = said;
    return typeof lineage === 'string' && Number.isSafeInteger(value) ? { lineage, value: Number(value) } : null;
  } catch {
    return null;
  }
};

const synced = async (path: string, flags: string, text?: string): Promise<void> => {
  await using file = await open(path, flags, 0o600);
  if (text !== undefined) await file.writeFile(text);
  await file.sync();
};

const writeGeneration = async (dataDir: string, generation: Generation): Promise<void> => {
  makeFolder(dataDir);
  const path = fileOf(dataDir);
  await synced(`${path}.tmp`, 'w', `${JSON.stringify(generation)}\n`);
  await rename(`${path}.tmp`, path);
  await synced(dataDir, 'r');
};

/** The database is empty, but the file says there was data. `moves`: the folder may hold the data. */
class DatabaseLost extends Error {
  constructor(dataDir: string, moves: boolean) {
    super(
      `The database is empty, but ${fileOf(dataDir)} is of one with data: it was lost. Put it back as docs/operations.md says below Backup, ${moves ? 'move the data of that folder with "handset migrate-to-postgres", ' : ''}or delete that file to begin anew without it`,
    );
  }
}

/** Call before creating the database or schema. */
export const assertNotLost = async (dataDir: string, moves: boolean): Promise<void> => {
  if ((await readGeneration(dataDir)) !== null) throw new DatabaseLost(dataDir, moves);
};

/** `older`: behind the file. `copy`: a backup. `told`: the operator says so. */
type Sign = 'older' | 'copy' | 'told';

export interface Raised extends Generation {
  /** Devices that begin new sessions; null if no restore was detected. */
  readonly restored: number | null;
}

const isLinked = ({ sql }: Context): Unit<{ device_id: number } | undefined> =>
  first(sql.selectFrom('credentials').select('device_id').limit(1));

const isEmpty = function* ({ sql }: Context): Unit<boolean> {
  const generation = yield* first(sql.selectFrom('generation').select('id').limit(1));
  return generation === undefined && (yield* first(sql.selectFrom('users').select('id').limit(1))) === undefined;
};

/** Increments the generation; a restore is handled in the same transaction. `said`: the recorded generation. */
export function* raise(context: Context, said: Generation | null, told = false): Unit<Raised> {
  const { sql } = context;
  const next = sql
    .updateTable('generation')
    .set((e) => ({ value: e('value', '+', 1) }))
    .returning(['lineage', 'value', 'copied']);
  const row = yield* first(next);
  const lineage = row?.lineage ?? said?.lineage ?? randomUUID();
  const isOlder = row === undefined ? said !== null : said?.lineage === lineage && row.value <= said.value;
  const sign: Sign | null = told ? 'told' : row?.copied === 1 ? 'copy' : isOlder ? 'older' : null;
  const noticed = sign === 'told' || (sign !== null && (yield* isLinked(context)) !== undefined);
  const value = Math.max(row?.value ?? 1, isOlder ? said!.value + 1 : 1) + (noticed ? restoredStep : 0);
  const restored = noticed ? yield* beginAnew(context, sign) : null;
  const values = { id: 1, lineage, value, copied: 0 };
  const insert = sql.insertInto('generation').values(values);
  yield* all(insert.onConflict((c) => c.column('id').doUpdateSet({ value, copied: 0 })));
  return { lineage, value, restored };
}

export interface Generations {
  /** Records a last generation if the database answers, then closes it. */
  close(database: () => Promise<void>): Promise<void>;
}

export const countGenerations = async (
  context: Context,
  dataDir: string | null,
  log?: Logger,
): Promise<Generations> => {
  let said = dataDir === null ? null : await readGeneration(dataDir);
  const { shared } = context.database;
  if (dataDir !== null && said !== null && (await context.database.read(() => isEmpty(context))))
    throw new DatabaseLost(dataDir, shared);
  const next = async (): Promise<Generation> => {
    const { restored, ...generation } = await context.database.write(() => raise(context, said));
    if (restored !== null) {
      const text =
        'the database is older than what this installation has said: it was restored. All devices begin new sessions with everybody';
      log?.warn({ devices: restored }, text);
    }
    return generation;
  };
  const writeDown = async (generation: Generation): Promise<void> => {
    if (dataDir !== null) await writeGeneration(dataDir, generation);
    said = generation;
  };
  const step = async (): Promise<void> => writeDown(await next());
  const failed = (error: unknown): void => {
    const text = 'the generation of the database could not be recorded; a restored backup might go unnoticed';
    log?.warn({ reason: messageOf(error) }, text);
  };
  // Nodes may run without a data folder.
  await (shared ? step().catch(failed) : step());
  const steps = new Mutex();
  const timer = setInterval(() => void steps.runExclusive(step).catch(failed), everyMs).unref();
  return {
    async close(database) {
      clearInterval(timer);
      await steps.waitForUnlock();
      const last = next().catch(() => null);
      if (shared) await last;
      await database();
      const generation = await last;
      if (generation !== null) await writeDown(generation).catch(() => undefined);
    },
  };
};
