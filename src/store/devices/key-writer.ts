/** Writes and deletes Signal keys: in their order where a statement costs little, together where each is a way to another machine. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { Context } from '../context.ts';
import { sealKey } from './key-row.ts';
import { type Unit, prepare, prepareRows } from '../unit.ts';

type Keys = NonNullable<SessionChanges['keys']>;
type WriteKeys = (deviceId: number, keys: Keys) => Unit<void>;

type Put = { readonly deviceId: number; readonly type: string; readonly idHash: string; readonly value: Uint8Array };

const inOrder = ({ sql, seal }: Context): WriteKeys => {
  const put = prepareRows((rows: Put[]) =>
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
    let together: Put[] = [];
    for (const { type, id, value } of keys) {
      const idHash = seal.lookup(type, deviceId, id);
      if (value !== null) {
        together.push({ deviceId, type, idHash, value: sealKey(seal, deviceId, type, idHash, { id, value }) });
        continue;
      }
      yield* put.write(together);
      together = [];
      yield* drop.all({ deviceId, type, idHash });
    }
    yield* put.write(together);
  };
};

const putAll =
  'insert into signal_keys (device_id, type, id_hash, value) ' +
  'select $1, k.type, k.id_hash, k.value from unnest($2::text[], $3::text[], $4::bytea[]) as k (type, id_hash, value) ' +
  'on conflict (device_id, type, id_hash) do update set value = excluded.value';
const dropAll =
  'delete from signal_keys where device_id = $1 and (type, id_hash) in (select * from unnest($2::text[], $3::text[]))';

/** A pairing writes more than 800. */
const together = ({ seal }: Context): WriteKeys =>
  function* write(deviceId, keys) {
    const last = new Map(keys.map((key) => [`${key.type}\0${key.id}`, key]));
    const put: [string[], string[], Uint8Array[]] = [[], [], []];
    const dropped: [string[], string[]] = [[], []];
    for (const { type, id, value } of last.values()) {
      const idHash = seal.lookup(type, deviceId, id);
      const to = value === null ? dropped : put;
      to[0].push(type);
      to[1].push(idHash);
      if (value !== null) put[2].push(sealKey(seal, deviceId, type, idHash, { id, value }));
    }
    if (put[0].length > 0) yield { sql: putAll, values: [deviceId, ...put] };
    if (dropped[0].length > 0) yield { sql: dropAll, values: [deviceId, ...dropped] };
  };

export const keyWriter = (context: Context): WriteKeys =>
  context.database.shared ? together(context) : inOrder(context);
