/** Trouble since the start that an operator should know of, as `/health/ready` tells it: counts, and no name. */
import type { LoopReport } from '../../domain/operation.ts';
import type { UnreadCounts } from '../../domain/network.ts';
import { isoOrNull } from './messages/message.ts';

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
