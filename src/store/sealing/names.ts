/** Names of chats and contacts as stored: hashed for look-up, sealed for reading. */
import { LRUCache } from 'lru-cache';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import type { Sealer, SealedJson } from './sealer.ts';
import { atMost } from '../../domain/at-most.ts';

/** `jid`: the phone JID if known, else the LID; or a group. `lid`: null if unknown or equal to `jid`. */
export interface Name {
  readonly jid: Jid;
  readonly lid: Jid | null;
}

export interface NameRow {
  readonly device_id: number;
  readonly jid_hash: string;
}

export interface NameColumns extends Readonly<Record<string, unknown>>, NameRow {
  readonly lid_hash: string | null;
  readonly data: SealedJson<Name>;
}

export type NamedTable = 'chats' | 'contacts';

export const nameContext = (table: NamedTable, column: string, { device_id, jid_hash }: NameRow): string =>
  `${table}.${column}/${device_id}/${jid_hash}`;

export const nameHash = (sealer: Sealer, deviceId: number, jid: Jid): string => sealer.lookup('chat', deviceId, jid);

export const firstNamed = <T extends NameRow>(rows: readonly T[], hashes: readonly string[]): T | undefined => {
  for (const hash of hashes) {
    const row = rows.find(({ jid_hash }) => jid_hash === hash);
    if (row !== undefined) return row;
  }
  return rows[0];
};

export const isGroupName = ({ jid }: Name): boolean => jidKind(jid) === 'group';

export const addressesIn = ({ jid, lid }: Name): { readonly number: string | null; readonly lid: Jid | null } => ({
  number: jidKind(jid) === 'phone' ? jidUser(jid) : null,
  lid: lid ?? (jidKind(jid) === 'lid' ? jid : null),
});

const maxKept = 10_000;

export const makeNameColumns = (sealer: Sealer, table: NamedTable) => {
  const kept = new LRUCache<string, NameColumns>(atMost(maxKept));
  return (deviceId: number, jid: Jid, lid: Jid | null): NameColumns => {
    const key = `${deviceId} ${jid} ${lid}`;
    let columns = kept.get(key);
    if (columns === undefined) {
      const other = lid === jid ? null : lid;
      const row = { device_id: deviceId, jid_hash: nameHash(sealer, deviceId, jid) };
      const data = sealer.sealJson<Name>({ jid, lid: other }, nameContext(table, 'data', row));
      columns = { ...row, lid_hash: other === null ? null : nameHash(sealer, deviceId, other), data };
      kept.set(key, columns);
    }
    return columns;
  };
};

export type NameColumnsOf = ReturnType<typeof makeNameColumns>;
