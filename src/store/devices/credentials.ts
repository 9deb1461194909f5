/** The authentication state of sessions, and the commit of everything that one protocol step changed (`SessionChanges`). */
import type { KeyChange, KeyName, SessionChanges } from '../../domain/changes.ts';
import type { CommittedEvent, StoredEvent } from '../../domain/event.ts';
import type { MessageChange } from '../../domain/message.ts';
import type { CredentialStore } from '../../domain/stores.ts';
import { appStateWriter } from './app-state.ts';
import { makeFence } from '../cluster/fence.ts';
import type { Context } from '../context.ts';
import { DeviceMutex } from './device-mutex.ts';
import { eventWriter } from '../events/event-writer.ts';
import { annotationWriter } from '../messages/annotations.ts';
import { messageWriter } from '../messages/message-writer.ts';
import { sessionUnreachableMs, sendUnreachableMs } from '../postgres/unreachable-timeouts.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { type Prepared, type Unit, all, prepare, prepareRows } from '../unit.ts';

export const credentialsContext = (deviceId: number): string => `credentials/${deviceId}`;
export const inboxContext = (deviceId: number, key: string): string => `inbox/${deviceId}/${key}`;

const queriesOf = ({ sql }: Context) => ({
  credentials: prepare((p: { deviceId: number }) =>
    sql.selectFrom('credentials').select('value').where('device_id', '=', p.deviceId),
  ),
  inbox: prepare((p: { deviceId: number; key: string }) =>
    sql.selectFrom('inbox').select('plaintext').where('device_id', '=', p.deviceId).where('key', '=', p.key),
  ),
  putCredentials: prepare((p: { deviceId: number; value: Uint8Array }) =>
    sql
      .insertInto('credentials')
      .values({ device_id: p.deviceId, value: p.value })
      .onConflict((c) => c.column('device_id').doUpdateSet((e) => ({ value: e.ref('excluded.value') }))),
  ),
  putInbox: prepareRows((rows: { deviceId: number; key: string; plaintext: Uint8Array; now: number }[]) =>
    sql
      .insertInto('inbox')
      .values(rows.map((p) => ({ device_id: p.deviceId, key: p.key, plaintext: p.plaintext, created_at: p.now })))
      .onConflict((c) => c.doNothing()),
  ),
});

/** A signal key: found by a hash of its id, and the id itself sealed beside the value, so that a device can be moved. */
interface KeyRow {
  readonly device_id: number;
  readonly type: string;
  readonly id_hash: string;
  readonly value: Uint8Array;
}

export const keyContext = (row: Omit<KeyRow, 'value'>): string =>
  `signal_keys/${row.device_id}/${row.type}/${row.id_hash}`;

/** Two bytes of length, the id, the value. */
const sealKey = (sealer: Sealer, row: Omit<KeyRow, 'value'>, id: string, value: Uint8Array): Uint8Array => {
  const name = Buffer.from(id);
  const head = Buffer.allocUnsafe(2);
  head.writeUInt16BE(name.length);
  return sealer.seal(Buffer.concat([head, name, value]), keyContext(row));
};

const openKey = (sealer: Sealer, row: KeyRow): { readonly id: string; readonly value: Uint8Array } => {
  const plain = Buffer.from(sealer.open(row.value, keyContext(row)));
  const start = 2 + plain.readUInt16BE(0);
  return { id: plain.toString('utf8', 2, start), value: plain.subarray(start) };
};

type WriteKeys = (deviceId: number, keys: readonly KeyChange[]) => Unit<void>;

export const keyWriter = ({ sql, sealer }: Context): WriteKeys => {
  const put = prepareRows((rows: { deviceId: number; type: string; idHash: string; value: Uint8Array }[]) =>
    sql
      .insertInto('signal_keys')
      .values(rows.map((p) => ({ device_id: p.deviceId, type: p.type, id_hash: p.idHash, value: p.value })))
      .onConflict((c) =>
        c.columns(['device_id', 'type', 'id_hash']).doUpdateSet((e) => ({ value: e.ref('excluded.value') })),
      ),
  );
  const drop = prepare((p: { deviceId: number; type: string; idHash: string }) =>
    sql
      .deleteFrom('signal_keys')
      .where('device_id', '=', p.deviceId)
      .where('type', '=', p.type)
      .where('id_hash', '=', p.idHash),
  );
  return function* write(deviceId, keys) {
    // One statement must not write a row twice: the last change of a key counts.
    const last = new Map(keys.map((key) => [`${key.type}\0${key.id}`, key]));
    const rows = [];
    for (const { type, id, value } of last.values()) {
      const idHash = sealer.lookup(type, deviceId, id);
      if (value === null) yield* drop.all({ deviceId, type, idHash });
      else {
        const row = { device_id: deviceId, type, id_hash: idHash };
        rows.push({ deviceId, type, idHash, value: sealKey(sealer, row, id, value) });
      }
    }
    yield* put.write(rows);
  };
};

/** Keys in one statement. */
const mostKeys = 64;

interface WantedKeys extends Readonly<Record<string, unknown>> {
  readonly deviceId: number;
  readonly [type: `type${number}`]: string;
  readonly [hash: `hash${number}`]: string;
}

/** A query for `count` keys of any types, its parameters `type0`, `hash0`, `type1`, … */
const keysQuery = ({ sql }: Context, count: number): Prepared<WantedKeys, KeyRow> =>
  prepare((p: WantedKeys) =>
    sql
      .selectFrom('signal_keys')
      .selectAll()
      .where('device_id', '=', p.deviceId)
      .where((e) => {
        const key = (n: number) => e.and([e('type', '=', p[`type${n}`]!), e('id_hash', '=', p[`hash${n}`]!)]);
        return e.or(Array.from({ length: count }, (_, n) => key(n)));
      }),
  );

/** Reads keys by name; the value of each in its place, null where there is none. */
const keyReader = (context: Context): ((deviceId: number, keys: readonly KeyName[]) => Unit<(Uint8Array | null)[]>) => {
  const { sealer } = context;
  const prepared = new Map<number, Prepared<WantedKeys, KeyRow>>();
  return function* read(deviceId, keys) {
    const values = new Map<string, Uint8Array>();
    const wanted = keys.map(({ type, id }) => ({ type, hash: sealer.lookup(type, deviceId, id) }));
    for (let start = 0; start < wanted.length; start += mostKeys) {
      const part = wanted.slice(start, start + mostKeys);
      // 1, 2, 4, … or 64, so that few queries are prepared; the last places repeat the first key.
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

type Queries = ReturnType<typeof queriesOf>;
type Commit = (deviceId: number, changes: SessionChanges) => Unit<readonly CommittedEvent[]>;

const commitUnit = (context: Context, queries: Queries): Commit => {
  const { sealer, now } = context;
  const writeEvents = eventWriter(context);
  const writeKeys = keyWriter(context);
  const writeMessages = messageWriter(context);
  const writeAnnotations = annotationWriter(context);
  const writeAppState = appStateWriter(context);
  return function* commit(deviceId, changes) {
    const { credentials, keys = [], inbox = [] } = changes;
    const taken = new Set<MessageChange>();
    // The device's row comes first: it says whether the device exists, and (where it is written) keeps other writers of its log out.
    const events = yield* writeEvents(deviceId, changes, taken);
    if (credentials !== undefined) {
      yield* queries.putCredentials.all({ deviceId, value: sealer.seal(credentials, credentialsContext(deviceId)) });
    }
    yield* writeKeys(deviceId, keys);
    const rows = [];
    for (const { key, plaintext } of inbox)
      rows.push({ deviceId, key, plaintext: sealer.seal(plaintext, inboxContext(deviceId, key)), now: now() });
    yield* queries.putInbox.write(rows);
    yield* writeMessages(deviceId, changes, taken);
    if (changes.annotations !== undefined) yield* writeAnnotations(deviceId, changes.annotations);
    if (changes.appState !== undefined || changes.appStateReset !== undefined) yield* writeAppState(deviceId, changes);
    return events;
  };
};

/** Authentication state, which nobody may write without a lease where nodes share the database. */
const hasAuthentication = ({ credentials, keys = [], inbox = [], appState = [] }: SessionChanges): boolean =>
  credentials !== undefined || keys.length > 0 || inbox.length > 0 || appState.length > 0;

const unreachableMsOf = ({ messages = [] }: SessionChanges): number =>
  messages.some(({ direction, state }) => direction === 'out' && state === 'pending')
    ? sendUnreachableMs
    : sessionUnreachableMs;

const asInTheLog = (events: readonly CommittedEvent[]): readonly StoredEvent[] => {
  const stored: StoredEvent[] = [];
  for (const { id, deviceId, at, event } of events) stored.push({ id, deviceId, at, event });
  return stored;
};

export const credentialStore = (context: Context): CredentialStore => {
  const { sql, database, sealer } = context;
  const queries = queriesOf(context);
  const readKeys = keyReader(context);
  const commit = commitUnit(context, queries);
  const fence = makeFence(context);
  const mutex = new DeviceMutex();
  return {
    loadCredentials: async (deviceId) => {
      const row = await database.read(() => queries.credentials.first({ deviceId }), sessionUnreachableMs);
      return row === undefined ? null : sealer.open(row.value, credentialsContext(deviceId));
    },
    readKeys: async (deviceId, type, ids) => {
      const wanted = ids.map((id) => ({ type, id }));
      const values = await database.read(() => readKeys(deviceId, wanted), sessionUnreachableMs);
      return new Map(ids.flatMap((id, n) => (values[n] === null ? [] : [[id, values[n]!]])));
    },
    readTogether: (deviceId, keys) => database.read(() => readKeys(deviceId, keys), sessionUnreachableMs),
    listKeys: async (deviceId) => {
      const query = sql.selectFrom('signal_keys').selectAll().where('device_id', '=', deviceId);
      const rows = await database.read(() => all(query.orderBy('type').orderBy('id_hash')));
      return rows.map((row) => ({ type: row.type, ...openKey(sealer, row) }));
    },
    readInbox: async (deviceId, key) => {
      const row = await database.read(() => queries.inbox.first({ deviceId, key }), sessionUnreachableMs);
      return row === undefined ? null : sealer.open(row.plaintext, inboxContext(deviceId, key));
    },
    commit: async (deviceId, changes, epoch = null) => {
      if (!database.shared) return asInTheLog(await database.write(() => commit(deviceId, changes), context.published));
      const unit = function* () {
        yield* fence(deviceId, epoch, hasAuthentication(changes));
        return yield* commit(deviceId, changes);
      };
      const write = () => database.write(unit, context.published, unreachableMsOf(changes));
      const ordered = (changes.events ?? []).length > 0;
      return asInTheLog(await (ordered ? mutex.run(deviceId, write) : write()));
    },
    clearCredentials: async (deviceId, changes, epoch = null) => {
      const unit = function* () {
        if (database.shared) yield* fence(deviceId, epoch, true);
        for (const table of ['credentials', 'signal_keys', 'inbox', 'app_state'] as const) {
          yield* all(sql.deleteFrom(table).where('device_id', '=', deviceId));
        }
        return yield* commit(deviceId, changes);
      };
      return asInTheLog(await database.write(unit, context.published, sessionUnreachableMs));
    },
  };
};
