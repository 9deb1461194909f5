/** The state of the service: its client version, its reach of the network, and trouble since the start. */
import { Type } from 'typebox';
import type { ClientVersionStatus } from '../../domain/client-version.ts';
import { nullableText, nullableTimestamp, oneOf } from '../wire/build.ts';
import { isoOrNull } from './messages/message.ts';
import type { NetworkReach, UnreadCounts } from '../../domain/network.ts';
import type { LoopReport } from '../../domain/operation.ts';

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

export const clientVersionView = ({
  version,
  source,
  ageDays,
  expiresAt,
  warning,
  lastCheck,
}: ClientVersionStatus) => ({
  version,
  source,
  ageDays,
  expiresAt: isoOrNull(expiresAt),
  checkedAt: isoOrNull(lastCheck?.at ?? null),
  problem: lastCheck?.detail ?? null,
  warning,
});

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

export interface Trouble {
  readonly loop: LoopReport;
  readonly unread: Readonly<UnreadCounts>;
}

export const troubleView = ({ loop: { blocked, longest, lastAt }, unread }: Trouble) => ({
  eventLoop: {
    blocked: Object.values(blocked).reduce((sum, count) => sum + count, 0),
    longestMs: longest?.ms ?? 0,
    operation: longest?.operation?.route ?? longest?.operation?.stanza ?? longest?.operation?.kind ?? null,
    lastAt: isoOrNull(lastAt),
  },
  unread,
});
