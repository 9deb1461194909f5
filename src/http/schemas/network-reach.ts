/** Whether the service reaches the messaging network, as callers see it. */
import { Type } from 'typebox';
import type { NetworkReach } from '../../domain/network.ts';
import { nullableText, nullableTimestamp } from '../wire/build.ts';
import { isoOrNull } from './messages/message.ts';

export const NetworkReachSchema = Type.Object(
  {
    reachable: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether a connection to the network can be made; null: not looked at yet',
    }),
    problem: nullableText({ description: 'Why the network cannot be reached; null if it can' }),
    checkedAt: nullableTimestamp('When it was last looked at'),
  },
  { title: 'NetworkReach' },
);

export const unknownReach: NetworkReach = { problem: null, checkedAt: null };

export const networkReachView = ({ problem, checkedAt }: NetworkReach) => ({
  reachable: checkedAt === null ? null : problem === null,
  problem,
  checkedAt: isoOrNull(checkedAt),
});
