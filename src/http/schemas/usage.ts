/** Usage by the hour or the day. */
import { Type } from 'typebox';
import { type Usage, type UsageSpan, type UsageStep, usageSteps } from '../../domain/usage.ts';
import { invalidRequest } from '../../errors.ts';
import { parseTimestamp, timestampMember, oneOf, timestamp } from '../wire/build.ts';

const number = (description: string) => Type.Integer({ minimum: 0, description });

export const UsageSchema = Type.Object(
  {
    from: timestamp('Start of the interval (UTC)'),
    sent: number('Messages that the network took, from the API and from the other devices of the account'),
    received: number('Messages that came in'),
    failed: number('Messages that could not be sent'),
    deliveries: Type.Object({
      delivered: number('Events of that time that webhooks have taken'),
      pending: number('Events of that time that wait for a webhook'),
      failed: number('Events of that time that no webhook took'),
    }),
    failedPosts: number('Posts to webhooks that failed in that time, whatever became of their events'),
  },
  { title: 'Usage' },
);

const maxIntervals = 1_000;
const usual: Readonly<Record<UsageStep, number>> = { hour: 24, day: 30 };

export const usageParameters = {
  by: Type.Optional(
    oneOf(['hour', 'day'], {
      description: 'Length of the intervals, `hour` by default',
      errorMessage: 'must be hour or day',
    }),
  ),
  since: Type.Optional(timestampMember('From this time on; 24 hours or 30 days ago by default')),
  until: Type.Optional(timestampMember('Up to this time; now by default')),
};

/** Throws InvalidRequest for a reversed span, or for more than 1,000 intervals. */
export const usageSpan = (
  query: { readonly by?: UsageStep; readonly since?: string; readonly until?: string },
  now: number,
): UsageSpan => {
  const by = query.by ?? 'hour';
  const until = query.until === undefined ? now : parseTimestamp('until', query.until);
  const since =
    query.since === undefined ? until - (usual[by] - 1) * usageSteps[by] : parseTimestamp('since', query.since);
  if (since > until) throw invalidRequest('since must not be after until');
  if ((until - since) / usageSteps[by] >= maxIntervals) {
    throw invalidRequest(`since and until must not be more than ${maxIntervals} ${by}s apart`);
  }
  return { by, since, until };
};

export const usageView = ({ from, ...counts }: Usage) => ({ from: new Date(from).toISOString(), ...counts });
