/** Reads contacts: one by either address, and pages. */
import type { InferResult } from 'kysely';
import type { Contact } from '../../domain/chats/contact.ts';
import type { ContactStore } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { matches } from './name-search.ts';
import { makeGiven } from './resolve.ts';
import { decodeHashCursor, pageOf } from '../events/cursor.ts';
import { addressesIn, firstNamed, nameContext, nameHash } from '../sealing/names.ts';
import { searched } from '../sealed-search.ts';
import type { SealedJson, Sealer } from '../sealing/sealer.ts';
import { type Unit, all } from '../unit.ts';

type Key = readonly [zero: number, hash: string];

const ofDevice = ({ sql }: Context, deviceId: number) =>
  sql.selectFrom('contacts').selectAll().where('device_id', '=', deviceId);

/** Contacts that have one of these names. */
const named = ({ sql }: Context, deviceId: number, hashes: readonly string[]) =>
  sql
    .selectFrom('contacts')
    .selectAll()
    .where((e) => {
      // Each side has the device: else SQLite reads all contacts of the device.
      const under = (name: 'jid_hash' | 'lid_hash') => e.and([e('device_id', '=', deviceId), e(name, 'in', hashes)]);
      return e.or([under('jid_hash'), under('lid_hash')]);
    })
    .limit(8);

type Row = InferResult<ReturnType<typeof ofDevice>>[number];

const keyOf = ({ jid_hash }: Row): Key => [0, jid_hash];

const textOpener =
  (sealer: Sealer) =>
  (row: Row, column: string, value: SealedJson<string> | null): string | null =>
    value === null ? null : sealer.openJson(value, nameContext('contacts', column, row));

export const contactOpener = (sealer: Sealer) => {
  const open = textOpener(sealer);
  return (row: Row): Contact => {
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
};

export const contactStore = (context: Context): ContactStore => {
  const { sealer, database } = context;
  const given = makeGiven(context);
  const open = textOpener(sealer);
  const contactOf = contactOpener(sealer);
  const isWanted = (row: Row, q: string): boolean => {
    const { number } = addressesIn(sealer.openJson(row.data, nameContext('contacts', 'data', row)));
    return (['saved', 'push_name', 'business_name'] as const).some((column) =>
      matches(q, open(row, column, row[column]), number),
    );
  };

  function* find(deviceId: number, jid: string): Unit<Contact | null> {
    const hashes = (yield* given(deviceId, jid)).map((each) => nameHash(sealer, deviceId, each));
    const row = firstNamed(yield* all(named(context, deviceId, hashes)), hashes);
    return row === undefined ? null : contactOf(row);
  }

  return {
    find: (deviceId, name) => database.read(() => find(deviceId, name)),
    list: async (deviceId, { limit, cursor, q, signal }) => {
      const from = cursor === null ? null : decodeHashCursor('contacts', cursor);
      const rowsAfter = (after: Key | null, count: number) => {
        const query = ofDevice(context, deviceId).orderBy('jid_hash').limit(count);
        return database.read(() => all(after === null ? query : query.where('jid_hash', '>', after[1])));
      };
      const page = await searched({
        from,
        limit,
        rowsAfter,
        keyOf,
        isWanted: q === undefined ? null : (row) => isWanted(row, q),
        signal,
      });
      const items = page.rows.slice(0, limit).map(contactOf);
      return pageOf('contacts', page.rows, limit, { items, key: keyOf, end: page.end });
    },
  };
};
