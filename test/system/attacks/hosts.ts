/** Hosts that the service asks because an attacker says so: pages of links, endpoints of webhooks, proxies that take a connection and say nothing. */
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../load/ask.ts';
import type { Attack, Stage } from './attack.ts';

const settings = { HANDSET_ALLOW_PRIVATE_URLS: 'true' };
/** Requests of the attacker: 86 a minute, of the 100 that it has. */
const everyMs = 700;

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const served = async (answer: RequestListener): Promise<string> => {
  const server = createHttpServer(answer);
  server.unref();
  return listen(server);
};

/** Answers of an attack that has come as far as it is meant to: sent, refused by what was read of the file, or by a limit. */
const expected = [200, 400, 429, 503];

const sendAll = async (
  { ask, attacker: { key, device } }: Stage,
  ended: AbortSignal,
  [kind, bodyOf]: readonly [string, (n: number) => Readonly<Record<string, unknown>>],
): Promise<void> => {
  let refused: Reply | null = null;
  const send = async (n: number): Promise<void> => {
    const reply = await ask(key, 'POST', `/v1/devices/${device}/messages/${kind}`, bodyOf(n)).catch(() => null);
    if (reply !== null && !expected.includes(reply.status)) refused = reply;
  };
  for (let n = 0; !ended.aborted; n += 1) {
    // Not waited for: a slow answer holds nothing up here.
    void send(n);
    if (refused !== null) throw new Error(`${kind}: ${JSON.stringify(refused)}`);
    await sleep(everyMs);
  }
};

/** Links that end in brackets, and a page that nests elements. */
export const previews: Attack = {
  name: 'previews',
  settings,
  async run(stage, ended) {
    const page = '<b>'.repeat(168_000);
    const url = await served((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    });
    const messages = [`${url}/${')'.repeat(65_000)}`, `${url}/`];
    await sendAll(stage, ended, [
      'text',
      (n) => ({ toNumber: stage.friend, message: messages[n % 2], linkPreview: true }),
    ]);
  },
};

const made = async (asked: Promise<Reply>): Promise<void> => {
  const { status, body } = await asked;
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
};

/** Ten endpoints that take 14 s for an answer, each of which is told of every message. */
export const webhooks: Attack = {
  name: 'webhooks',
  settings,
  async prepare({ ask, attacker }) {
    const url = await served((request, response) => {
      request.resume();
      setTimeout(() => response.end(), 14_000).unref();
    });
    for (let n = 0; n < 10; n += 1)
      await made(
        ask(attacker.key, 'POST', `/v1/devices/${attacker.device}/webhooks`, {
          url: `${url}/${n}`,
          events: ['message.sent', 'message.updated'],
        }),
      );
  },
  run: (stage, ended) => sendAll(stage, ended, ['text', (n) => ({ toNumber: stage.friend, message: `message ${n}` })]),
};

/** ADTS frames of 7 bytes, without sound: 10 MB of them. */
const frames = Buffer.alloc(7 * 1_400_000, Buffer.from([0xff, 0xf1, 0x50, 0x80, 0x00, 0xff, 0xfc])).toString('base64');

/** Sounds whose length is dear to find out, while others send a picture of one pixel. */
export const media: Attack = {
  name: 'media',
  tenants: 'pictures',
  run: (stage, ended) => sendAll(stage, ended, ['audio', () => ({ toNumber: stage.friend, mediaBase64: frames })]),
};

/** Sixteen devices behind a proxy that hangs, while others connect again. */
export const proxies: Attack = {
  name: 'proxies',
  settings,
  tenants: 'restarts',
  isLasting: true,
  async run({ ask, attacker: { key } }, ended) {
    const server = createServer((socket) => socket.on('error', () => undefined));
    server.unref();
    const proxy = await listen(server);
    const link = async (): Promise<void> => {
      while (!ended.aborted) {
        const { status, body } = await ask(key, 'POST', '/v1/devices', { proxy });
        if (!expected.includes(status)) throw new Error(`${status} ${JSON.stringify(body)}`);
        await sleep(everyMs);
      }
    };
    // Each is refused in the end, as its proxy does not answer, and tried again.
    await Promise.all(Array.from({ length: 16 }, link));
  },
};
