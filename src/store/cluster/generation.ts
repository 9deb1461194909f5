/**
 * Notices a database that is older than what the installation has said (docs/internals/durability.md, "A database that was put back").
 *
 * The database counts its generations: at each start, every ten seconds while it runs, and at the end. Each process writes the
 * number into a file of its data folder afterwards. A database with a smaller number than the file has lost what came between.
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

/**
 * A ratchet or sender key that has gone on since then must not be used again: one key would encrypt two messages. New sessions are
 * agreed on with the next message of either side; what comes under the former ones is asked for again. Others' sender keys go, too, for
 * here nobody can tell them from the device's own. Lists of devices are asked for anew. Identities, prekeys and addresses stay: what
 * they say is as true as before.
 */
const gone = ['session', 'sender-key', 'sender-key-memory', 'device-list'];

/** More than the epochs given since the restored state, so none is given twice. */
const epochStep = 1_000_000;

/** Makes all devices begin new sessions; returns their number. The driver does its part at the next login, prompted by a note among the keys. */
function* beginAnew(context: Context, sign: string): Unit<number> {
  const { sql, database } = context;
  // First: it ends running sessions and waits for their writes.
  if (database.shared) {
    // A node that runs keeps its devices, so that no other connects them before it has ended its sessions.
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

/** A lineage is one installation's database and its copies. */
export interface Generation {
  readonly lineage: string;
  readonly value: number;
}

/** Another node's file may be ahead of the one that first notices the restoration. */
const restoredStep = 1_000_000_000;
const everyMs = 10_000;

const fileOf = (dataDir: string): string => join(dataDir, 'generation.json');

/** Null if there is no readable file. */
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
  const file = await open(path, flags, 0o600);
  try {
    if (text !== undefined) await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

const writeGeneration = async (dataDir: string, generation: Generation): Promise<void> => {
  makeFolder(dataDir);
  const path = fileOf(dataDir);
  await synced(`${path}.tmp`, 'w', `${JSON.stringify(generation)}\n`);
  await rename(`${path}.tmp`, path);
  await synced(dataDir, 'r');
};

/** An empty database beside a file of one with data. `moves`: the folder may hold the data. */
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

/** `older`: than the file. `copy`: it is a backup. `told`: the operator says so. */
type Sign = 'older' | 'copy' | 'told';

export interface Raised extends Generation {
  /** Number of devices that begin new sessions; null if no restoration was noticed. */
  readonly restored: number | null;
}

const isLinked = ({ sql }: Context): Unit<{ device_id: number } | undefined> =>
  first(sql.selectFrom('credentials').select('device_id').limit(1));

const isEmpty = function* ({ sql }: Context): Unit<boolean> {
  const generation = yield* first(sql.selectFrom('generation').select('id').limit(1));
  return generation === undefined && (yield* first(sql.selectFrom('users').select('id').limit(1))) === undefined;
};

/** Counts one generation up; a restoration is handled in the same transaction. `said`: what this process and earlier ones recorded. */
export function* raise(context: Context, said: Generation | null, told = false): Unit<Raised> {
  const { sql } = context;
  const next = sql
    .updateTable('generation')
    .set((e) => ({ value: e('value', '+', 1) }))
    .returning(['lineage', 'value', 'copied']);
  const row = yield* first(next);
  const lineage = row?.lineage ?? said?.lineage ?? randomUUID();
  // A database without a generation is new.
  const isOlder = row === undefined ? said !== null : said?.lineage === lineage && row.value <= said.value;
  const sign: Sign | null = told ? 'told' : row?.copied === 1 ? 'copy' : isOlder ? 'older' : null;
  const noticed = sign === 'told' || (sign !== null && (yield* isLinked(context)) !== undefined);
  const value = Math.max(row?.value ?? 1, isOlder ? said!.value + 1 : 1) + (noticed ? restoredStep : 0);
  const restored = noticed ? yield* beginAnew(context, sign) : null;
  const values = { id: 1, lineage, value, copied: 0 };
  // If two nodes start on an empty database, the second one updates the row of the first.
  const insert = sql.insertInto('generation').values(values);
  yield* all(insert.onConflict((c) => c.column('id').doUpdateSet({ value, copied: 0 })));
  return { lineage, value, restored };
}

export interface Generations {
  /** Closes the database after recording a last number, if it answers. */
  close(database: () => Promise<void>): Promise<void>;
}

/** Without `dataDir` there is no file, and only a backup is noticed. */
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
  // Nodes may run without a folder of their own.
  await (shared ? step().catch(failed) : step());
  const steps = new Mutex();
  const timer = setInterval(() => void steps.runExclusive(step).catch(failed), everyMs).unref();
  return {
    async close(database) {
      clearInterval(timer);
      // A running step ends first. The mutex is not acquired, so a second close does not wait forever.
      await steps.waitForUnlock();
      const last = next().catch(() => null);
      // SQLite commits queued writes as it closes, and refuses later ones.
      if (shared) await last;
      await database();
      const generation = await last;
      if (generation !== null) await writeDown(generation).catch(() => undefined);
    },
  };
};
