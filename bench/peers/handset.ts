/** Handset itself, as `npm start` runs it: the reference. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { apiKey } from '../support/stage.ts';
import type { Adapter } from './adapter.ts';

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
};

export const adapter: Adapter = {
  name: 'Handset',
  promises: 'durable before it leaves, answers after the acknowledgement',
  async start({ controlUrl }) {
    const dataDir = await mkdtemp(join(tmpdir(), 'handset-peer-'));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const agent = new Agent({ connections: 512 });
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/cli/serve.ts')], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        HANDSET_HOST: '127.0.0.1',
        HANDSET_PORT: String(port),
        HANDSET_DATA_DIR: dataDir,
        HANDSET_NETWORK: controlUrl,
        HANDSET_BOOTSTRAP_KEY: apiKey,
        HANDSET_BOOTSTRAP_DEVICE_LIMIT: '100000',
        HANDSET_RATE_LIMIT: '1000000',
        HANDSET_LOG_LEVEL: 'error',
      },
    });
    const ask = async <T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> => {
      const answer = await request(`${url}/v1${path}`, {
        dispatcher: agent,
        method,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      if (answer.statusCode > 299) throw new Error(`${path}: ${answer.statusCode} ${text}`);
      return JSON.parse(text) as T;
    };
    for (const began = performance.now(); ; await sleep(20)) {
      if (
        await ask('GET', '/me').then(
          () => true,
          () => false,
        )
      )
        break;
      if (performance.now() - began > 15_000) throw new Error('it did not start');
    }
    return {
      pid: child.pid!,
      async link(scan) {
        const { device } = await ask<{ device: { id: number; qr: string } }>('POST', '/devices', {});
        await scan(device.qr);
        const path = `/devices/${device.id}`;
        while ((await ask<{ device: { status: string } }>('GET', path)).device.status !== 'connected') await sleep(20);
        return String(device.id);
      },
      async send(device, toNumber, message) {
        await ask('POST', `/devices/${device}/messages/text`, { toNumber, message });
      },
      async stop() {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
        await agent.close();
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  },
};
