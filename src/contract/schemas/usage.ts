/** Usage by the hour or the day. */
import { Type } from 'typebox';
import { timestamp, oneOf, timestampMember } from '../build.ts';

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
