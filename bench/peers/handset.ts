/** Handset itself, as `npm start` runs it: the reference. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundle, freePort } from '../support/installation.ts';
import { Requests } from '../support/requests.ts';
import { apiKey, settingsFor } from '../support/settings.ts';
import type { Adapter } from './adapter.ts';
import { Program } from './program.ts';

type Devices = { readonly devices: readonly { readonly status: string }[] };

export const adapter: Adapter = {
  name: 'Handset',
  promises: 'durable before it leaves, answers after the acknowledgement',
  // No other events are asked for.
  messagesIn: () => 1,
  async start({ controlUrl }, hooks) {
    bundle();
    const dataDir = await mkdtemp(join(tmpdir(), 'handset-peer-'));
    const port = await freePort();
    const requests = new Requests();
    const ask = <T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> =>
      requests.ask<T>(method, `http://127.0.0.1:${port}/v1${path}`, body, apiKey);
    const env = {
      ...settingsFor(dataDir, controlUrl),
      HANDSET_HOST: '127.0.0.1',
      HANDSET_PORT: String(port),
      HANDSET_LOG_LEVEL: 'error',
    };
    const args = [join(import.meta.dirname, '../../src/cli/serve.js')];
    const program = new Program({ program: process.execPath, args, env }, async () => {
      await ask('GET', '/me');
      return true;
    });
    await program.start();
    const allConnected = async (): Promise<boolean> =>
      (await ask<Devices>('GET', '/devices')).devices.every(({ status }) => status === 'connected');
    return {
      get pids() {
        return [program.pid];
      },
      async link(_, scan) {
        const wanted = { webhookUrl: hooks.url, webhookEvents: ['message.received'] };
        const { device } = await ask<{ device: { id: number; qr: string } }>('POST', '/devices', wanted);
        await scan(device.qr);
        const path = `/devices/${device.id}`;
        while ((await ask<{ device: { status: string } }>('GET', path)).device.status !== 'connected') await sleep(20);
        return String(device.id);
      },
      async send(device, toNumber, message) {
        await ask('POST', `/devices/${device}/messages/text`, { toNumber, message });
      },
      async restart(signal) {
        await program.end(signal);
        await program.start();
        while (!(await allConnected().catch(() => false))) await sleep(10);
      },
      async stop() {
        await program.end('SIGTERM');
        await requests.close();
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  },
};
