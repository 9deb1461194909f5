/** Signal keys and the other entries of the authentication state: found by a hash, each sealed with its id. */
import { type SqlBool, sql as text } from 'kysely';
import type { KeyChange, KeyName } from '../../domain/changes.ts';
import type { CredentialStore } from '../../domain/stores.ts';
import { inTurns } from '../../domain/turns.ts';
import type { Context } from '../base/context.ts';
import { contextOf, type Sealer } from './sealer.ts';
import { type Prepared, type Unit, all, prepare } from '../base/unit.ts';
import { putting, dropping } from '../base/statements.ts';

interface KeyRow {
  readonly device_id: number;
  readonly type: string;
  readonly id_hash: string;
  readonly value: Uint8Array;
}

/** Two bytes of length, the id, the value. */
const sealKey = (sealer: Sealer, row: Omit<KeyRow, 'value'>, id: string, value: Uint8Array): Uint8Array => {
  const name = Buffer.from(id);
  const head = Buffer.allocUnsafe(2);
  head.writeUInt16BE(name.length);
  return sealer.seal(Buffer.concat([head, name, value]), contextOf('signal_keys.value', row));
};

const openKey = (sealer: Sealer, row: KeyRow): { readonly id: string; readonly value: Uint8Array } => {
  const plain = Buffer.from(sealer.open(row.value, contextOf('signal_keys.value', row)));
  const start = 2 + plain.readUInt16BE(0);
  return { id: plain.toString('utf8', 2, start), value: plain.subarray(start) };
};

type WriteKeys = (deviceId: number, keys: readonly KeyChange[]) => Unit<void>;

const rowKey = ['device_id', 'type', 'id_hash'] as const;

export const keyWriter = (context: Context): WriteKeys => {
  const { sealer } = context;
  const put = putting(context, 'signal_keys', rowKey, ['value']);
  const drop = dropping(context, 'signal_keys', rowKey);
  return function* write(deviceId, keys) {
    const last = new Map<string, KeyChange>();
    for (const key of keys) last.set(`${key.type}\0${key.id}`, key);
    const rows = [];
    for (const { type, id, value } of last.values()) {
      const row = { device_id: deviceId, type, id_hash: sealer.lookup(type, deviceId, id) };
      if (value === null) yield* drop.all(row);
      else rows.push({ ...row, value: sealKey(sealer, row, id, value) });
    }
    yield* put.write(rows);
  };
};

const maxKeys = 64;

interface WantedKeys extends Readonly<Record<string, unknown>> {
  readonly deviceId: number;
  readonly [type: `type${number}`]: string;
  readonly [hash: `hash${number}`]: string;
}

const keysQuery = ({ sql }: Context, count: number): Prepared<WantedKeys, KeyRow> =>
  prepare((p: WantedKeys) =>
    sql
      .selectFrom('signal_keys')
      .selectAll()
      .where((e) => {
        // Each names the device: otherwise SQLite reads all keys of the device.
        const key = (n: number) =>
          e.and([e('device_id', '=', p.deviceId), e('type', '=', p[`type${n}`]!), e('id_hash', '=', p[`hash${n}`]!)]);
        return e.or(Array.from({ length: count }, (_, n) => key(n)));
      }),
  );

/** Results are in the order of the keys; null for a missing one. */
export const keyReader = (
  context: Context,
): ((deviceId: number, keys: readonly KeyName[]) => Unit<(Uint8Array | null)[]>) => {
  const { sealer } = context;
  const prepared = new Map<number, Prepared<WantedKeys, KeyRow>>();
  return function* read(deviceId, keys) {
    const values = new Map<string, Uint8Array>();
    const wanted = keys.map(({ type, id }) => ({ type, hash: sealer.lookup(type, deviceId, id) }));
    for (let start = 0; start < wanted.length; start += maxKeys) {
      const part = wanted.slice(start, start + maxKeys);
      // Prepared for 1, 2, 4, … 64; unused places repeat the first key.
      const count = 2 ** Math.ceil(Math.log2(part.length));
      const query = prepared.get(count) ?? keysQuery(context, count);
      prepared.set(count, query);
      const params = Array.from({ length: count }, (_, n) => {
        const { type, hash } = part[n] ?? part[0]!;
        return { [`type${n}`]: type, [`hash${n}`]: hash };
      });
      const rows = yield* query.all(Object.assign({ deviceId }, ...params));
      for (const row of rows) values.set(`${row.type} ${row.id_hash}`, openKey(sealer, row).value);
    }
    return wanted.map(({ type, hash }) => values.get(`${type} ${hash}`) ?? null);
  };
};

const listedAtOnce = 200;

export const keyLister = ({ sql, database, sealer }: Context): CredentialStore['listKeys'] => {
  const open = (row: KeyRow) => ({ type: row.type, ...openKey(sealer, row) });
  return async (deviceId) => {
    const keys: ReturnType<typeof open>[] = [];
    for (let [type, hash] = ['', '']; ;) {
      const ofThis = sql.selectFrom('signal_keys').selectAll().where('device_id', '=', deviceId);
      const after = ofThis.where(text<SqlBool>`(type, id_hash) > (${type}, ${hash})`);
      const query = after.orderBy('type').orderBy('id_hash').limit(listedAtOnce);
      const rows = await database.read(() => all(query));
      keys.push(...(await inTurns(rows, open)));
      const last = rows.at(-1);
      if (last === undefined || rows.length < listedAtOnce) return keys;
      [type, hash] = [last.type, last.id_hash];
    }
  };
};
