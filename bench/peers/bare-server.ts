/** The service that `bare-http.ts` starts: as little as can be called one, on Baileys' own storage of keys. */
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Browsers, makeWASocket, useMultiFileAuthState } from 'baileys';
import { pino } from 'pino';

type Socket = ReturnType<typeof makeWASocket>;

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};
const folder = setting('KEYS_FOLDER');
const webhookUrl = setting('WEBHOOK_URL');
const fetchAgent = new Agent({ ca: setting('PEER_MEDIA_CA') });
const logger = pino({ level: 'silent' });
const open = new Map<string, Socket>();

const connect = async (number: string, onQr: (qr: string) => void): Promise<void> => {
  const { state, saveCreds } = await useMultiFileAuthState(join(folder, number));
  const socket = makeWASocket({
    auth: state,
    logger,
    browser: Browsers.ubuntu('Chrome'),
    markOnlineOnConnect: false,
    fetchAgent,
  });
  socket.ev.on('creds.update', () => void saveCreds());
  socket.ev.on('connection.update', ({ connection, qr }) => {
    if (qr !== undefined) onQr(qr);
    if (connection === 'open') open.set(number, socket);
    if (connection !== 'close') return;
    open.delete(number);
    void connect(number, onQr);
  });
  socket.ev.on('messages.upsert', ({ messages, type }) => {
    if (type !== 'notify') return;
    for (const message of messages.filter(({ key, message: content }) => key.fromMe !== true && content)) {
      const body = JSON.stringify({ device: number, message });
      void fetch(webhookUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    }
  });
};

const answer = async (method: string, path: string, body: () => Promise<string>): Promise<unknown> => {
  if (method === 'GET') return [...open.keys()];
  const [, , number = '', what] = path.split('/');
  if (what === 'text') {
    const { to, text: message } = JSON.parse(await body()) as { to: string; text: string };
    const sent = await open.get(number)!.sendMessage(to, { text: message });
    return { id: sent?.key.id };
  }
  return new Promise((resolve) => void connect(number, (qr) => resolve({ qr })));
};

for (const number of readdirSync(folder)) void connect(number, () => {});
createServer((request, response) => {
  answer(request.method!, request.url!, () => text(request)).then(
    (value) => response.writeHead(200).end(JSON.stringify(value)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(Number(setting('PORT')), '127.0.0.1');
