/** Sealed markers that identify the secret of the data, a rotation under way, and the network. */
import type { NetworkKind } from '../../domain/client-version.ts';
import type { Context } from '../base/context.ts';
import { type Sealer, SealBroken } from './sealer.ts';
import { tooWeak } from './secret.ts';
import { type Unit, all, first } from '../base/unit.ts';

type Parts = Pick<Context, 'sql' | 'database'>;

/** `seal check`: sealed with the current secret. `rotation`: with the coming one. `lookup key`: survives rotations. `on …`: of linked devices. */
export type MarkerName =
  | 'seal check'
  | 'lookup key'
  | 'rotation'
  | `on ${NetworkKind}`
  | `client revision on ${NetworkKind}`
  | `client expiration on ${NetworkKind}`;

const find = ({ sql }: Parts, name: MarkerName) =>
  first(sql.selectFrom('meta').select('value').where('name', '=', name));

export function* putMarker({ sql }: Parts, sealer: Sealer, name: MarkerName, text: string): Unit<void> {
  const value = sealer.sealJson(text, name);
  const insert = sql.insertInto('meta').values({ name, value });
  yield* all(insert.onConflict((c) => c.column('name').doUpdateSet({ value })));
}

export function* dropMarker({ sql }: Parts, name: MarkerName): Unit<void> {
  yield* all(sql.deleteFrom('meta').where('name', '=', name));
}

export const readMarker = async (parts: Parts, sealer: Sealer, name: MarkerName): Promise<string | null> => {
  const row = await parts.database.read(() => find(parts, name));
  return row === undefined ? null : sealer.openJson(row.value, name);
};

export const hasMarker = async (parts: Parts, name: MarkerName): Promise<boolean> =>
  (await parts.database.read(() => find(parts, name))) !== undefined;

export const opensMarker = async (parts: Parts, sealer: Sealer, name: MarkerName): Promise<boolean> => {
  try {
    return (await readMarker(parts, sealer, name)) !== null;
  } catch (error) {
    if (error instanceof SealBroken) return false;
    throw error;
  }
};

/** The first start writes a marker that later starts must open. `where` names the data in the refusal. */
export const assertSecret = async (context: Context, where: string): Promise<void> => {
  const { sql, database, sealer } = context;
  if (await hasMarker(context, 'rotation')) {
    throw new Error(`A rotation of the secret of ${where} is unfinished: run "handset rotate-secret" to finish it`);
  }
  if (!(await hasMarker(context, 'seal check'))) {
    if (sealer.weak) throw tooWeak('HANDSET_SECRET');
    const value = sealer.sealJson('seal check', 'seal check');
    // Another node may have been first: its marker stays, and is checked.
    const insert = sql.insertInto('meta').values({ name: 'seal check', value });
    await database.write(() => all(insert.onConflict((c) => c.doNothing())));
  }
  if (!(await opensMarker(context, sealer, 'seal check'))) {
    throw new Error(`The data in ${where} is sealed with another secret: start with the one it was made with`);
  }
  const lookupKey = await readMarker(context, sealer, 'lookup key');
  if (lookupKey !== null) sealer.adoptLookupKey(lookupKey);
};

const networks: Readonly<
  Record<NetworkKind, { readonly name: string; readonly other: NetworkKind; readonly start: string }>
> = {
  whatsapp: { name: 'WhatsApp', other: 'sandbox', start: 'without a sandbox' },
  sandbox: { name: 'the sandbox', other: 'whatsapp', start: 'with --sandbox or HANDSET_NETWORK' },
};

const isLinked = async ({ sql, database }: Parts): Promise<boolean> => {
  const devices = sql.selectFrom('devices').select('id').where('deleted', '=', 0).where('account', 'is not', null);
  return (await database.read(() => first(devices.limit(1)))) !== undefined;
};

/** Linked devices must not move to another network, which does not know them: they would lose their links. */
export const assertNetwork = async (context: Context, network: NetworkKind, where: string): Promise<void> => {
  const { name, other } = networks[network];
  const before: MarkerName = `on ${other}`;
  if (await hasMarker(context, before)) {
    if (await isLinked(context)) {
      throw new Error(
        `The devices in ${where} are linked on ${networks[other].name}, and would lose their links on ${name}. ` +
          `Start ${networks[other].start}, or use another place for ${name}, for example HANDSET_DATA_DIR=data-${network}`,
      );
    }
    await context.database.write(() => dropMarker(context, before));
  }
  if (await hasMarker(context, `on ${network}`)) return;
  await context.database.write(() => putMarker(context, context.sealer, `on ${network}`, network));
};
