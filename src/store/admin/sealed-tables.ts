/** The tables with sealed columns, as the rotation of the secret and the verification of a backup walk through them. */
import { contexts } from '../sealing/sealer.ts';

// oxlint-disable-next-line typescript/no-redundant-type-constituents -- columns vary by table
export type Row = Readonly<Record<string, number | string | Uint8Array | null>>;

export interface SealedTable {
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** The others that contexts are made of. */
  readonly more: readonly string[];
  readonly columns: readonly string[];
}

/** Primary keys that are not the columns of the context. */
const keys: Readonly<Record<string, readonly string[]>> = {
  messages: ['n'],
  suppressions: ['id'],
  attempts: ['device_id', 'webhook_id', 'seq', 'at'],
};

const byTable = Map.groupBy(Object.entries(contexts), ([column]) => column.split('.')[0]!);

export const sealedTables: readonly SealedTable[] = [...byTable].map(([name, sealed]) => {
  const told = sealed[0]![1].split('/').slice(1);
  const key = keys[name] ?? told;
  const more = told.filter((column) => !key.includes(column));
  return { name, key, more, columns: sealed.map(([column]) => column.split('.')[1]!) };
});
