/** The way to the messaging network: which one, and whether its sessions live in this thread or in others. */
import type { Config } from '../config.ts';
import type { Clock, Timer } from '../domain/clock.ts';
import type { Network } from '../domain/network.ts';
import type { Stores } from '../domain/stores.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type ThreadStats, Threads } from '../threads/pool.ts';
import { MessageIds } from '../whatsapp/message-ids.ts';
import type { ProbePace } from '../whatsapp/probe.ts';
import { type SandboxAddress, assertSandbox } from '../whatsapp/sandbox-address.ts';
import { LateNetwork } from './late-network.ts';

export interface NetworkParts {
  readonly config: Config;
  readonly stores: Pick<Stores, 'credentials' | 'messages'>;
  /** Null: the real network. */
  readonly sandbox: SandboxAddress | null;
  readonly probePace: ProbePace | undefined;
  /** Another than the system's goes to no other thread. */
  readonly ownClock: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** What a test wants of the threads. */
  readonly watchThreads?: WatchThreads | undefined;
}

export interface WatchThreads {
  readonly crowdedAt: number;
  readonly started: (threads: Threads) => void;
}

export interface OpenNetwork {
  readonly network: Network;
  /** The service is ready: what was put off for that may be done. */
  started(): void;
  readonly threads: () => ThreadStats;
  /** When all sessions are closed. */
  close(): Promise<void>;
}

const isSandboxAddress = (body: unknown): body is SandboxAddress =>
  typeof body === 'object' && body !== null && 'socketUrl' in body && 'rootKey' in body && 'mediaCa' in body;

/** Asks a running sandbox where its parts are (sandbox.md, Running it). */
const askSandbox = async (controlUrl: string): Promise<SandboxAddress> => {
  try {
    const answer = await fetch(controlUrl, { signal: AbortSignal.timeout(10_000) });
    const body: unknown = await answer.json();
    if (!isSandboxAddress(body)) throw new Error('it is something else');
    return body;
  } catch (error) {
    throw new Error(`HANDSET_NETWORK: no sandbox answers at ${controlUrl} (${messageOf(error)})`, { cause: error });
  }
};

/** Null where it is the real network. */
export const findSandbox = async ({ network }: Config): Promise<SandboxAddress | null> => {
  if (network === null) return null;
  const address = await askSandbox(network);
  assertSandbox(address);
  return address;
};

/** The first requests of a service that has just started are answered before, where no device is waiting. */
const loadAfterMs = 100;

/** `baseUrl`: where the interface is reached, with `/v1`, once it is. */
export const openNetwork = (parts: NetworkParts, baseUrl: () => string): OpenNetwork => {
  const { config, stores, sandbox, probePace, ownClock, clock, log, watchThreads } = parts;
  if (config.workers > 0 && !ownClock) {
    const data = { sandbox, probePace };
    const threads = new Threads({ ...watchThreads, count: config.workers, stores, data, baseUrl, log });
    watchThreads?.started(threads);
    return {
      network: threads.network,
      started: () => undefined,
      threads: () => threads.stats(),
      close: () => threads.close(),
    };
  }
  const ids = new MessageIds();
  const load = async (): Promise<Network> => {
    const { realEndpoint, sandboxEndpoint } = await import('../whatsapp/endpoint.ts');
    const { makeWhatsApp } = await import('../whatsapp/network.ts');
    const endpoint = sandbox === null ? realEndpoint() : sandboxEndpoint(sandbox);
    const { credentials, messages } = stores;
    const network = makeWhatsApp({ credentials, messages, endpoint, baseUrl, probePace, ids, clock, log });
    log.debug('the engine is loaded');
    return network;
  };
  const network = new LateNetwork(
    { sandbox: sandbox !== null, newMessageId: (elsewhere) => ids.make(elsewhere) },
    load,
  );
  let timer: Timer | null = null;
  return {
    network,
    started() {
      timer = clock.after(loadAfterMs, () => void network.load());
    },
    threads: () => ({ running: 0, ended: 0 }),
    async close() {
      timer?.cancel();
      await network.settled();
    },
  };
};
