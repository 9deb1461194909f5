/** A node's fair share of devices, and which ones it gives away. */
import type { ClusterNode } from '../../domain/lease.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';

type Load = Pick<ClusterNode, 'draining' | 'devices'>;

export const shareOf = (nodes: readonly Load[]): number => {
  const staying = nodes.filter(({ draining }) => !draining).length;
  const held = nodes.reduce((sum, { devices }) => sum + devices, 0);
  return staying <= 1 ? Infinity : Math.ceil(held / staying) + 1;
};

export const surplusOf = (nodes: readonly Load[], held: number): number => {
  const share = shareOf(nodes);
  const least = Math.min(...nodes.filter(({ draining }) => !draining).map(({ devices }) => devices));
  return least < share * 0.9 ? Math.max(0, held - share) : 0;
};

type Movable = Pick<DeviceRuntime, 'id' | 'session' | 'working' | 'usedAt'>;

/** False during a pairing, a reconnect or a send. */
const isSettled = ({ session, working }: Movable): boolean =>
  !working && (session.state.kind === 'open' || session.state.kind === 'closed');

export const longestIdle = (runtimes: readonly Movable[], count: number): readonly number[] =>
  runtimes
    .filter(isSettled)
    .sort((a, b) => a.usedAt - b.usedAt)
    .slice(0, count)
    .map(({ id }) => id);
