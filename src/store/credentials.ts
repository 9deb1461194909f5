/** The authentication state of sessions, and the commit of everything that one protocol step changed. */
import type { SessionChanges } from '../domain/changes.ts';
import type { CredentialStore } from '../domain/stores.ts';
import { deviceNotFound } from '../errors.ts';
import type { Context } from './context.ts';
import { type WriteEvents, eventWriter } from './event-writer.ts';
import { type WriteMessages, messageWriter } from './message-writer.ts';
import { type Unit, prepare } from './unit.ts';

const credentialsContext = (deviceId: number): string => `credentials/${deviceId}`;
const keyContext = (deviceId: number, type: string, idHash: string): string =>
  `signal_keys/${deviceId}/${type}/${idHash}`;
const inboxContext = (deviceId: number, key: string): string => `inbox/${deviceId}/${key}`;

/** Many ids are read in one query of 2, 4, … or 64, so that few queries are prepared. */
const manyIds = 64;

const readQueries = ({ sql }: Context) => ({
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

const writeQueries = ({ sql }: Context) => ({
  exists: prepare((p: { deviceId: number }) =>
    sql.selectFrom('devices').select('id').where('id', '=', p.deviceId).where('deleted', '=', 0),
  ),
  putCredentials: prepare((p: { deviceId: number; value: Uint8Array }) =>
    sql
      .insertInto('credentials')
      .values({ device_id: p.deviceId, value: p.value })
      .onConflict((c) => c.column('device_id').doUpdateSet((e) => ({ value: e.ref('excluded.value') }))),
  ),
  putKey: prepare((p: { deviceId: number; type: string; idHash: string; value: Uint8Array }) =>
    sql
      .insertInto('signal_keys')
      .values({ device_id: p.deviceId, type: p.type, id_hash: p.idHash, value: p.value })
      .onConflict((c) =>
        c.columns(['device_id', 'type', 'id_hash']).doUpdateSet((e) => ({ value: e.ref('excluded.value') })),
      ),
  ),
  deleteKey: prepare((p: { deviceId: number; type: string; idHash: string }) =>
    sql
      .deleteFrom('signal_keys')
      .where('device_id', '=', p.deviceId)
      .where('type', '=', p.type)
      .where('id_hash', '=', p.idHash),
  ),
  putInbox: prepare((p: { deviceId: number; key: string; plaintext: Uint8Array; now: number }) =>
    sql
      .insertInto('inbox')
      .values({ device_id: p.deviceId, key: p.key, plaintext: p.plaintext, created_at: p.now })
      .onConflict((c) => c.doNothing()),
  ),
  deleteCredentials: prepare((p: { deviceId: number }) =>
    sql.deleteFrom('credentials').where('device_id', '=', p.deviceId),
  ),
  deleteKeys: prepare((p: { deviceId: number }) => sql.deleteFrom('signal_keys').where('device_id', '=', p.deviceId)),
  deleteInbox: prepare((p: { deviceId: number }) => sql.deleteFrom('inbox').where('device_id', '=', p.deviceId)),
});

interface Writer {
  readonly context: Context;
  readonly queries: ReturnType<typeof writeQueries>;
  readonly writeMessages: WriteMessages;
  readonly writeEvents: WriteEvents;
}

function* writeAuthentication(writer: Writer, deviceId: number, changes: SessionChanges): Unit<void> {
  const { queries, context } = writer;
  const { seal } = context;
  if (changes.credentials !== undefined) {
    const value = seal.seal(changes.credentials, credentialsContext(deviceId));
    yield* queries.putCredentials.all({ deviceId, value });
  }
  for (const { type, id, value } of changes.keys ?? []) {
    const idHash = seal.lookup(type, deviceId, id);
    if (value === null) yield* queries.deleteKey.all({ deviceId, type, idHash });
    else {
      const sealed = seal.seal(value, keyContext(deviceId, type, idHash));
      yield* queries.putKey.all({ deviceId, type, idHash, value: sealed });
    }
  }
  if (changes.inbox !== undefined) {
    const { key, plaintext } = changes.inbox;
    const sealed = seal.seal(plaintext, inboxContext(deviceId, key));
    yield* queries.putInbox.all({ deviceId, key, plaintext: sealed, now: context.now() });
  }
}

/** The device's row comes first: it tells whether the device exists, and (where it is written) keeps other writers of its log out. */
function* writeChanges(writer: Writer, deviceId: number, changes: SessionChanges): ReturnType<WriteEvents> {
  if ((yield* writer.queries.exists.first({ deviceId })) === undefined) throw deviceNotFound();
  const events = yield* writer.writeEvents(deviceId, changes);
  yield* writeAuthentication(writer, deviceId, changes);
  yield* writer.writeMessages(deviceId, changes);
  return events;
}

export const credentialStore = (context: Context): CredentialStore => {
  const { sql, database, seal } = context;
  const reads = readQueries(context);
  const queries = writeQueries(context);
  const writer = { context, queries, writeMessages: messageWriter(context), writeEvents: eventWriter(context) };

  const readMany = new Map<number, ReturnType<typeof manyQuery>>();
  const manyQuery = (count: number) =>
    prepare((p: { deviceId: number; type: string } & Record<`id${number}`, string>) =>
      sql
        .selectFrom('signal_keys')
        .select(['id_hash', 'value'])
        .where('device_id', '=', p.deviceId)
        .where('type', '=', p.type)
        .where(
          'id_hash',
          'in',
          Array.from({ length: count }, (_, index) => p[`id${index}`]!),
        ),
    );
  function* keyRows(deviceId: number, type: string, hashes: readonly string[]) {
    if (hashes.length === 1) return yield* reads.key.all({ deviceId, type, idHash: hashes[0]! });
    const rows: { id_hash: string; value: Uint8Array }[] = [];
    for (let start = 0; start < hashes.length; start += manyIds) {
      const part = hashes.slice(start, start + manyIds);
      const count = 2 ** Math.ceil(Math.log2(part.length));
      const query = readMany.get(count) ?? manyQuery(count);
      readMany.set(count, query);
      const ids = Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`id${index}`, part[index] ?? part[0]]),
      );
      rows.push(...(yield* query.all({ deviceId, type, ...(ids as Record<`id${number}`, string>) })));
    }
    return rows;
  }

  return {
    loadCredentials: async (deviceId) => {
      const row = await database.read(() => reads.credentials.first({ deviceId }));
      return row === undefined ? null : seal.open(row.value, credentialsContext(deviceId));
    },
    readKeys: async (deviceId, type, ids) => {
      const values = new Map<string, Uint8Array>();
      if (ids.length === 0) return values;
      const idOf = new Map(ids.map((id) => [seal.lookup(type, deviceId, id), id]));
      for (const row of await database.read(() => keyRows(deviceId, type, [...idOf.keys()]))) {
        values.set(idOf.get(row.id_hash)!, seal.open(row.value, keyContext(deviceId, type, row.id_hash)));
      }
      return values;
    },
    commit: (deviceId, changes) => database.write(() => writeChanges(writer, deviceId, changes), context.published),
    readInbox: async (deviceId, key) => {
      const row = await database.read(() => reads.inbox.first({ deviceId, key }));
      return row === undefined ? null : seal.open(row.plaintext, inboxContext(deviceId, key));
    },
    clearCredentials: (deviceId, changes) =>
      database.write(function* () {
        yield* queries.deleteCredentials.all({ deviceId });
        yield* queries.deleteKeys.all({ deviceId });
        yield* queries.deleteInbox.all({ deviceId });
        return yield* writeChanges(writer, deviceId, changes);
      }, context.published),
  };
};
