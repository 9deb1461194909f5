/** The tables of the outbox as Kysely sees them: of a device's own webhook, and with one more column (`OfWebhook`) of additional ones. */
import type { Generated } from 'kysely';
import type { DeliveryState } from '../../domain/delivery.ts';
import type { DeliveryDetail } from '../sealing/rows.ts';
import type { SealedJson } from '../sealing/sealer.ts';

export interface DeliveriesTable {
  device_id: number;
  seq: number;
  order_hash: string;
  state: DeliveryState;
  attempts: number;
  /** Set exactly while the delivery is pending. */
  next_attempt_at: number | null;
  created_at: number;
  delivered_at: number | null;
  last_attempt_at: number | null;
  last_status: number | null;
  last_duration_ms: number | null;
  last_detail: SealedJson<DeliveryDetail> | null;
  /** Start of its first failed attempt; null before that, and after a manual retry. */
  failing_since: Generated<number | null>;
  /** 1 once its chat no longer waits for it. */
  late: Generated<number>;
  /** One of `brought`. */
  brought_forward: Generated<number>;
}

/**
 * `due`: the recovery of the endpoint made it due before its time, and its next attempt uses up none of its schedule. `tried`: that attempt has
 * failed.
 */
export const brought = { no: 0, due: 1, tried: 2 } as const;

/** Attempts that failed, and successful ones that were followed by a manual retry. The newest is in `deliveries`, too. */
export interface AttemptsTable {
  device_id: number;
  seq: number;
  /** When it ended. */
  at: number;
  status: number | null;
  duration_ms: number | null;
  detail: SealedJson<DeliveryDetail> | null;
}

/** One row for each (device, order key) with a pending delivery: the head of that queue. */
export interface DeliveryQueuesTable {
  device_id: number;
  order_hash: string;
  head_seq: number;
  /** When the head may be claimed: its next attempt, or the end of its lease. */
  due_at: number;
  leased: number;
}
