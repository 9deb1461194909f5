/** How many devices are one node's fair share. */
import type { ClusterNode } from '../domain/lease.ts';

/** Of all that are held, over the nodes that stay; a node that stands alone has them all. */
export const shareOf = (nodes: readonly ClusterNode[]): number => {
  const staying = nodes.filter(({ draining }) => !draining).length;
  const held = nodes.reduce((sum, { devices }) => sum + devices, 0);
  return staying <= 1 ? Infinity : Math.ceil(held / staying) + 1;
};
