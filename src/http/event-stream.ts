/** Server-sent events of one device: read from the log behind a cursor, woken by commits, so that there is no gap to fall into. */
import type { ServerResponse } from 'node:http';
import { envelopeOf } from '../domain/event.ts';
import { isUnavailable } from '../errors.ts';
import type { Caller } from './authenticate.ts';
import type { Parts } from './parts.ts';

const heartbeatMs = 15_000;
/** Between two looks at a database that is away. */
const againMs = 1_000;
const pageSize = 50;

interface Wish {
  readonly parts: Pick<Parts, 'stores' | 'devices' | 'users' | 'clock'>;
  readonly caller: Caller;
  readonly deviceId: number;
  /** Begin after this event; null: with what happens from now on. */
  readonly after: string | null;
  readonly connection: ServerResponse;
  /** Aborted when the server closes: streams end, and their readers resume elsewhere or later. */
  readonly closing: AbortSignal;
}

/** Sleeps until there is news, the heartbeat is due or the reader has gone. */
class Bell {
  #news = false;
  #wake: (() => void) | null = null;
  #clock: Wish['parts']['clock'];
  gone = false;

  constructor(clock: Wish['parts']['clock']) {
    this.#clock = clock;
  }

  /** There is something new in the log. */
  ring(): void {
    this.#news = true;
    this.#wake?.();
  }

  leave(): void {
    this.gone = true;
    this.#wake?.();
  }

  /** True when there is news. */
  async wait(ms: number): Promise<boolean> {
    if (!this.#news && !this.gone) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.after(ms, resolve);
        this.#wake = () => {
          timer.cancel();
          resolve();
        };
      });
      this.#wake = null;
    }
    const news = this.#news;
    this.#news = false;
    return news;
  }
}

/** The device may have been deleted and the key revoked while the stream was open. */
const stillAllowed = async ({ parts, caller, deviceId }: Wish): Promise<boolean> => {
  const known = await parts.users.authenticate(caller.secret);
  const device = known === null ? null : await parts.stores.devices.find(deviceId);
  return device !== null && device.userId === known?.user.id;
};

/** Null while the database is away: the reader need not come back for that. */
const unlessAway = async <T>(read: Promise<T>): Promise<T | null> => {
  try {
    return await read;
  } catch (error) {
    if (isUnavailable(error)) return null;
    throw error;
  }
};

/**
 * Subscribes first and reads the log afterwards: what is committed in between rings the bell, and is read next. Nothing
 * is buffered here: a slow reader holds the generator back, and a stalled one is cut off by the timeout of its socket.
 */
export const eventStream = async function* (wish: Wish): AsyncGenerator<string> {
  const { parts, deviceId, connection, closing } = wish;
  const bell = new Bell(parts.clock);
  const unsubscribe = parts.stores.onEvents((events) => {
    if (events.length === 0 || events.some((event) => event.deviceId === deviceId)) bell.ring();
  });
  const leave = (): void => bell.leave();
  connection.once('close', leave);
  closing.addEventListener('abort', leave);
  try {
    let last = wish.after ?? (await parts.stores.events.latestId(deviceId));
    // An id without data: whoever is cut off before the first event resumes from here.
    yield `retry: 2000\n${last === null ? '' : `id: ${last}\n`}: connected\n\n`;
    let more = wish.after !== null || last === null;
    while (!bell.gone) {
      if (more) {
        const page = await unlessAway(parts.stores.events.listAfter(deviceId, last, pageSize));
        if (page === null) {
          await bell.wait(againMs);
          continue;
        }
        for (const stored of page) {
          last = stored.id;
          yield `id: ${stored.id}\nevent: ${stored.event.type}\ndata: ${JSON.stringify(envelopeOf(stored))}\n\n`;
        }
        if (page.length === pageSize) continue;
      }
      more = await bell.wait(heartbeatMs);
      if (more || bell.gone) continue;
      if ((await unlessAway(stillAllowed(wish))) === false) return;
      yield ': keep-alive\n\n';
      // News of another node may be lost with it: the log has it.
      more = true;
    }
  } finally {
    unsubscribe();
    closing.removeEventListener('abort', leave);
    connection.off('close', leave);
  }
};
