/** Store, way out and dispatcher in a process of their own, without sessions: events are written straight into the log. */
import { systemClock } from '../../src/clock.ts';
import type { Stores } from '../../src/domain/stores.ts';
import { makeLog } from '../../src/log.ts';
import { makeOutbound } from '../../src/outbound.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { type Dispatcher, makeDispatcher } from '../../src/webhooks/dispatcher.ts';
import { serveCommands, settledHeap, settledMemory } from '../support/child.ts';

const log = makeLog('silent');
let stores: Stores;
let dispatcher: Dispatcher;

const eventOf = (name: string, chat: string) => {
  const data = { messageId: name, chat, chatNumber: null, chatLid: null, update: { status: 'read' } } as const;
  return { event: { type: 'message.updated', data }, at: Date.now(), orderKey: chat, dedupeKey: name } as const;
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

serveCommands({
  async open(dataDir: string) {
    stores = await openStore({ dataDir, secret: null, clock: systemClock, log });
    const outbound = makeOutbound({ allowPrivateUrls: true, userAgent: 'Handset/bench' });
    dispatcher = makeDispatcher({ ...stores, outbound, clock: systemClock, log });
    stores.onEvents(() => dispatcher.wake());
  },
  /** Ids of new devices with these webhook URLs. */
  async devices(urls: readonly string[]) {
    const user = await stores.users.create(`bench ${Date.now()}`, 100_000, Date.now());
    const ids: number[] = [];
    for (const webhookUrl of urls) {
      const device = { userId: user.id, name: 'bench', webhookUrl, webhookEvents: ['message.updated'] as const };
      ids.push((await stores.devices.create(device, Date.now())).id);
    }
    return ids;
  },
  /** Writes `count` events, spread over so many chats. */
  async fill({ deviceId, count, chats }: { deviceId: number; count: number; chats: number }) {
    for (let first = 0; first < count; first += 500) {
      const events = Array.from({ length: Math.min(500, count - first) }, (_, index) =>
        eventOf(`${deviceId} ${first + index}`, `${(first + index) % chats}@g.us`),
      );
      await stores.credentials.commit(deviceId, { events });
    }
  },
  dispatch: () => dispatcher.start(),
  /** Writes events at a steady pace, round robin over the devices; when each was written, by name. */
  async write(order: { deviceIds: readonly number[]; perSecond: number; seconds: number; round: string }) {
    const { deviceIds, perSecond, seconds, round } = order;
    const written: [name: string, at: number][] = [];
    const began = performance.now();
    for (let n = 0; n < perSecond * seconds; n += 1) {
      const early = began + (1000 * n) / perSecond - performance.now();
      if (early > 1) await pause(early);
      const name = `${round} ${n}`;
      written.push([name, performance.timeOrigin + performance.now()]);
      void stores.credentials.commit(deviceIds[n % deviceIds.length]!, { events: [eventOf(name, `${n}@g.us`)] });
    }
    return written;
  },
  memory: async () => ({ rss: await settledMemory(), heap: await settledHeap() }),
});
