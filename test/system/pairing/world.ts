/** The stage of the pairings: a sandbox here, and the service in a process of its own whose time runs faster. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { type Answer, api } from '../../support/api.ts';
import { type Phones, phonesOf } from '../../support/phones.ts';
import { MortalService } from '../support/mortal-service.ts';

const key = `hs_${'P'.repeat(43)}`;

export interface World extends AsyncDisposable {
  readonly phones: Phones;
  readonly service: MortalService;
  /** Asks the service as it runs now; waits while it does not, and null when it went away in the middle. */
  ask(method: string, path: string, body?: unknown): Promise<Answer | null>;
  /** As a crash, or as a stop. */
  restart(how: 'kill' | 'stop'): Promise<void>;
  /** Makes the service's time jump ahead. */
  ahead(ms: number): Promise<void>;
}

/** `speed`: of the time in the service, so that a QR, a code and a backoff end within a soak, too. */
export const makeWorld = async (speed: number): Promise<World> => {
  await using opened = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-pairings-'));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const sandbox = await startSandbox({ port: 0 });
  opened.defer(() => sandbox.close());
  const service = new MortalService({
    HANDSET_PORT: '0',
    HANDSET_DATA_DIR: dataDir,
    HANDSET_BOOTSTRAP_KEY: key,
    HANDSET_BOOTSTRAP_DEVICE_LIMIT: '10000',
    HANDSET_NETWORK: sandbox.controlUrl,
    HANDSET_RATE_LIMIT: '1000000',
    HANDSET_LOG_LEVEL: process.env['HANDSET_LOG_LEVEL'] ?? 'fatal',
  });
  opened.defer(() => service.stop());
  const since = Date.now();
  let aheadMs = 0;
  const start = (): Promise<boolean> => service.start({ pace: { speed, since, aheadMs } }).ready;
  await start();
  const closing = opened.move();
  return {
    phones: phonesOf(sandbox.controlUrl),
    service,
    async ask(method, path, body) {
      const url = await service.address();
      try {
        return await api(`${url}/v1`, key).call(method, path, body);
      } catch {
        return null;
      }
    },
    async restart(how) {
      if (how === 'stop') {
        await service.ask('stop');
        await service.stop();
      } else await service.kill();
      await start();
    },
    async ahead(ms) {
      aheadMs += ms;
      await service.ask('ahead', ms);
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
};
