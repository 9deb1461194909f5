/** Reads contacts, by either address and in pages, and writes them. */
import { type InferResult, sql as text } from 'kysely';
import type { AppStateChange } from '../../domain/app-state.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { Contact, ContactChange } from '../../domain/chats/contact.ts';
import type { ContactStore } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { dropAll, dropColumn, putColumn } from './name-rows.ts';
import { matches, matchesUsername } from './chat-queries.ts';
import { lidOfName, usernameReader } from './usernames.ts';
import { makeGiven, type Resolve, type Told } from '../messages/resolve.ts';
import { inTurns } from '../../domain/turns.ts';
import { addressesIn, firstNamed, nameHash, makeNameColumns, type NameColumns } from '../sealing/rows.ts';
import { inPieces, listed, decodeHashCursor, encodeCursor, pageOf } from '../base/listed.ts';
import { searched } from '../sealing/sealed-search.ts';
import { contextIn, contextOf, type SealedJson, type Sealer } from '../sealing/sealer.ts';
import { type Unit, all } from '../base/unit.ts';

type Key = readonly [zero: number, hash: string];

const ofDevice = ({ sql }: Context, deviceId: number) =>
  sql.selectFrom('contacts').selectAll().where('device_id', '=', deviceId);

const named = ({ sql }: Context, deviceId: number, hashes: readonly string[]) =>
  sql
    .selectFrom('contacts')
    .selectAll()
    .where((e) => {
      // Both sides name the device: otherwise SQLite reads all contacts of the device.
      const under = (name: 'jid_hash' | 'lid_hash') => e.and([e('device_id', '=', deviceId), e(name, 'in', hashes)]);
      return e.or([under('jid_hash'), under('lid_hash')]);
    })
    .limit(8);

type Row = InferResult<ReturnType<typeof ofDevice>>[number];

const keyOf = ({ jid_hash }: Pick<Row, 'jid_hash'>): Key => [0, jid_hash];

/** Columns with texts of unbounded length. */
const texts = ['data', 'saved', 'push_name', 'business_name', 'about', 'picture'] as const;

const contactBytes = text<number>`${text.join(
  texts.map((column) => text`coalesce(octet_length(${text.ref(column)}), 0)`),
  text` + `,
)}`.as('bytes');

const textOpener =
  (sealer: Sealer) =>
  (row: Row, column: SealedColumn, value: SealedJson<string> | null): string | null =>
    value === null ? null : sealer.openJson(value, contextOf(`contacts.${column}`, row));

export const contactOpener = (sealer: Sealer) => {
  const open = textOpener(sealer);
  return (row: Row, username: string | null): Contact => {
    const name = sealer.openJson(row.data, contextOf('contacts.data', row));
    return {
      jid: name.jid,
      ...addressesIn(name),
      username,
      name: open(row, 'saved', row.saved),
      pushName: open(row, 'push_name', row.push_name),
      businessName: open(row, 'business_name', row.business_name),
      about: open(row, 'about', row.about),
      blocked: row.blocked === 1,
      picture: open(row, 'picture', row.picture),
    };
  };
};

const cursorOf = (key: Key): string => encodeCursor('contacts', key);

interface Named {
  readonly row: Row;
  readonly username: string | null;
}

const namedRows = (context: Context) => {
  const { sealer } = context;
  const read = usernameReader(context);
  const lidOf = (row: Row) => lidOfName(sealer.openJson(row.data, contextOf('contacts.data', row)));
  return function* withUsernames(deviceId: number, rows: readonly Row[]): Unit<Named[]> {
    const usernames = yield* read(deviceId, rows.map(lidOf));
    return rows.map((row, n) => ({ row, username: usernames[n] ?? null }));
  };
};

export const contactStore = (context: Context): ContactStore => {
  const { sql, sealer, database } = context;
  const given = makeGiven(context);
  const open = textOpener(sealer);
  const opened = contactOpener(sealer);
  const contactOf = ({ row, username }: Named): Contact => opened(row, username);
  const withUsernames = namedRows(context);
  const isWanted = ({ row, username }: Named, q: string): boolean => {
    if (matchesUsername(q, username)) return true;
    const { number } = addressesIn(sealer.openJson(row.data, contextOf('contacts.data', row)));
    return (['saved', 'push_name', 'business_name'] as const).some((column) =>
      matches(q, open(row, column, row[column]), number),
    );
  };

  function* find(deviceId: number, jid: string): Unit<Contact | null> {
    const hashes = (yield* given(deviceId, jid)).map((each) => nameHash(sealer, deviceId, each));
    const row = firstNamed(yield* all(named(context, deviceId, hashes)), hashes);
    return row === undefined ? null : contactOf((yield* withUsernames(deviceId, [row]))[0]!);
  }

  return {
    find: (deviceId, name) => database.read(() => find(deviceId, name)),
    list: async (deviceId, { limit, cursor, bytes, q, signal }) => {
      const from = cursor === null ? null : decodeHashCursor('contacts', cursor);
      const heads = (after: Key | null, count: number) => {
        const ofThis = sql.selectFrom('contacts').where('device_id', '=', deviceId);
        const query = ofThis.select('jid_hash').select(contactBytes).orderBy('jid_hash').limit(count);
        return database.read(() => all(after === null ? query : query.where('jid_hash', '>', after[1])));
      };
      const rowsOf = (of: readonly Pick<Row, 'jid_hash'>[]): Promise<Named[]> => {
        const hashes = of.map(({ jid_hash }) => jid_hash);
        const query = ofDevice(context, deviceId).where('jid_hash', 'in', hashes).orderBy('jid_hash');
        if (of.length === 0) return Promise.resolve([]);
        return database.read(function* () {
          return yield* withUsernames(deviceId, yield* all(query));
        });
      };
      if (q === undefined) {
        const page = { from, limit, bytes, heads, keyOf, cursorOf };
        return listed({ ...page, open: async (of) => inTurns(await rowsOf(of), contactOf) });
      }
      const rowsAfter = inPieces(heads, rowsOf);
      const page = await searched({
        from,
        limit,
        rowsAfter,
        keyOf: ({ row }) => keyOf(row),
        bytesOf: ({ row }) => texts.reduce((sum, column) => sum + (row[column]?.length ?? 0), 0),
        isWanted: (found) => isWanted(found, q),
        signal,
      });
      const items = await inTurns(page.rows.slice(0, limit), contactOf);
      return pageOf('contacts', page.rows, limit, { items, key: ({ row }) => keyOf(row), end: page.end });
    },
  };
};

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

/** Writes contacts from app state, messages and look-ups, as part of a session's commit. */
export const contactWriter = (context: Context, resolve: Resolve): WriteContacts => {
  const { sealer } = context;
  const columnsOf = makeNameColumns(sealer, 'contacts');
  const put = each((column) => putColumn(context, 'contacts', column));
  const drop = each((column) => dropColumn(context, 'contacts', column, emptyOf(column)));
  const reset = each((column) => dropAll(context, 'contacts', column, emptyOf(column)));

  const valueOf = (row: NameColumns, { column, value }: Set): unknown =>
    typeof value === 'string' ? sealer.sealJson(value, contextIn(`contacts.${column}`, row)) : 1;

  return function* write(deviceId, changes) {
    if (changes.appStateReset?.includes('contact') === true) yield* reset.get('saved')!.all({ deviceId });
    if (changes.blockedReset === true) yield* reset.get('blocked')!.all({ deviceId });
    const sets = setsIn(changes);
    if (sets.length === 0) return;
    const names = yield* resolve(deviceId, sets);
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
