/** Application state of accounts, one sealed row per entry; written in the commit that advances its collection's version. */
import type { AppStateChange, AppStateEntry, AppStateKind, AppStateStore } from '../../domain/app-state.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { Context } from '../base/context.ts';
import type { AppStateContent } from '../sealing/rows.ts';
import type { SealedJson } from '../sealing/sealer.ts';
import { type Unit, all, prepare, prepareRows } from '../base/unit.ts';
import { contextOf } from '../sealing/contexts.ts';

const queriesOf = ({ sql }: Context) => ({
  put: prepareRows(
    (rows: { deviceId: number; kind: AppStateKind; jidHash: string; data: SealedJson<AppStateContent> }[]) =>
      sql
        .insertInto('app_state')
        .values(rows.map((p) => ({ device_id: p.deviceId, kind: p.kind, jid_hash: p.jidHash, data: p.data })))
        .onConflict((c) =>
          c.columns(['device_id', 'kind', 'jid_hash']).doUpdateSet((e) => ({ data: e.ref('excluded.data') })),
        ),
  ),
  drop: prepare((p: { deviceId: number; kind: AppStateKind; jidHash: string }) =>
    sql
      .deleteFrom('app_state')
      .where('device_id', '=', p.deviceId)
      .where('kind', '=', p.kind)
      .where('jid_hash', '=', p.jidHash),
  ),
  dropKind: prepare((p: { deviceId: number; kind: AppStateKind }) =>
    sql.deleteFrom('app_state').where('device_id', '=', p.deviceId).where('kind', '=', p.kind),
  ),
});

type WriteAppState = (deviceId: number, changes: Pick<SessionChanges, 'appState' | 'appStateReset'>) => Unit<void>;

export const appStateWriter = (context: Context): WriteAppState => {
  const { sealer } = context;
  const queries = queriesOf(context);
  return function* write(deviceId, { appState = [], appStateReset = [] }) {
    for (const kind of appStateReset) yield* queries.dropKind.all({ deviceId, kind });
    const last = new Map<string, AppStateChange>();
    for (const change of appState) last.set(`${change.kind} ${change.jid}`, change);
    const rows = [];
    for (const { kind, jid, value } of last.values()) {
      const jidHash = sealer.lookup('app_state', deviceId, jid);
      if (value === null) yield* queries.drop.all({ deviceId, kind, jidHash });
      else {
        const name = contextOf('app_state.data', { device_id: deviceId, kind, jid_hash: jidHash });
        rows.push({ deviceId, kind, jidHash, data: sealer.sealJson<AppStateContent>({ jid, value }, name) });
      }
    }
    yield* queries.put.write(rows);
  };
};

export const appStateStore = ({ sql, sealer, database }: Context): AppStateStore => ({
  list: async <K extends AppStateKind>(deviceId: number, kind: K) => {
    const query = sql.selectFrom('app_state').selectAll().where('device_id', '=', deviceId).where('kind', '=', kind);
    const rows = await database.read(() => all(query.orderBy('jid_hash')));
    return rows.map((row) => {
      const { jid, value } = sealer.openJson(row.data, contextOf('app_state.data', row));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kind and value were stored together
      return { kind, jid, value } as AppStateEntry<K>;
    });
  },
});
