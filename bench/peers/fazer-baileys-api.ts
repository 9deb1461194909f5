/**
 * `fazer-ai/baileys-api`: Baileys behind HTTP on Bun, with its keys in Redis. PEER_FOLDER is a clone with its packages installed,
 * PEER_BUN the program of Bun, PEER_REDIS that of Redis.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/installation.ts';
import { Requests } from '../support/requests.ts';
import type { Adapter } from './adapter.ts';
import { Program, isListening, runOnce } from './program.ts';

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};

interface Update {
  readonly event: string;
  readonly data: {
    readonly connection?: string;
    readonly qr?: string;
    readonly type?: string;
    readonly messages?: readonly { readonly key: { readonly fromMe?: boolean }; readonly message?: unknown }[];
  };
}

const isUpdate = (body: unknown): body is Update =>
  typeof body === 'object' && body !== null && 'event' in body && 'data' in body;

export const adapter: Adapter = {
  name: 'fazer-ai/baileys-api',
  promises:
    'keys in Redis (as durable as that is: here in memory), messages nowhere; answers before the acknowledgement; posts retried from memory',
  messagesIn(body) {
    if (!isUpdate(body) || body.event !== 'messages.upsert') return 0;
    return body.data.messages?.filter(({ key, message }) => key.fromMe !== true && message).length ?? 0;
  },
  async start({ socketUrl, rootKey }, hooks) {
    const [port, redisPort] = [await freePort(), await freePort()];
    const requests = new Requests();
    const url = `http://127.0.0.1:${port}`;
    const ask = async (path: string, body: unknown): Promise<void> => {
      await requests.send('POST', `${url}${path}`, body, { 'x-api-key': 'bench-key' });
    };
    const redis = new Program(
      {
        program: setting('PEER_REDIS'),
        args: ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
        env: {},
      },
      () => isListening(redisPort),
    );
    await redis.start();
    const env = {
      NODE_ENV: 'production',
      PORT: String(port),
      LOG_LEVEL: 'error',
      BAILEYS_LOG_LEVEL: 'silent',
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      PEER_SOCKET_URL: socketUrl,
      PEER_ROOT_KEY: rootKey,
    };
    const folder = setting('PEER_FOLDER');
    const bun = setting('PEER_BUN');
    await runOnce({ program: bun, args: ['scripts/manage-api-keys.ts', 'create', 'user', 'bench-key'], folder, env });
    const args = ['--preload', join(import.meta.dirname, 'preload.mjs'), 'src/index.ts'];
    const program = new Program({ program: bun, args, folder, env }, () => isListening(port));
    await program.start();
    const open = new Set<string>();
    const qrs = new Map<string, (qr: string) => void>();
    hooks.listen((path, body) => {
      if (!isUpdate(body) || body.event !== 'connection.update') return;
      const number = path.slice(path.lastIndexOf('/') + 1);
      if (body.data.qr !== undefined) qrs.get(number)?.(body.data.qr);
      if (body.data.connection === 'open') open.add(number);
    });
    const names: string[] = [];
    return {
      get pids() {
        return [program.pid, redis.pid];
      },
      async link(number, scan) {
        const scanned = new Promise<void>((resolve, reject) => {
          qrs.set(number, (qr) => {
            qrs.delete(number);
            scan(qr).then(resolve, reject);
          });
        });
        await ask(`/connections/${encodeURIComponent(`+${number}`)}`, {
          webhookUrl: `${hooks.url}/${number}`,
          webhookVerifyToken: 'bench-token',
        });
        await scanned;
        while (!open.has(number)) await sleep(20);
        names.push(number);
        return number;
      },
      send: (device, toNumber, text) =>
        ask(`/connections/${encodeURIComponent(`+${device}`)}/send-message`, {
          jid: `${toNumber}@s.whatsapp.net`,
          messageContent: { text },
        }),
      async restart(signal) {
        open.clear();
        await program.end(signal);
        await program.start();
        while (open.size < names.length) await sleep(10);
      },
      async stop() {
        await program.end('SIGTERM');
        await redis.end('SIGTERM');
        await requests.close();
      },
    };
  },
};
