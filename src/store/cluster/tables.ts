/** The tables that only nodes of one database use, as Kysely sees them. Flags are 0 or 1. */
import type { SealedJson } from '../sealing/sealer.ts';
import type { SessionMemo } from '../../domain/lease.ts';

export interface NodesTable {
  id: string;
  url: string;
  draining: number;
  /** By the database's clock. Other nodes watch whether it changes; see `node-watch.ts`. */
  expires_at: number;
  lease_ms: number;
}

export interface LeasesTable {
  device_id: number;
  node: string | null;
  epoch: number;
  wanted: number;
  memo: SealedJson<SessionMemo> | null;
}

export interface RatesTable {
  user_id: number;
  times: number[];
  allowed: number;
}
