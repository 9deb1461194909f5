/** The tables that only nodes of one database use, as Kysely sees them. Flags are 0 or 1. */
import type { SealedJson } from '../sealing/sealer.ts';
import type { SessionMemo } from '../../domain/lease.ts';

export interface NodesTable {
  id: string;
  url: string;
  draining: number;
  /** The end of the lease by the database's clock. Other nodes check whether it changes, and rely on it only for a node that is new to them. */
  expires_at: number;
  lease_ms: number;
}

export interface LeasesTable {
  device_id: number;
  /** Null after a release. */
  node: string | null;
  epoch: number;
  /** 1 while a session is wanted: another node takes it over if nobody has it. */
  wanted: number;
  memo: SealedJson<SessionMemo> | null;
}

export interface RatesTable {
  user_id: number;
  /** When requests of the last minute were accepted. */
  times: number[];
  allowed: number;
}
