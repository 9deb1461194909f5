/** How many devices are one node's fair share. */
import type { ClusterNode } from '../domain/lease.ts';

type Load = Pick<ClusterNode, 'draining' | 'devices'>;

/** Of all that are held, over the nodes that stay; a node that stands alone has them all. */
export const shareOf = (nodes: readonly Load[]): number => {
  const staying = nodes.filter(({ draining }) => !draining).length;
  const held = nodes.reduce((sum, { devices }) => sum + devices, 0);
  return staying <= 1 ? Infinity : Math.ceil(held / staying) + 1;
};

/** How many devices a node should give away: while another one has clearly less than its share, all above its own. */
export const surplusOf = (nodes: readonly Load[], held: number): number => {
  const share = shareOf(nodes);
  const least = Math.min(...nodes.filter(({ draining }) => !draining).map(({ devices }) => devices));
  return least < share * 0.9 ? Math.max(0, held - share) : 0;
};
