/** Deliveries: the outbox of events to webhooks. */
import type { StoredEvent } from './event.ts';
import type { Target } from './webhooks/webhook.ts';

/** Identifies the deliveries of a device's events to one webhook. */
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
  /** ms; null once delivered or failed. */
  readonly nextAttemptAt: number | null;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
  readonly lastAttemptAt: number | null;
  /** HTTP status of the last answer, or null. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number | null;
  /** First bytes of the last answer's body. */
  readonly lastResponse: string | null;
  readonly lastHeaders: ResponseHeaders | null;
  /** Its chat no longer waits for it. */
  readonly late: boolean;
}

/** A failing delivery holds back its own chat for this long (docs/spec/webhooks.md, Order). */
export const heldBackMs = 120_000;

/** Lower-case names, without headers that may contain secrets; a few kilobytes at most. */
export type ResponseHeaders = Readonly<Record<string, string>>;

export interface Attempt {
  /** End of the attempt; ms. */
  readonly at: number;
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly error: string | null;
  /** First kilobyte of the answer's body. */
  readonly response: string | null;
  /** Null without an answer, or for a success without a body. */
  readonly headers: ResponseHeaders | null;
}

/** A due delivery with everything needed to post it. */
export interface DueDelivery extends QueueKey {
  readonly id: string;
  /** As of the claim. */
  readonly webhook: Target;
  /** Owner of the device. */
  readonly userId: number;
  readonly orderKey: string;
  readonly attempts: number;
  readonly event: StoredEvent;
  /** Due early because the endpoint has recovered; this attempt does not count towards its schedule. */
  readonly broughtForward?: boolean;
}

export interface AttemptResult extends QueueKey {
  readonly id: string;
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
}

/** A webhook whose endpoint accepts events again after an outage. */
export interface Recovery {
  readonly webhookId: number;
  /** The outage lasted a minute or more. */
  readonly wasLong: boolean;
}
