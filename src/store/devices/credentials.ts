/** The authentication state of sessions, as it is read, and their commits. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { CommittedEvent, StoredEvent } from '../../domain/event.ts';
import type { CredentialStore } from '../../domain/stores.ts';
import { changeWriter, credentialsContext, inboxContext } from './commit.ts';
import type { Context } from '../context.ts';
import { patienceMs, sendPatienceMs } from '../postgres/unreachable-timeouts.ts';
import { openKey } from './key-row.ts';
import { DeviceMutex } from './device-mutex.ts';
import { type Prepared, type Unit, all, prepare } from '../unit.ts';

/** Many ids are read in one query of 2, 4, … or 64, so that few queries are prepared. */
const manyIds = 64;

const queriesOf = ({ sql }: Context) => ({
  credentials: prepare((p: { deviceId: number }) =>
    sql.selectFrom('credentials').select('value').where('device_id', '=', p.deviceId),
  ),
  key: prepare((p: { deviceId: number; type: string; idHash: string }) =>
    sql
      .selectFrom('signal_keys')
      .select(['id_hash', 'value'])
      .where('device_id', '=', p.deviceId)
      .where('type', '=', p.type)
      .where('id_hash', '=', p.idHash),
  ),
  inbox: prepare((p: { deviceId: number; key: string }) =>
    sql.selectFrom('inbox').select('plaintext').where('device_id', '=', p.deviceId).where('key', '=', p.key),
  ),
});

interface KeyRow {
  readonly id_hash: string;
  readonly value: Uint8Array;
}

interface KeyParams extends Readonly<Record<string, unknown>> {
  readonly deviceId: number;
  readonly type: string;
  readonly [index: number]: string;
}

/** A query for `count` ids, its parameters `0`, `1`, … */
const manyKeysQuery = ({ sql }: Context, count: number): Prepared<KeyParams, KeyRow> =>
  prepare((p: KeyParams) =>
    sql
      .selectFrom('signal_keys')
      .select(['id_hash', 'value'])
      .where('device_id', '=', p.deviceId)
      .where('type', '=', p.type)
      .where(
        'id_hash',
        'in',
        Array.from({ length: count }, (_, index) => p[index]!),
      ),
  );

const keyReader = (context: Context, queries: ReturnType<typeof queriesOf>) => {
  const prepared = new Map<number, Prepared<KeyParams, KeyRow>>();
  return function* read(deviceId: number, type: string, hashes: readonly string[]): Unit<KeyRow[]> {
    if (hashes.length === 1) return yield* queries.key.all({ deviceId, type, idHash: hashes[0]! });
    const rows: KeyRow[] = [];
    for (let start = 0; start < hashes.length; start += manyIds) {
      const part = hashes.slice(start, start + manyIds);
      const count = 2 ** Math.ceil(Math.log2(part.length));
      const query = prepared.get(count) ?? manyKeysQuery(context, count);
      prepared.set(count, query);
      // The last places of a larger query repeat the first id.
      const ids: Record<number, string> = Object.fromEntries(
        Array.from({ length: count }, (_, n) => [n, part[n] ?? part[0]!]),
      );
      rows.push(...(yield* query.all({ deviceId, type, ...ids })));
    }
    return rows;
  };
};

interface TogetherParams extends Readonly<Record<string, unknown>> {
  readonly deviceId: number;
  readonly [type: `type${number}`]: string;
  readonly [hash: `hash${number}`]: string;
}

interface TogetherRow extends KeyRow {
  readonly type: string;
}

/** A query for `count` keys of any types, its parameters `type0`, `hash0`, `type1`, … */
const togetherQuery = ({ sql }: Context, count: number): Prepared<TogetherParams, TogetherRow> =>
  prepare((p: TogetherParams) =>
    sql
      .selectFrom('signal_keys')
      .select(['type', 'id_hash', 'value'])
      .where('device_id', '=', p.deviceId)
      .where((e) => {
        const key = (n: number) => e.and([e('type', '=', p[`type${n}`]!), e('id_hash', '=', p[`hash${n}`]!)]);
        return e.or(Array.from({ length: count }, (_, n) => key(n)));
      }),
  );

/** As many keys as are asked for: a login asks for the same number every time. */
const togetherReader = (context: Context) => {
  const prepared = new Map<number, Prepared<TogetherParams, TogetherRow>>();
  return (deviceId: number, keys: readonly { readonly type: string; readonly hash: string }[]): Unit<TogetherRow[]> => {
    const query = prepared.get(keys.length) ?? togetherQuery(context, keys.length);
    prepared.set(keys.length, query);
    const params = keys.flatMap(({ type, hash }, n) => [
      [`type${n}`, type],
      [`hash${n}`, hash],
    ]);
    return query.all({ deviceId, ...Object.fromEntries(params) });
  };
};

const patienceOf = ({ messages = [] }: SessionChanges): number =>
  messages.some(({ direction, state }) => direction === 'out' && state === 'pending') ? sendPatienceMs : patienceMs;

const asInTheLog = ({ id, deviceId, at, event }: CommittedEvent): StoredEvent => ({ id, deviceId, at, event });

export const credentialStore = (context: Context): CredentialStore => {
  const { sql, database, seal } = context;
  const queries = queriesOf(context);
  const readKeys = keyReader(context, queries);
  const readTogether = togetherReader(context);
  const changes = changeWriter(context);
  const mutex = new DeviceMutex();
  return {
    loadCredentials: async (deviceId) => {
      const row = await database.read(() => queries.credentials.first({ deviceId }), patienceMs);
      return row === undefined ? null : seal.open(row.value, credentialsContext(deviceId));
    },
    readKeys: async (deviceId, type, ids) => {
      const values = new Map<string, Uint8Array>();
      if (ids.length === 0) return values;
      const hashes = ids.map((id) => seal.lookup(type, deviceId, id));
      for (const row of await database.read(() => readKeys(deviceId, type, hashes), patienceMs)) {
        const { id, value } = openKey(seal, { ...row, device_id: deviceId, type });
        values.set(id, value);
      }
      return values;
    },
    readTogether: async (deviceId, keys) => {
      const asked = keys.map(({ type, id }) => ({ type, hash: seal.lookup(type, deviceId, id) }));
      const rows = await database.read(() => readTogether(deviceId, asked), patienceMs);
      return asked.map(({ type, hash }) => {
        const row = rows.find((each) => each.type === type && each.id_hash === hash);
        return row === undefined ? null : openKey(seal, { ...row, device_id: deviceId }).value;
      });
    },
    listKeys: async (deviceId) => {
      const query = sql.selectFrom('signal_keys').selectAll().where('device_id', '=', deviceId);
      const rows = await database.read(() => all(query.orderBy('type').orderBy('id_hash')));
      return rows.map((row) => ({ type: row.type, ...openKey(seal, row) }));
    },
    readInbox: async (deviceId, key) => {
      const row = await database.read(() => queries.inbox.first({ deviceId, key }), patienceMs);
      return row === undefined ? null : seal.open(row.plaintext, inboxContext(deviceId, key));
    },
    commit: async (deviceId, changed, epoch = null) => {
      const write = () =>
        database.write(() => changes.write(deviceId, changed, epoch), context.published, patienceOf(changed));
      const ordered = database.shared && (changed.events ?? []).length > 0;
      return (await (ordered ? mutex.run(deviceId, write) : write())).map(asInTheLog);
    },
    clearCredentials: async (deviceId, changed, epoch = null) => {
      const write = () => changes.clear(deviceId, changed, epoch);
      return (await database.write(write, context.published, patienceMs)).map(asInTheLog);
    },
  };
};
