/** Groups: written in a session's commit, read by the service and by the session itself. */
import { LRUCache } from 'lru-cache';
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { Jid } from '../../domain/jid.ts';
import type { GroupStore } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { sql as text } from 'kysely';
import { inTurns } from '../../domain/turns.ts';
import { inOrder, listed, decodeHashCursor, encodeCursor } from '../base/listed.ts';
import { isGroupName, type Name } from '../sealing/rows.ts';
import { type Unit, all, first } from '../base/unit.ts';
import type { GroupsTable } from '../base/schema.ts';
import { atMost } from '../../domain/at-most.ts';
import { contextOf } from '../sealing/sealer.ts';
import { putting } from '../base/statements.ts';

export const groupWriter = (context: Context): ((deviceId: number, groups: readonly KeptGroup[]) => Unit<void>) => {
  const { sealer } = context;
  const put = putting(context, 'groups', ['device_id', 'jid_hash'], ['listed', 'data']);
  return function* write(deviceId, groups) {
    const last = new Map(groups.map((group) => [group.jid, group]));
    const rows = [...last.values()].map((group) => {
      const row = { device_id: deviceId, jid_hash: sealer.lookup('groups', deviceId, group.jid) };
      const data = sealer.sealJson(group, contextOf('groups.data', row));
      return { ...row, listed: group.isMember && !group.isCommunity ? 1 : 0, data };
    });
    yield* put.write(rows);
  };
};

export type GroupFacts = Pick<KeptGroup, 'subject' | 'expiresInSeconds'>;

/** Few, since a group of 1,024 members has 150 kB. */
const pieceGroups = 8;

const maxFacts = 10_000;
const headBytes = 32;

export const groupFactsReader = ({ sql, sealer }: Context) => {
  const kept = new LRUCache<string, { readonly head: Buffer; readonly jid: Jid; readonly facts: GroupFacts }>(
    atMost(maxFacts),
  );
  const factsIn = (row: GroupsTable) => {
    const of = contextOf('groups.data', row);
    const head = Buffer.from(row.data.subarray(0, headBytes));
    const before = kept.get(of);
    if (before?.head.equals(head) === true) return before;
    const { jid, subject, expiresInSeconds } = sealer.openJson(row.data, of);
    const opened = { head, jid, facts: { subject, expiresInSeconds } };
    kept.set(of, opened);
    return opened;
  };
  return function* read(deviceId: number, names: readonly Name[]): Unit<ReadonlyMap<Jid, GroupFacts>> {
    const hashes = names.filter(isGroupName).map(({ jid }) => sealer.lookup('groups', deviceId, jid));
    if (hashes.length === 0) return new Map();
    const rows = yield* all(
      sql.selectFrom('groups').selectAll().where('device_id', '=', deviceId).where('jid_hash', 'in', hashes),
    );
    return new Map(rows.map(factsIn).map(({ jid, facts }) => [jid, facts]));
  };
};

const hashOf = ({ jid_hash }: Pick<GroupsTable, 'jid_hash'>): string => jid_hash;

export const groupStore = (context: Context): GroupStore => {
  const { sql, sealer, database } = context;
  const open = (row: Pick<GroupsTable, 'device_id' | 'jid_hash' | 'data'>): KeptGroup =>
    sealer.openJson(row.data, contextOf('groups.data', row));
  const ofDevice = (deviceId: number) => sql.selectFrom('groups').selectAll().where('device_id', '=', deviceId);
  return {
    find: async (deviceId, jid) => {
      const query = ofDevice(deviceId).where('jid_hash', '=', sealer.lookup('groups', deviceId, jid));
      const row = await database.read(() => first(query));
      return row === undefined ? null : open(row);
    },
    list: async (deviceId, { limit, cursor, bytes }) =>
      listed({
        from: cursor === null ? null : decodeHashCursor('groups', cursor)[1],
        limit,
        bytes,
        heads: (after: string | null, count: number) => {
          const ofThis = sql.selectFrom('groups').where('device_id', '=', deviceId).where('listed', '=', 1);
          const heads = ofThis.select(['jid_hash', text<number>`octet_length(data)`.as('bytes')]);
          const query = heads
            .where('jid_hash', '>', after ?? '')
            .orderBy('jid_hash')
            .limit(count);
          return database.read(() => all(query));
        },
        open: async (heads) => {
          const hashes = heads.map(hashOf);
          const rows = await database.read(() => all(ofDevice(deviceId).where('jid_hash', 'in', hashes)));
          return inOrder(heads, rows, hashOf, open);
        },
        keyOf: hashOf,
        cursorOf: (hash) => encodeCursor('groups', [0, hash]),
      }),
    async all(deviceId) {
      const groups: KeptGroup[] = [];
      for (let after = ''; ;) {
        const query = ofDevice(deviceId).where('jid_hash', '>', after).orderBy('jid_hash').limit(pieceGroups);
        const rows = await database.read(() => all(query));
        groups.push(...(await inTurns(rows, open)));
        if (rows.length < pieceGroups) return groups;
        after = rows.at(-1)!.jid_hash;
      }
    },
  };
};
