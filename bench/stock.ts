/** Stock Baileys behind HTTP, as its examples have it: keys in files, each event posted to a webhook, nothing stored and nothing retried. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type AnyMessageContent, useMultiFileAuthState } from 'baileys';
import { serveCommands } from '../test/system/support/child.ts';
import { type Place, type Socket, linkSocket, trust } from './support/sockets.ts';

const sockets: Socket[] = [];
let place: Place;
let folder: string;

const post = async (webhookUrl: string, type: string, data: object): Promise<void> => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(webhookUrl, { method: 'POST', headers, body: JSON.stringify({ type, data }) });
  await answer.arrayBuffer();
};

const link = async (number: string, webhookUrl: string): Promise<Socket> => {
  const { state, saveCreds: saved } = await useMultiFileAuthState(join(folder, number));
  const socket = await linkSocket(place, number, { state, saved, emitOwnEvents: true });
  socket.ev.on('messages.upsert', ({ messages }) => {
    for (const message of messages) void post(webhookUrl, 'messages.upsert', message);
  });
  socket.ev.on('messages.update', (updates) => {
    for (const update of updates) void post(webhookUrl, 'messages.update', update);
  });
  socket.ev.on('message-receipt.update', (updates) => {
    for (const update of updates) void post(webhookUrl, 'message-receipt.update', update);
  });
  return socket;
};

const send = async (request: IncomingMessage): Promise<object> => {
  const { to, text = '', image } = (await json(request)) as { to: string; text?: string; image?: string };
  const content: AnyMessageContent = image === undefined ? { text } : { image: Buffer.from(image, 'base64') };
  const sent = await sockets[Number(request.url!.slice(1))]!.sendMessage(to, content);
  return { id: sent?.key.id };
};

serveCommands({
  async start(given: Place) {
    place = given;
    trust(given);
    folder = await mkdtemp(join(tmpdir(), 'stock-bench-'));
    const server = createServer((request, response) => {
      const answer = (status: number, body: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      send(request).then(
        (body) => answer(200, body),
        (error: unknown) => answer(500, { error: String(error) }),
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  async connect({ numbers, webhookUrl }: { numbers: readonly string[]; webhookUrl: string }) {
    for (const number of numbers) sockets.push(await link(number, webhookUrl));
  },
  cpu: () => process.cpuUsage(),
  end: () => rm(folder, { recursive: true, force: true }),
});
