/** Writes contacts from app state, messages and look-ups; part of a session's commit. */
import type { AppStateChange } from '../../domain/app-state.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { ContactChange } from '../../domain/chats/contact.ts';
import type { Context } from '../base/context.ts';
import { dropAll, dropColumn, putColumn } from './name-rows.ts';
import type { Resolve, Told } from '../messages/resolve.ts';
import { makeNameColumns, type NameColumns, nameContext } from '../sealing/names.ts';
import type { Unit } from '../base/unit.ts';

const sealed = {
  pushName: 'push_name',
  businessName: 'business_name',
  about: 'about',
  picture: 'picture',
} as const;

type Sealed = keyof typeof sealed;
type SealedColumn = 'saved' | (typeof sealed)[Sealed];

const members: readonly Sealed[] = ['pushName', 'businessName', 'about', 'picture'];

interface Set extends Told {
  readonly column: SealedColumn | 'blocked';
  readonly value: string | boolean | null;
}

const setsIn = ({ appState = [], contacts = [] }: Pick<SessionChanges, 'appState' | 'contacts'>): Set[] => {
  const sets: Set[] = [];
  for (const change of appState) if (isContact(change)) sets.push(savedIn(change));
  for (const change of contacts) sets.push(...toldIn(change));
  return sets;
};

const isContact = (change: AppStateChange): change is Extract<AppStateChange, { kind: 'contact' }> =>
  change.kind === 'contact';

const savedIn = ({ jid, value }: Extract<AppStateChange, { kind: 'contact' }>): Set => ({
  jid,
  lid: value?.lid ?? null,
  column: 'saved',
  value: value?.name ?? null,
});

const toldIn = (change: ContactChange): Set[] => {
  const { jid, lid = null, blocked } = change;
  const sets: Set[] = blocked === undefined ? [] : [{ jid, lid, column: 'blocked', value: blocked }];
  for (const member of members) {
    const value = change[member];
    if (value !== undefined) sets.push({ jid, lid, column: sealed[member], value });
  }
  return sets;
};

const columns = ['saved', 'push_name', 'business_name', 'about', 'picture', 'blocked'] as const;

const each = <Q>(make: (column: SealedColumn | 'blocked') => Q) =>
  new Map(columns.map((column) => [column, make(column)]));

const emptyOf = (column: SealedColumn | 'blocked') => (column === 'blocked' ? 0 : null);

type WriteContacts = (
  deviceId: number,
  changes: Pick<SessionChanges, 'appState' | 'appStateReset' | 'contacts' | 'blockedReset'>,
) => Unit<void>;

export const contactWriter = (context: Context, resolve: Resolve): WriteContacts => {
  const { sealer } = context;
  const columnsOf = makeNameColumns(sealer, 'contacts');
  const put = each((column) => putColumn(context, 'contacts', column));
  const drop = each((column) => dropColumn(context, 'contacts', column, emptyOf(column)));
  const reset = each((column) => dropAll(context, 'contacts', column, emptyOf(column)));

  const valueOf = (row: NameColumns, { column, value }: Set): unknown =>
    typeof value === 'string' ? sealer.sealJson(value, nameContext('contacts', column, row)) : 1;

  return function* write(deviceId, changes) {
    if (changes.appStateReset?.includes('contact') === true) yield* reset.get('saved')!.all({ deviceId });
    if (changes.blockedReset === true) yield* reset.get('blocked')!.all({ deviceId });
    const sets = setsIn(changes);
    if (sets.length === 0) return;
    const names = yield* resolve(deviceId, sets);
    // One statement must not write a row twice: the last value wins.
    const last = new Map<string, { row: NameColumns; set: Set }>();
    for (const [index, set] of sets.entries()) {
      const { jid, lid } = names[index]!;
      const row = columnsOf(deviceId, jid, lid);
      last.set(`${set.column} ${row.jid_hash}`, { row, set });
    }
    const byColumn = Map.groupBy(last.values(), ({ set }) => set.column);
    for (const [column, values] of byColumn) {
      const rows = [];
      for (const { row, set } of values) {
        if (set.value === null || set.value === false) yield* drop.get(column)!.all(row);
        else rows.push({ ...row, value: valueOf(row, set) });
      }
      yield* put.get(column)!.write(rows);
    }
  };
};
