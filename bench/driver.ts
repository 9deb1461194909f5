/** The driver over the real store in a process of its own, without HTTP around it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../src/clock.ts';
import type { Network, Session } from '../src/domain/network.ts';
import { parseRecipient } from '../src/domain/recipient.ts';
import type { Stores } from '../src/domain/stores.ts';
import { openStore } from '../src/store/sqlite/open.ts';
import { sandboxEndpoint } from '../src/whatsapp/login/endpoint.ts';
import { makeWhatsApp } from '../src/whatsapp/network.ts';
import { serveCommands, settledMemory } from './support/child.ts';

interface Place {
  readonly socketUrl: string;
  readonly rootKey: string;
  readonly mediaCa: string;
  readonly controlUrl: string;
}

const log = pino({ level: 'silent' });
const sessions: Session[] = [];
let place: Place;
let dataDir: string;
let stores: Stores;
let network: Network;
let userId: number;

const scan = async (number: string, qr: string): Promise<void> => {
  const answer = await fetch(`${place.controlUrl}/phones/${number}/scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ qr }),
  });
  if (!answer.ok) throw new Error(`scan: ${answer.status} ${await answer.text()}`);
};

const connect = async (number: string): Promise<Session> => {
  const given = { userId, name: number, webhookUrl: null, webhookEvents: [] };
  const { id: deviceId } = await stores.devices.create(given, Date.now());
  const opened = Promise.withResolvers<void>();
  let scanned = false;
  const session = network.connect(
    { deviceId, pairingNumber: null },
    {
      pairing({ qrText }) {
        if (scanned) return;
        scanned = true;
        scan(number, qrText).catch(opened.reject);
      },
      passkey: () => {},
      linked: () => {},
      restricted: () => {},
      open: () => opened.resolve(),
      closed: ({ kind }) => opened.reject(new Error(`closed: ${kind}`)),
    },
  );
  await opened.promise;
  return session;
};

serveCommands({
  async start(given: Place) {
    place = given;
    dataDir = await mkdtemp(join(tmpdir(), 'handset-driver-bench-'));
    stores = await openStore({ dataDir, secret: null, clock: systemClock, log });
    userId = (await stores.users.create('bench', 1_000_000, Date.now())).id;
    network = makeWhatsApp({
      ...stores,
      endpoint: sandboxEndpoint(given),
      baseUrl: () => 'http://bench/v1',
      clock: systemClock,
      log,
    });
  },
  async connect(numbers: readonly string[]) {
    for (const number of numbers) sessions.push(await connect(number));
  },
  memory: () => settledMemory(),
  cpu: () => process.cpuUsage(),
  /** Sends `count` texts in all, each session one after the other; milliseconds it took. */
  async send(order: { count: number; to: readonly string[] }) {
    const began = performance.now();
    let left = order.count;
    const worker = async (session: Session, index: number): Promise<void> => {
      for (; left > 0; left -= 1) {
        const recipient = parseRecipient(undefined, order.to[index % order.to.length]);
        await session.send({
          id: network.newMessageId(),
          recipient,
          content: { kind: 'text', text: `driver ${left}` },
        });
      }
    };
    await Promise.all(sessions.map(worker));
    return performance.now() - began;
  },
  async stop() {
    await Promise.all(sessions.map((session) => session.close()));
    await stores.close();
    await rm(dataDir, { recursive: true, force: true });
  },
});
