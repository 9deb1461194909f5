/** Deliveries: the outbox of events on their way to a webhook. */
import type { StoredEvent } from './event.ts';

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
  /** Its chat has gone on without it. */
  readonly late: boolean;
}

/** A failing delivery holds back its own chat for this long (docs/spec/webhooks.md, Order). */
export const heldBackMs = 120_000;

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
}

/** A delivery that is due, with all that posting it needs. */
export interface DueDelivery {
  readonly id: string;
  readonly deviceId: number;
  readonly orderKey: string;
  readonly attempts: number;
  readonly event: StoredEvent;
  /** The recovery of the endpoint made it due before its time: this attempt uses up none of its schedule. */
  readonly broughtForward?: boolean;
}

/** The outcome of one attempt. */
export interface AttemptResult {
  readonly id: string;
  readonly deviceId: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
  readonly at: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly response: string | null;
}

/** A device's webhook: where to, its secrets and its health. */
export interface Webhook {
  readonly deviceId: number;
  readonly url: string | null;
  /** `whsec_…`; the current secret. */
  readonly secret: string;
  /** The former secret, still signed with until `previousSecretUntil` (24 h after a rotation). */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: number | null;
  /** Set by a 410: nothing is posted until the URL is set again. */
  readonly disabledAt: number | null;
  /** When the present run of failures began, or null. */
  readonly failingSince: number | null;
  readonly lastSuccessAt: number | null;
}
