/** The connection to the messaging network: the real one, or a sandbox. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Clock, Timer } from '../domain/clock.ts';
import type { Network, NetworkReach } from '../domain/network.ts';
import type { Stores } from '../domain/stores.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { assertRoom } from '../media-store/draft.ts';
import { realEndpoint, sandboxEndpoint, type SandboxAddress, assertSandbox } from '../whatsapp/connection/endpoint.ts';
import { findFfmpeg } from '../whatsapp/media/ffmpeg/ffmpeg.ts';
import { TemporaryFiles } from '../whatsapp/media/temporary-files.ts';
import { makeWhatsApp } from '../whatsapp/network.ts';
import type { Tunnel } from '../whatsapp/connection/tunnel.ts';
import { type QueryIds, queryIdsWith } from '../whatsapp/socket/query.ts';
import type { ProbePace } from '../whatsapp/connection/probe.ts';

export interface NetworkParts {
  readonly config: Pick<Config, 'dataDir' | 'ffmpeg' | 'maxMediaBytes' | 'queryIdsFile'>;
  readonly stores: Pick<Stores, 'changes' | 'credentials' | 'messages' | 'groups' | 'statuses' | 'suppressions'>;
  readonly sandbox: SandboxAddress | null;
  readonly probePace: ProbePace | undefined;
  readonly firstPreKeys: number | undefined;
  readonly tunnel: (proxy: string) => Tunnel;
  readonly clock: Clock;
  readonly log: Logger;
}

const isSandboxAddress = (body: unknown): body is SandboxAddress =>
  typeof body === 'object' && body !== null && 'socketUrl' in body && 'rootKey' in body && 'mediaCa' in body;

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

export const findSandbox = async ({ network }: Config): Promise<SandboxAddress | null> => {
  if (network === null) return null;
  const address = await askSandbox(network);
  assertSandbox(address);
  return address;
};

const queryIdsIn = async (file: string | null): Promise<QueryIds | undefined> => {
  if (file === null) return undefined;
  try {
    return queryIdsWith(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Error(`HANDSET_QUERY_IDS: ${file} cannot be used: ${messageOf(error)}`, { cause: error });
  }
};

export const openNetwork = async (parts: NetworkParts): Promise<Network> => {
  const { config, stores, sandbox, probePace, firstPreKeys, tunnel, clock, log } = parts;
  const endpoint = sandbox === null ? realEndpoint() : sandboxEndpoint(sandbox);
  const { messages, groups, statuses, suppressions } = stores;
  const room = (): Promise<void> => assertRoom(config.dataDir, 0);
  const files = new TemporaryFiles(join(config.dataDir, 'uploads'), room);
  await files.clear();
  const ffmpeg = findFfmpeg(config.ffmpeg.setting, config.ffmpeg.searchPath);
  const media = { files, ffmpeg, maxBytes: config.maxMediaBytes };
  return makeWhatsApp({
    credentials: { ...stores.credentials, ...stores.changes },
    messages,
    groups,
    statuses,
    suppressions,
    endpoint,
    tunnel,
    ...media,
    queryIds: await queryIdsIn(config.queryIdsFile),
    probePace,
    firstPreKeys,
    clock,
    log,
  });
};

const everyMs = 60_000;
const retryMs = 15_000;

interface NetworkWatchParts {
  readonly reach: () => Promise<string | null>;
  readonly openSessions: () => number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Asks whether the network can be reached while no open session shows it. */
export class NetworkWatch {
  readonly #parts: NetworkWatchParts;
  #status: NetworkReach = { problem: null, checkedAt: null };
  #timer: Timer | null = null;
  #stopped = false;

  constructor(parts: NetworkWatchParts) {
    this.#parts = parts;
  }

  get status(): NetworkReach {
    return this.#status;
  }

  start(): void {
    void this.#look();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    const { reach, openSessions, clock, log } = this.#parts;
    const before = this.#status.problem;
    const problem = openSessions() > 0 ? null : await reach();
    if (this.#stopped) return;
    this.#status = { problem, checkedAt: clock.now() };
    if (problem !== null && before === null) log.warn(`the messaging network: ${problem}`);
    if (problem === null && before !== null) log.info('the messaging network can be reached again');
    this.#timer = clock.after(problem === null ? everyMs : retryMs, () => void this.#look());
  }
}
