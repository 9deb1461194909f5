/** Baileys behind a minimal HTTP server, as small services have it: keys in files, an answer before the network's acknowledgement. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/installation.ts';
import { Requests } from '../support/requests.ts';
import type { Adapter } from './adapter.ts';
import { Program } from './program.ts';

const root = join(import.meta.dirname, '..', '..');

export const adapter: Adapter = {
  name: 'Baileys behind HTTP',
  promises:
    'keys in files that a kill can leave behind, messages nowhere; answers before the acknowledgement; posts once',
  messagesIn: () => 1,
  async start({ socketUrl, rootKey, mediaCa }, hooks) {
    const folder = await mkdtemp(join(tmpdir(), 'handset-peer-'));
    const port = await freePort();
    const requests = new Requests();
    const url = `http://127.0.0.1:${port}`;
    const env = {
      PORT: String(port),
      KEYS_FOLDER: folder,
      WEBHOOK_URL: hooks.url,
      PEER_SOCKET_URL: socketUrl,
      PEER_ROOT_KEY: rootKey,
      PEER_MEDIA_CA: mediaCa,
    };
    const args = ['--import', join(import.meta.dirname, 'preload.mjs'), join(import.meta.dirname, 'bare-server.ts')];
    const open = async (): Promise<readonly string[]> => requests.ask('GET', `${url}/devices`);
    const program = new Program({ program: process.execPath, args, env, folder: root }, async () => {
      await open();
      return true;
    });
    await program.start();
    const names = new Set<string>();
    return {
      get pids() {
        return [program.pid];
      },
      async link(number, scan) {
        const { qr } = await requests.post<{ qr: string }>(`${url}/devices/${number}`, {});
        await scan(qr);
        while (!(await open()).includes(number)) await sleep(20);
        names.add(number);
        return number;
      },
      async send(device, toNumber, text) {
        await requests.post(`${url}/devices/${device}/text`, { to: `${toNumber}@s.whatsapp.net`, text });
      },
      async restart(signal) {
        await program.end(signal);
        await program.start();
        while ((await open().catch(() => [])).length < names.size) await sleep(10);
      },
      async stop() {
        await program.end('SIGTERM');
        await requests.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};
