/** Reads contacts: one by either address, and pages. */
import { type InferResult, sql as text } from 'kysely';
import type { Contact } from '../../domain/chats/contact.ts';
import type { ContactStore } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { matches, matchesUsername } from './name-search.ts';
import { lidOfName, usernameReader } from './usernames.ts';
import { makeGiven } from '../messages/resolve.ts';
import { inTurns } from '../../domain/turns.ts';
import { decodeHashCursor, encodeCursor, pageOf } from '../base/cursor.ts';
import { addressesIn, firstNamed, nameContext, nameHash } from '../sealing/names.ts';
import { inPieces, listed } from '../base/listed.ts';
import { searched } from '../sealing/sealed-search.ts';
import type { SealedJson, Sealer } from '../sealing/sealer.ts';
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
  (row: Row, column: string, value: SealedJson<string> | null): string | null =>
    value === null ? null : sealer.openJson(value, nameContext('contacts', column, row));

export const contactOpener = (sealer: Sealer) => {
  const open = textOpener(sealer);
  return (row: Row, username: string | null): Contact => {
    const name = sealer.openJson(row.data, nameContext('contacts', 'data', row));
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

/** A row with its person's username. */
interface Named {
  readonly row: Row;
  readonly username: string | null;
}

const namedRows = (context: Context) => {
  const { sealer } = context;
  const read = usernameReader(context);
  const lidOf = (row: Row) => lidOfName(sealer.openJson(row.data, nameContext('contacts', 'data', row)));
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
    const { number } = addressesIn(sealer.openJson(row.data, nameContext('contacts', 'data', row)));
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
