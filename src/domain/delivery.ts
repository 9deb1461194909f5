/** Deliveries: the outbox of events on their way to a webhook. */
import type { StoredEvent } from './event.ts';
import type { Target } from './webhooks/webhook.ts';

/** The deliveries of a device's events to one webhook. */
export type QueueKey = {
  readonly deviceId: number;
  readonly webhookId: number;
};

export type DeliveryState = 'pending' | 'delivered' | 'failed';

export interface Delivery {
  /** `dlv_…` */
  readonly id: string;
  readonly deviceId: number;
  readonly eventId: string;
  readonly eventType: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** ms; null when it waits for nobody (delivered, failed). */
  readonly nextAttemptAt: number | null;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
  readonly lastAttemptAt: number | null;
  /** HTTP status of the last answer, or null when there was none. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number | null;
  /** The first bytes of the last answer's body. */
  readonly lastResponse: string | null;
  /** `Attempt.headers` of the last attempt. */
  readonly lastHeaders: ResponseHeaders | null;
  /** Its chat no longer waits for it. */
  readonly late: boolean;
}

/** A failing delivery holds back its own chat for this long (docs/spec/webhooks.md, Order). */
export const heldBackMs = 120_000;

/** Lower-case names; without those that may hold a secret, and no more than a few kilobytes. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** One attempt to post a delivery. */
export interface Attempt {
  /** When it ended; ms. */
  readonly at: number;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly error: string | null;
  /** The first kilobyte of the answer's body. */
  readonly response: string | null;
  /** Null when there was no answer, or a success without a body. */
  readonly headers: ResponseHeaders | null;
}

/** A delivery that is due, with all that posting it needs. */
export interface DueDelivery extends QueueKey {
  readonly id: string;
  /** As it was when the delivery was claimed. */
  readonly webhook: Target;
  /** Whose device it is. */
  readonly userId: number;
  readonly orderKey: string;
  readonly attempts: number;
  readonly event: StoredEvent;
  /** The recovery of the endpoint made it due before its time: this attempt uses up none of its schedule. */
  readonly broughtForward?: boolean;
}

/** The outcome of one attempt. */
export interface AttemptResult extends QueueKey {
  readonly id: string;
  /** `Webhook.isPrimary`. */
  readonly isPrimary: boolean;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
  readonly at: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly response: string | null;
  /** Absent: none. */
  readonly headers?: ResponseHeaders | null;
}

/** A webhook whose endpoint takes events again after an outage. */
export interface Recovery {
  readonly webhookId: number;
  /** It was down for a minute or longer. */
  readonly wasLong: boolean;
}
