/** Application state of accounts, one sealed row per entry; written in the commit that advances its collection's version. */
import type { AppStateChange, AppStateEntry, AppStateKind, AppStateStore } from '../../domain/app-state.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { Context } from '../base/context.ts';
import type { AppStateContent } from '../sealing/rows.ts';
import { type Unit, all } from '../base/unit.ts';
import { contextOf } from '../sealing/sealer.ts';
import { putting, dropping } from '../base/statements.ts';

type WriteAppState = (deviceId: number, changes: Pick<SessionChanges, 'appState' | 'appStateReset'>) => Unit<void>;

export const appStateWriter = (context: Context): WriteAppState => {
  const { sealer } = context;
  const key = ['device_id', 'kind', 'jid_hash'] as const;
  const put = putting(context, 'app_state', key, ['data']);
  const drop = dropping(context, 'app_state', key);
  const dropKind = dropping(context, 'app_state', ['device_id', 'kind']);
  return function* write(deviceId, { appState = [], appStateReset = [] }) {
    for (const kind of appStateReset) yield* dropKind.all({ device_id: deviceId, kind });
    const last = new Map<string, AppStateChange>();
    for (const change of appState) last.set(`${change.kind} ${change.jid}`, change);
    const rows = [];
    for (const { kind, jid, value } of last.values()) {
      const row = { device_id: deviceId, kind, jid_hash: sealer.lookup('app_state', deviceId, jid) };
      if (value === null) yield* drop.all(row);
      else
        rows.push({ ...row, data: sealer.sealJson<AppStateContent>({ jid, value }, contextOf('app_state.data', row)) });
    }
    yield* put.write(rows);
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
