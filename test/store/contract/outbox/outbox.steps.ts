/** Claims and outcomes, for the contracts of the outbox. */
import assert from 'node:assert/strict';
import type { Clock } from '../../../../src/domain/clock.ts';
import type { AttemptResult, DueDelivery } from '../../../../src/domain/delivery.ts';
import type { Outbox } from '../../../../src/domain/stores.ts';
import type { Fixture } from '../fixture.ts';

export const leaseMs = 30_000;

export const claimAll = (
  { stores, clock }: Fixture,
  rest: Partial<Parameters<Outbox['claim']>[0]> = {},
): Promise<readonly DueDelivery[]> =>
  stores.outbox.claim({ now: clock.now(), leaseUntil: clock.now() + leaseMs, limit: 100, exceptWebhooks: [], ...rest });

/** Nothing is pending, which a claim that finds nothing has noted at the end of the last lease. */
export const assertIdle = async (fixture: Fixture): Promise<void> => {
  await fixture.clock.advance(leaseMs);
  assert.deepEqual(await claimAll(fixture), []);
  assert.equal(await fixture.stores.outbox.nextDueAt(), null);
};

/** The message ids of what was claimed. */
export const messageIds = (due: readonly DueDelivery[]): string[] =>
  due.map(({ event: { event } }) => (event.type === 'message.received' ? event.data.message.id : event.type));

export const result = (
  { clock }: { readonly clock: Pick<Clock, 'now'> },
  { seq, deviceId, webhookId, webhook, attempts }: DueDelivery,
  rest: Partial<AttemptResult> = {},
): AttemptResult => ({
  seq,
  deviceId,
  webhookId,
  isPrimary: webhook.isPrimary,
  state: 'delivered',
  attempts: attempts + 1,
  nextAttemptAt: null,
  at: clock.now(),
  status: 200,
  error: null,
  durationMs: 12,
  response: 'ok',
  ...rest,
});

export const refused = { status: 500, error: 'HTTP 500', response: 'no', headers: { server: 'x' } } as const;
