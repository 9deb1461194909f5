/** A dispatcher on a real store, with the way out of the product and a clock that the test may move. */
import { pino } from 'pino';
import { systemClock } from '../../src/clock.ts';
import { mediaUrlsBelow } from '../../src/domain/event-view.ts';
import type { Clock } from '../../src/domain/clock.ts';
import type { Delivery, DeliveryState } from '../../src/domain/delivery.ts';
import { eventKinds } from '../../src/domain/event.ts';
import type { Fact } from '../../src/domain/changes.ts';
import type { Outbox } from '../../src/domain/stores.ts';
import { makeOutbound } from '../../src/outbound.ts';
import { targetOf } from '../../src/domain/webhooks/webhook.ts';
import { Dispatcher, type DispatcherOptions } from '../../src/webhooks/dispatcher.ts';
import type { TestOutcome } from '../../src/webhooks/attempt.ts';
import { type TestStore, openTestStore } from '../support/store.ts';
import { eventually } from '../support/wait.ts';

export interface Bench extends AsyncDisposable {
  readonly store: TestStore;
  readonly dispatcher: Dispatcher;
  /** Another user than the one whose devices these are; the id. */
  user(): Promise<number>;
  /** A device with a webhook; its id. */
  device(url: string | null, userId?: number): Promise<number>;
  /** Writes an event that is told by `text` to a chat's queue; wakes nobody but the dispatcher's own listener. */
  write(deviceId: number, chat: string, ...texts: readonly string[]): Promise<void>;
  /** Posts a test event to a device's webhook. */
  test(deviceId: number): Promise<TestOutcome>;
  deliveries(deviceId: number, state?: DeliveryState): Promise<readonly Delivery[]>;
  /** Waits until so many are in the state. */
  settled(deviceId: number, state: DeliveryState, count: number): Promise<readonly Delivery[]>;
  /** Stops the dispatcher and starts a new one on the same store, opened again. */
  restart(): Promise<void>;
}

const silent = pino({ level: 'silent' });

let unique = 0;

/** Each is news, as each is of a message of its own. */
const factOf = (chat: string, text: string, at: number): Fact => {
  unique += 1;
  const place = { chat, chatNumber: null, chatLid: null };
  const receipt = { messageId: text, step: { state: 'read', at }, status: 'read', place, reader: null } as const;
  return { receipt, chat: `test-${unique}` };
};

/** The text that `write` put into an event. */
export const textOf = (received: { readonly event: { readonly data: unknown } }): string =>
  (received.event.data as { messageId: string }).messageId;

export const chatOf = (received: { readonly event: { readonly data: unknown } }): string =>
  (received.event.data as { chat: string }).chat;

export const startBench = async (
  given: {
    readonly clock?: Clock;
    readonly options?: Partial<DispatcherOptions>;
    readonly wrap?: (outbox: Outbox) => Outbox;
  } = {},
): Promise<Bench> => {
  const clock = given.clock ?? systemClock;
  const store = await openTestStore({ clock });
  const user = await store.stores.users.create('tester', 1000, clock.now());
  const outbound = makeOutbound({ allowPrivateUrls: true, userAgent: 'Handset/test', clock });
  const begin = (): { dispatcher: Dispatcher; unsubscribe: () => void } => {
    const { webhooks } = store.stores;
    const { wrap = (each: Outbox) => each } = given;
    const outbox = wrap(store.stores.outbox);
    const mediaUrl = mediaUrlsBelow(() => 'https://handset.test/v1');
    const options = { random: () => 0.5, ...given.options };
    const dispatcher = new Dispatcher({ outbox, webhooks, outbound, mediaUrl, clock, log: silent, options });
    dispatcher.start();
    return { dispatcher, unsubscribe: store.stores.onEvents(() => dispatcher.wake()) };
  };
  let current = begin();
  const deliveries: Bench['deliveries'] = async (deviceId, state) => {
    const page = { limit: 1000, cursor: null, ...(state === undefined ? {} : { state }) };
    return (await store.stores.outbox.list(deviceId, page)).items;
  };
  return {
    store,
    get dispatcher() {
      return current.dispatcher;
    },
    user: async () => (await store.stores.users.create('another', 1000, clock.now())).id,
    device: async (url, userId = user.id) => {
      const wish = { userId, name: 'phone', webhookUrl: url, webhookEvents: eventKinds };
      return (await store.stores.devices.create(wish, clock.now())).id;
    },
    write: async (deviceId, chat, ...texts) => {
      const events = texts.map((text) => factOf(chat, text, clock.now()));
      await store.stores.changes.commit(deviceId, { facts: events });
    },
    test: async (deviceId) => current.dispatcher.test(targetOf(await store.stores.webhooks.primary(deviceId))),
    deliveries,
    settled: (deviceId, state, count) =>
      eventually(`${count} ${state} deliveries`, async () => {
        const found = await deliveries(deviceId, state);
        return found.length >= count && found;
      }),
    restart: async () => {
      current.unsubscribe();
      await current.dispatcher.stop();
      await store.reopen();
      current = begin();
    },
    async [Symbol.asyncDispose]() {
      current.unsubscribe();
      await current.dispatcher.stop();
      await outbound.close();
      await store.close();
    },
  };
};
