/** A stock socket of Baileys whose server never answers, for the contracts in docs/internals/engine.md. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { initAuthCreds, makeWASocket, type UserFacingSocketConfig, type WASocket } from 'baileys';
import { makeLog } from '../../../../src/log.ts';
import { engineLog } from '../../../../src/whatsapp/engine/line/socket.ts';

export const stockSocket = async (t: TestContext, config: Partial<UserFacingSocketConfig> = {}): Promise<WASocket> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  const sock = makeWASocket({
    waWebSocketUrl: `ws://127.0.0.1:${port}`,
    auth: { creds: initAuthCreds(), keys: { get: async () => ({}), set: async () => undefined } },
    logger: engineLog(makeLog('silent')),
    shouldSyncHistoryMessage: () => false,
    ...config,
  });
  t.after(async () => {
    server.close();
    const connection: unknown = Reflect.get(sock.ws, 'socket');
    sock.ws.removeAllListeners('error').on('error', () => undefined);
    if (typeof connection === 'object' && connection !== null && 'terminate' in connection) {
      Reflect.apply(connection.terminate as () => void, connection, []);
    }
    await sock.end(undefined);
  });
  return sock;
};

/** The source of a function, in short: another digest means that Baileys changed what stands behind an override. */
export const digest = (source: unknown): string =>
  createHash('sha256').update(String(source).replaceAll(/\s+/g, ' ')).digest('hex').slice(0, 12);

/** Not by resolving the package: the tests may run with one that is bundled (`tools/test-packages.ts`). */
const lib = join(import.meta.dirname, '../../../../node_modules/baileys/lib');

export const sourceOf = (file: string): string => readFileSync(join(lib, file), 'utf8');

/** A function's text in a file of Baileys that exports it only inside a closure. */
export const inner = (file: string, name: string): string => {
  const text = sourceOf(file);
  const found = new RegExp(String.raw`^( *)const ${name} = [\s\S]*?^\1};`, 'm').exec(text);
  return found?.[0] ?? `${name} is not in ${file}`;
};
