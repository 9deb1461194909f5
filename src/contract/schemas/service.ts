/** State of the service: client version, network reachability, and trouble since the start. */
import { Type } from 'typebox';
import { oneOf, nullableTimestamp, nullableText } from '../build.ts';

export const ClientVersionSchema = Type.Object(
  {
    version: Type.String({ description: "Version of the network's web client", examples: ['2.3000.1043857760'] }),
    source: oneOf(['bundled', 'stored', 'fetched', 'pinned'], {
      description:
        "`bundled` with this release, `stored` from an earlier run, `fetched` from the network's page, or `pinned` by the operator",
    }),
    ageDays: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Days since it was published or first seen; null if unknown',
    }),
    expiresAt: nullableTimestamp('From when on the network refuses it; null: the network has named no date'),
    checkedAt: nullableTimestamp("When the network's pages were last read; null: not since the start"),
    problem: nullableText({ description: "Why the network's pages could not be read; null if one could" }),
    warning: nullableText({ description: 'Advice for the operator; null if there is none' }),
  },
  { title: 'ClientVersion' },
);

export const NetworkReachSchema = Type.Object(
  {
    reachable: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether the network can be reached; null: not checked yet',
    }),
    problem: nullableText({ description: 'Why the network cannot be reached; null if it can' }),
    checkedAt: nullableTimestamp('When it was last looked at'),
  },
  { title: 'NetworkReach' },
);
