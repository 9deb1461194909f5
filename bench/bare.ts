/** Bare Baileys sockets with keys in memory, the baseline of every figure. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  type AnyMessageContent,
  type AuthenticationState,
  generateMessageIDV2,
  initAuthCreds,
  type SignalDataTypeMap,
} from 'baileys';
import { parseCredentials } from '../src/whatsapp/signal/credentials.ts';
import { serveCommands, settledMemory } from '../test/system/support/child.ts';
import { Count } from '../test/system/support/count.ts';
import type { Linked } from '../test/system/support/fill.ts';
import { paced } from './support/paced.ts';
import { type Place, type Socket, linkSocket, openSocket, trust } from './support/sockets.ts';

const sockets: Socket[] = [];
/** Arrival of each text, in ms since the epoch. */
const arrivals: [text: string, at: number][] = [];
const come = new Count();
let place: Place;

const memoryState = (creds = initAuthCreds(), keys = new Map<string, unknown>()): AuthenticationState => {
  return {
    creds,
    keys: {
      async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
        const found: Record<string, SignalDataTypeMap[T]> = {};
        for (const id of ids) {
          const value = keys.get(`${type}/${id}`);
          if (value !== undefined) found[id] = value as SignalDataTypeMap[T];
        }
        return found;
      },
      async set(data) {
        for (const [type, entries] of Object.entries(data)) {
          for (const [id, value] of Object.entries(entries ?? {})) {
            if (value === null || value === undefined) keys.delete(`${type}/${id}`);
            else keys.set(`${type}/${id}`, value);
          }
        }
      },
    },
  };
};

/** Prekeys of a linked socket; nobody requests them here. */
const preKeys = (count: number): Map<string, unknown> => {
  const bytes = randomBytes(count * 64);
  const key = (at: number): Buffer => Buffer.from(bytes.subarray(at, at + 32));
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const pair = { private: key(index * 64), public: key(index * 64 + 32) };
      return [`pre-key/${index + 1}`, pair];
    }),
  );
};

/** Sends a message and waits for the server's ack, as Handset does before it answers. */
const sendAcked = async (socket: Socket, to: string, content: AnyMessageContent): Promise<void> => {
  const messageId = generateMessageIDV2(socket.user?.id);
  const acked = socket.waitForMessage(messageId);
  await socket.sendMessage(to, content, { messageId });
  await acked;
};

const sendMany = async (
  { count, devices, inFlight }: { count: number; devices: number; inFlight: number },
  send: (index: number, left: number) => Promise<void>,
): Promise<number> => {
  const began = performance.now();
  let left = count;
  const worker = async (index: number): Promise<void> => {
    while (left-- > 0) await send(index, left);
  };
  await Promise.all(Array.from({ length: devices * inFlight }, (_, index) => worker(index % devices)));
  return performance.now() - began;
};

serveCommands({
  async start(given: Place) {
    place = given;
    trust(given);
  },
  async connect(numbers: readonly string[]) {
    const link = (number: string): Promise<Socket> => linkSocket(place, number, { state: memoryState() });
    for (let at = 0; at < numbers.length; at += 8) {
      sockets.push(...(await Promise.all(numbers.slice(at, at + 8).map(link))));
    }
  },
  /** Connects sockets linked by light clients, all at once. Returns the ms until all are open. */
  async resume({ credentials, published }: Linked) {
    const began = performance.now();
    const opened = credentials.map((text) =>
      openSocket(place, { state: memoryState(parseCredentials(Buffer.from(text)), preKeys(published)), onQr: null }),
    );
    sockets.push(...(await Promise.all(opened)));
    return performance.now() - began;
  },
  /** Starts recording incoming messages. */
  listen() {
    for (const { ev } of sockets) {
      ev.on('messages.upsert', ({ messages }) => {
        const at = performance.timeOrigin + performance.now();
        for (const { message } of messages) {
          const text = message?.conversation ?? message?.extendedTextMessage?.text;
          if (!text) continue;
          arrivals.push([text, at]);
          come.add();
        }
      });
    }
  },
  arrivals: () => arrivals.splice(0),
  heard: (more: number) => come.more(more),
  memory: () => settledMemory(),
  cpu: () => process.cpuUsage(),
  /** Sends `count` texts over the first `devices` sockets, `inFlight` at a time each. Returns the milliseconds it took. */
  send: (order: { count: number; devices: number; inFlight: number; to: readonly string[] }) =>
    sendMany(order, (index, left) => sendAcked(sockets[index]!, order.to[index]!, { text: `bare ${left}` })),
  /** Sends an image file `count` times over the first socket. */
  async sendImages(order: { count: number; inFlight: number; to: string; path: string }) {
    const image = await readFile(order.path);
    return sendMany({ ...order, devices: 1 }, () => sendAcked(sockets[0]!, order.to, { image }));
  },
  /** Duration of each of `count` sends over the first socket, ms. */
  paced: ({ count, perSecond, to }: { count: number; perSecond: number; to: string }) =>
    paced(() => sendAcked(sockets[0]!, to, { text: 'paced' }), perSecond, count),
});
