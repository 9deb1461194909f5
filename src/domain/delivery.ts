/** Deliveries: the outbox of events to webhooks. */
import type { StoredEvent } from './event.ts';
import type { Target } from './webhooks/webhook.ts';

export type QueueKey = {
  readonly deviceId: number;
  readonly webhookId: number;
};

export type DeliveryState = 'pending' | 'delivered' | 'failed';

export interface Delivery {
  readonly id: string;
  readonly deviceId: number;
  readonly eventId: string;
  readonly eventType: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** ms; null once delivered or failed. */
  readonly nextAttemptAt: number | null;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
  readonly lastAttemptAt: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number | null;
  readonly lastResponse: string | null;
  readonly lastHeaders: ResponseHeaders | null;
  readonly late: boolean;
}

/** A failing delivery holds back its own chat for this long (docs/spec/webhooks.md, Order). */
export const heldBackMs = 120_000;

/** Lower-case names, without headers that may contain secrets; a few kilobytes at most. */
export type ResponseHeaders = Readonly<Record<string, string>>;

export interface Attempt {
  readonly at: number;
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly error: string | null;
  readonly response: string | null;
  readonly headers: ResponseHeaders | null;
}

export interface DueDelivery extends QueueKey {
  readonly id: string;
  /** Of its event, in the device's log. */
  readonly seq: number;
  readonly webhook: Target;
  readonly userId: number;
  readonly orderKey: string;
  readonly attempts: number;
  readonly event: StoredEvent;
  /** Due early because the endpoint has recovered: the attempt does not count. */
  readonly broughtForward?: boolean;
  /** Deliveries of its chat that may follow under the same claim, in order. Only the first of a run has it. */
  readonly rest?: readonly DueDelivery[];
}

/** A delivery claimed by the commit that wrote it, for this process to post at once. */
export interface FreshDelivery extends DueDelivery {
  readonly orderHash: string;
  readonly leaseUntil: number;
}

export const freshLeaseMs = 30_000;

export type FreshQueue = Pick<FreshDelivery, 'deviceId' | 'webhookId' | 'userId' | 'orderHash'>;

export interface FreshTaker {
  /** Whether the next delivery of this queue can be posted at once. `taken`: what else the commit claims. */
  readonly accepts: (queue: FreshQueue, taken: readonly FreshQueue[]) => boolean;
  /** Called after the commit. Those of one queue are posted in sequence. */
  readonly take: (due: FreshDelivery) => void;
}

export interface AttemptResult extends QueueKey {
  readonly seq: number;
  readonly isPrimary: boolean;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
  readonly at: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly response: string | null;
  readonly headers?: ResponseHeaders | null;
  /** The next delivery of its run is being posted, so its queue stays claimed. */
  readonly isContinued?: boolean;
}

export interface Recovery {
  readonly webhookId: number;
  readonly wasLong: boolean;
}
