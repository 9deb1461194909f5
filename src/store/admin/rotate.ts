/** Rotates the secret at rest. Interrupted, it is completed by running it again; until then the service does not start. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Compilable, sql as text } from 'kysely';
import { type Unit, all } from '../base/unit.ts';
import { auditWriter } from '../sealing/audit.ts';
import type { Context } from '../base/context.ts';
import { dropMarker, hasMarker, opensMarker, putMarker, readMarker } from '../sealing/data-markers.ts';
import { sync, writeSynced } from '../base/durable-files.ts';
import { databaseOf, withDatabase, withFolder } from '../open-sqlite.ts';
import { contextIn, type Sealer, makeSealer } from '../sealing/sealer.ts';
import { loadSecret, tooWeak } from '../sealing/secret.ts';
import { type Row, type SealedTable, sealedTables } from './sealed-tables.ts';

export interface RotationOptions {
  readonly dataDir: string;
  readonly secret: string | null;
  readonly newSecret: string | null;
  readonly step?: Step;
}

type Step = (name: 'prepared' | 'resealed' | 'marked' | 'replaced') => unknown;

export interface Rotation {
  readonly resealed: number;
  readonly verified: number;
}

/** Reuses the secret of an interrupted run. It is on disk before anything is sealed with it. */
const nextSecret = (dataDir: string, path: string): string => {
  const known = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (known !== '') return known;
  const secret = randomBytes(32).toString('base64url');
  writeSynced(path, secret);
  sync(dataDir);
  return secret;
};

const assertKnown = async (context: Context, from: Sealer, to: Sealer): Promise<void> => {
  const under = await hasMarker(context, 'rotation');
  if (under && !(await opensMarker(context, to, 'rotation'))) {
    throw new Error('An earlier rotation to another secret is unfinished: run it again with that HANDSET_NEW_SECRET');
  }
  if (!(await opensMarker(context, from, 'seal check')) && !(await opensMarker(context, to, 'seal check'))) {
    throw new Error('The data is sealed with another secret: set HANDSET_SECRET to the one it was made with');
  }
};

const lookupKeyOf = async (context: Context, from: Sealer, to: Sealer): Promise<string> => {
  for (const sealer of [to, from]) {
    if (await opensMarker(context, sealer, 'lookup key')) return (await readMarker(context, sealer, 'lookup key'))!;
  }
  return from.lookupKey;
};

const carryRevisions = async (context: Context, from: Sealer, to: Sealer): Promise<void> => {
  for (const name of ['client revision on whatsapp', 'client revision on sandbox'] as const) {
    const known = (await opensMarker(context, from, name)) ? await readMarker(context, from, name) : null;
    if (known !== null) await context.database.write(() => putMarker(context, to, name, known));
  }
};

const batch = 200;

const refs = (columns: readonly string[]) => text.join(columns.map((column) => text.ref(column)));

const page = ({ sql }: Context, { name, key, more, columns }: SealedTable, after: Row | null) => {
  const wanted = refs([...key, ...more, ...columns]);
  const beyond =
    after === null ? text`` : text`where (${refs(key)}) > (${text.join(key.map((column) => after[column]))})`;
  const query = text<Row>`select ${wanted} from ${text.table(name)} ${beyond} order by ${refs(key)} limit ${text.lit(batch)}`;
  return compilable(query.compile(sql));
};

const compilable = <R>(compiled: ReturnType<Compilable<R>['compile']>): Compilable<R> => ({ compile: () => compiled });

const update = ({ sql }: Context, { name, key }: SealedTable, row: Row, set: Readonly<Record<string, Uint8Array>>) => {
  const values = text.join(Object.entries(set).map(([column, value]) => text`${text.ref(column)} = ${value}`));
  const where = text.join(
    key.map((column) => text`${text.ref(column)} = ${row[column]}`),
    text` and `,
  );
  return compilable(text`update ${text.table(name)} set ${values} where ${where}`.compile(sql));
};

const walk = async (
  context: Context,
  table: SealedTable,
  use: (rows: readonly Row[]) => Promise<void>,
): Promise<void> => {
  let last: Row | null = null;
  do {
    const after: Row | null = last;
    const rows: Row[] = await context.database.read(() => all(page(context, table, after)));
    if (rows.length > 0) await use(rows);
    last = rows.length === batch ? rows.at(-1)! : null;
  } while (last !== null);
};

const envelopes = ({ name, columns }: SealedTable, row: Row) =>
  columns.flatMap((column) => {
    const envelope = row[column];
    return envelope instanceof Uint8Array ? [{ column, envelope, context: contextIn(`${name}.${column}`, row) }] : [];
  });

/** Reseals every value with another secret, a few rows per transaction. Values already resealed are skipped. */
const resealAll = async (context: Context, from: Sealer, to: Sealer): Promise<number> => {
  let count = 0;
  function* reseal(table: SealedTable, rows: readonly Row[]): Unit<void> {
    for (const row of rows) {
      const old = envelopes(table, row).filter(({ envelope }) => !to.made(envelope));
      if (old.length === 0) continue;
      const set = Object.fromEntries(
        old.map(({ column, envelope, context: name }) => [column, to.seal(from.open(envelope, name), name)]),
      );
      yield* all(update(context, table, row, set));
      count += old.length;
    }
  }
  for (const table of sealedTables) {
    await walk(context, table, (rows) => context.database.write(() => reseal(table, rows)));
  }
  return count;
};

/** Returns how many values there are. Throws SealBroken at the first that does not open. */
export const verifyAll = async (context: Context, sealer: Sealer): Promise<number> => {
  let count = 0;
  for (const table of sealedTables) {
    await walk(context, table, async (rows) => {
      for (const row of rows) {
        for (const { envelope, context: name } of envelopes(table, row)) {
          sealer.open(envelope, name);
          count += 1;
        }
      }
    });
  }
  return count;
};

const reseal = async (context: Context, from: Sealer, to: Sealer, step: Step): Promise<Rotation> => {
  const lookupKey = await lookupKeyOf(context, from, to);
  await context.database.write(function* () {
    yield* putMarker(context, to, 'rotation', 'rotation');
    yield* putMarker(context, to, 'lookup key', lookupKey);
  });
  await carryRevisions(context, from, to);
  await step('prepared');
  const resealed = await resealAll(context, from, to);
  const verified = await verifyAll(context, to);
  await step('resealed');
  return { resealed, verified };
};

/** Calls `replace` once everything is resealed, before the rotation is marked as done. */
export const rotateFrom = async (
  context: Context,
  { from, to, replace, step }: { readonly from: Sealer; readonly to: Sealer; readonly replace: () => void; step: Step },
): Promise<Rotation> => {
  await assertKnown(context, from, to);
  // A rotation that has begun is completed, even with a weak secret.
  if (to.weak && !(await hasMarker(context, 'rotation'))) throw tooWeak('HANDSET_NEW_SECRET');
  const done = await reseal(context, from, to, step);
  await context.database.write(() => putMarker(context, to, 'seal check', 'seal check'));
  await step('marked');
  replace();
  await step('replaced');
  await context.database.write(function* () {
    yield* dropMarker(context, 'rotation');
    const detail = { values: done.verified };
    yield* auditWriter(context)({ kind: 'operator', address: null }, 'secret.rotated', {}, detail);
  });
  await context.database.scrub();
  return done;
};

export const rotateSecret = async (options: RotationOptions): Promise<Rotation> => {
  const { dataDir, secret, newSecret, step = () => undefined } = options;
  const path = join(dataDir, 'secret');
  const nextPath = `${path}.next`;
  if (secret !== null && newSecret === null) {
    throw new Error('The secret comes from HANDSET_SECRET: set HANDSET_NEW_SECRET to the one to use from now on');
  }
  if (!existsSync(databaseOf(dataDir)))
    throw new Error(`There is no data in ${dataDir}: HANDSET_DATA_DIR names the folder`);
  const replace = (): void => {
    if (newSecret === null && existsSync(nextPath)) renameSync(nextPath, path);
    if (newSecret !== null) rmSync(path, { force: true });
    sync(dataDir);
  };
  return withFolder(dataDir, () => {
    const from = makeSealer(loadSecret(dataDir, secret, false));
    return withDatabase(databaseOf(dataDir), from, async (context) => {
      // The file was already replaced; an interrupted run has only left its marker.
      const replaced = newSecret === null && !existsSync(nextPath);
      const finishing = replaced && (await opensMarker(context, from, 'rotation'));
      const to = finishing ? from : makeSealer(newSecret ?? nextSecret(dataDir, nextPath));
      return rotateFrom(context, { from, to, replace, step });
    });
  });
};
