/** Server-sent events of one device: read from the log after a cursor and woken by commits, so without gaps. */
import type { ServerResponse } from 'node:http';
import type { AnyKind } from '../../domain/event.ts';
import { permits, reaches } from '../../domain/user.ts';
import { ownTurn } from '../../domain/turns.ts';
import { isUnavailable } from '../../errors.ts';
import type { Caller } from '../admission/admission.ts';
import type { Services } from '../wire/services.ts';
import { StreamRight } from '../admission/stream-right.ts';
import { feedOf, Wakeup } from './event-feed.ts';

const heartbeatMs = 15_000;
const againMs = 1_000;

interface Reader {
  readonly services: Pick<Services, 'stores' | 'mediaUrl' | 'devices' | 'users' | 'clock'>;
  readonly caller: Caller;
  readonly kinds?: readonly AnyKind[] | undefined;
  readonly deviceId: number;
  readonly after: string | null;
  readonly connection: ServerResponse;
  readonly closing: AbortSignal;
}

const isAllowed = async ({ services, caller, deviceId }: Reader): Promise<boolean> => {
  const key = (await services.users.identify(caller.secret))?.key;
  if (key === undefined || !reaches(key, deviceId) || !permits(key, 'read')) return false;
  return (await services.stores.devices.ownerOf(deviceId)) === caller.user.id;
};

/** Null while the database is unreachable: the stream stays open. */
const unlessAway = async <T>(read: Promise<T>): Promise<T | null> => {
  try {
    return await read;
  } catch (error) {
    if (isUnavailable(error)) return null;
    throw error;
  }
};

/** Subscribes first, then reads the log: no gap. Nothing is buffered: a slow reader holds back the generator, a stalled one is cut off. */
export const eventStream = async function* (reader: Reader): AsyncGenerator<string | Buffer> {
  const { services, deviceId, kinds, connection, closing } = reader;
  const wakeup = new Wakeup(services.clock);
  const feed = feedOf(services);
  const ask = (): Promise<boolean> => isAllowed(reader);
  const unsubscribe = feed.watchDevice(deviceId, wakeup);
  const leave = (): void => wakeup.leave();
  connection.once('close', leave);
  closing.addEventListener('abort', leave);
  try {
    let last = reader.after ?? (await services.stores.events.latestId(deviceId));
    // An id without data: a reader cut off before the first event resumes from here.
    yield `retry: 2000\n${last === null ? '' : `id: ${last}\n`}: connected\n\n`;
    let more = reader.after !== null || last === null;
    while (!wakeup.gone) {
      if (more) {
        const page = await unlessAway(feed.after(deviceId, last));
        const right = page?.rights.of(reader.caller.secret, ask);
        const allowed = (await right?.holds()) ?? null;
        if (allowed === false) return;
        if (page === null || right === undefined || allowed === null) {
          await wakeup.wait(againMs);
          continue;
        }
        let still: boolean | null = true;
        for (const { id, type, bytes } of page.frames) {
          await ownTurn();
          still = await right.holds();
          if (still === false) return;
          if (still === null) break;
          last = id;
          if (kinds === undefined || kinds.includes(type)) yield bytes;
        }
        // The rest of the page is read again later.
        if (still === null) await wakeup.wait(againMs);
        if (still === null || page.more) continue;
      }
      more = await wakeup.wait(heartbeatMs);
      if (more || wakeup.gone) continue;
      if ((await new StreamRight(ask).holds()) === false) return;
      yield ': keep-alive\n\n';
      more = true;
    }
  } finally {
    unsubscribe();
    closing.removeEventListener('abort', leave);
    connection.off('close', leave);
  }
};
