/** Sealed marks that tell whether a secret is the one of the data, and whether a rotation is under way. */
import type { Context } from './context.ts';
import { type Seal, SealBroken } from './seal.ts';
import { type Unit, all, first } from './unit.ts';

type Parts = Pick<Context, 'sql' | 'database'>;

/** `check`: sealed with the secret of the data. `lookup key`: kept over rotations. `rotation`: sealed with the coming secret. */
export type MarkName = 'seal check' | 'lookup key' | 'rotation';

const find = ({ sql }: Parts, name: MarkName) => first(sql.selectFrom('meta').select('value').where('name', '=', name));

export function* putMark({ sql }: Parts, seal: Seal, name: MarkName, text: string): Unit<void> {
  const value = seal.sealJson(text, name);
  const insert = sql.insertInto('meta').values({ name, value });
  yield* all(insert.onConflict((c) => c.column('name').doUpdateSet({ value })));
}

export function* dropMark({ sql }: Parts, name: MarkName): Unit<void> {
  yield* all(sql.deleteFrom('meta').where('name', '=', name));
}

/** Null when it is not there; throws SealBroken when another secret made it. */
export const readMark = async (parts: Parts, seal: Seal, name: MarkName): Promise<string | null> => {
  const row = await parts.database.read(() => find(parts, name));
  return row === undefined ? null : seal.openJson(row.value, name);
};

export const hasMark = async (parts: Parts, name: MarkName): Promise<boolean> =>
  (await parts.database.read(() => find(parts, name))) !== undefined;

/** True when the mark is there and this secret made it. */
export const opensMark = async (parts: Parts, seal: Seal, name: MarkName): Promise<boolean> => {
  try {
    return (await readMark(parts, seal, name)) !== null;
  } catch (error) {
    if (error instanceof SealBroken) return false;
    throw error;
  }
};

/** The first start leaves a mark; later starts must be able to open it. `where` names the data in the refusal. */
export const assertSecret = async (context: Context, where: string): Promise<void> => {
  const { sql, database, seal } = context;
  if (await hasMark(context, 'rotation')) {
    throw new Error(`A rotation of the secret of ${where} is unfinished: run "handset rotate-secret" to finish it`);
  }
  if (!(await hasMark(context, 'seal check'))) {
    const value = seal.sealJson('seal check', 'seal check');
    // Another node may be the first at the same moment: its mark stays, and is checked.
    const insert = sql.insertInto('meta').values({ name: 'seal check', value });
    await database.write(() => all(insert.onConflict((c) => c.doNothing())));
  }
  if (!(await opensMark(context, seal, 'seal check'))) {
    throw new Error(`The data in ${where} is sealed with another secret: start with the one it was made with`);
  }
  const lookupKey = await readMark(context, seal, 'lookup key');
  if (lookupKey !== null) seal.adoptLookupKey(lookupKey);
};
