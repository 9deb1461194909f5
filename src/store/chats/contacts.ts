/** Reads contacts: one by either address, and pages. */
import type { Contact } from '../../domain/chats/contact.ts';
import type { ContactStore } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { matches } from './name-search.ts';
import { makeResolve } from './resolve.ts';
import { decodeHashCursor, pageOf } from '../events/cursor.ts';
import { addressesIn, nameContext, nameHash } from '../sealing/names.ts';
import { searched } from '../sealed-search.ts';
import type { SealedJson } from '../sealing/sealer.ts';
import { type Unit, all } from '../unit.ts';

/** Rows opened for one page of a search. */
const mostOpened = 20_000;

type Key = readonly [zero: number, hash: string];

const ofDevice = ({ sql }: Context, deviceId: number) =>
  sql.selectFrom('contacts').selectAll().where('device_id', '=', deviceId);

type RowsOf<Q> = Q extends { execute(): Promise<infer R> } ? R : never;
type Row = RowsOf<ReturnType<typeof ofDevice>>[number];

const keyOf = ({ jid_hash }: Row): Key => [0, jid_hash];

export const contactStore = (context: Context): ContactStore => {
  const { sealer, database } = context;
  const resolve = makeResolve(context);

  const open = (row: Row, column: string, value: SealedJson<string> | null): string | null =>
    value === null ? null : sealer.openJson(value, nameContext('contacts', column, row));
  const contactOf = (row: Row): Contact => {
    const name = sealer.openJson(row.data, nameContext('contacts', 'data', row));
    return {
      jid: name.jid,
      ...addressesIn(name),
      name: open(row, 'saved', row.saved),
      pushName: open(row, 'push_name', row.push_name),
      businessName: open(row, 'business_name', row.business_name),
      about: open(row, 'about', row.about),
      blocked: row.blocked === 1,
      picture: open(row, 'picture', row.picture),
    };
  };
  const isWanted = (row: Row, q: string): boolean => {
    const { name, pushName, businessName, number } = contactOf(row);
    return [name, pushName, businessName].some((each) => matches(q, each, number));
  };

  function* find(deviceId: number, jid: string): Unit<Contact | null> {
    const [name] = yield* resolve(deviceId, [{ jid }]);
    const hashes = [...new Set([name!.jid, jid])].map((each) => nameHash(sealer, deviceId, each));
    const query = ofDevice(context, deviceId);
    const rows = yield* all(
      query.where((e) => e.or([e('jid_hash', 'in', hashes), e('lid_hash', 'in', hashes)])).limit(4),
    );
    const row = rows.find(({ jid_hash }) => jid_hash === hashes[0]) ?? rows[0];
    return row === undefined ? null : contactOf(row);
  }

  return {
    find: (deviceId, name) => database.read(() => find(deviceId, name)),
    list: async (deviceId, { limit, cursor, q }) => {
      const from = cursor === null ? null : decodeHashCursor('contacts', cursor);
      const rowsAfter = (after: Key | null, count: number) => {
        const query = ofDevice(context, deviceId).orderBy('jid_hash').limit(count);
        return database.read(() => all(after === null ? query : query.where('jid_hash', '>', after[1])));
      };
      const page =
        q === undefined
          ? { rows: await rowsAfter(from, limit + 1), end: null }
          : await searched({ from, limit, mostOpened, rowsAfter, keyOf, isWanted: (row) => isWanted(row, q) });
      const items = page.rows.slice(0, limit).map(contactOf);
      return pageOf('contacts', page.rows, limit, { items, key: keyOf, end: page.end });
    },
  };
};
