/** The authentication state of sessions, as it is read, and their commits. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { CommittedEvent, StoredEvent } from '../../domain/event.ts';
import type { CredentialStore } from '../../domain/stores.ts';
import { changeWriter, credentialsContext, inboxContext } from './commit.ts';
import type { Context } from '../context.ts';
import { sessionUnreachableMs, sendUnreachableMs } from '../postgres/unreachable-timeouts.ts';
import { keyReader, openKey } from './signal-keys.ts';
import { DeviceMutex } from './device-mutex.ts';
import { all, prepare } from '../unit.ts';

const queriesOf = ({ sql }: Context) => ({
  credentials: prepare((p: { deviceId: number }) =>
    sql.selectFrom('credentials').select('value').where('device_id', '=', p.deviceId),
  ),
  inbox: prepare((p: { deviceId: number; key: string }) =>
    sql.selectFrom('inbox').select('plaintext').where('device_id', '=', p.deviceId).where('key', '=', p.key),
  ),
});

const patienceOf = ({ messages = [] }: SessionChanges): number =>
  messages.some(({ direction, state }) => direction === 'out' && state === 'pending')
    ? sendUnreachableMs
    : sessionUnreachableMs;

const asInTheLog = ({ id, deviceId, at, event }: CommittedEvent): StoredEvent => ({ id, deviceId, at, event });

export const credentialStore = (context: Context): CredentialStore => {
  const { sql, database, sealer } = context;
  const queries = queriesOf(context);
  const readKeys = keyReader(context);
  const changes = changeWriter(context);
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
    commit: async (deviceId, changed, epoch = null) => {
      const write = () =>
        database.write(() => changes.write(deviceId, changed, epoch), context.published, patienceOf(changed));
      const ordered = database.shared && (changed.events ?? []).length > 0;
      return (await (ordered ? mutex.run(deviceId, write) : write())).map(asInTheLog);
    },
    clearCredentials: async (deviceId, changed, epoch = null) => {
      const write = () => changes.clear(deviceId, changed, epoch);
      return (await database.write(write, context.published, sessionUnreachableMs)).map(asInTheLog);
    },
  };
};
