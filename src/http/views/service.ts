/** State of the service: client version, network reachability, and trouble since the start. */
import type { ClientVersionStatus } from '../../domain/client-version.ts';
import { isoOrNull } from '../../domain/event-view.ts';
import type { NetworkReach, UnreadCounts } from '../../domain/network.ts';
import type { LoopReport } from '../../domain/turns.ts';

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
