/** The port to the cluster, if several nodes serve one installation. */
import type { AskPeer } from '../../service/cluster/node-lease.ts';
import type { Owner } from '../../service/cluster/caches.ts';
import type { NodeAuth } from '../wire/node-auth.ts';
import { nodeHeader } from '../wire/node-auth.ts';

export interface Cluster {
  readonly auth: NodeAuth;
  url(): string;
  /** Takes the device if no node owns it. Throws LeaseLost if that cannot be decided in time. */
  locate(deviceId: number, fresh?: boolean): Promise<Owner>;
  reachesDatabase(): Promise<boolean>;
}

export const nodePath = '/internal/v1/node';

const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === 'ECONNREFUSED';

export const peerAsker =
  (auth: NodeAuth): AskPeer =>
  async (url) => {
    const { header } = auth.sign({ node: url, method: 'GET', path: nodePath, headers: {} }, Buffer.alloc(0));
    const headers = { [nodeHeader]: header };
    const asked = fetch(`${url}${nodePath}`, { headers, signal: AbortSignal.timeout(10_000) });
    const answer = await asked.catch((error: unknown) => {
      if (isRefused(error)) return null;
      throw error;
    });
    if (answer === null) return 'gone';
    const body: unknown = await answer.json();
    if (typeof body !== 'object' || body === null || !('database' in body))
      throw new Error('not a node of this installation');
    return { database: body.database === true };
  };
