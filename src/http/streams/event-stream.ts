/** Server-sent events of one device: read from the log after a cursor and woken by commits, so there is no gap. */
import type { ServerResponse } from 'node:http';
import type { AnyKind } from '../../domain/event.ts';
import { ownTurn } from '../../domain/turns.ts';
import { isUnavailable } from '../../errors.ts';
import type { Caller } from '../admission/admission.ts';
import type { Parts } from '../wire/parts.ts';
import { StreamRight } from '../admission/stream-right.ts';
import { feedOf } from './event-feed.ts';
import { Wakeup } from './wakeup.ts';

const heartbeatMs = 15_000;
/** Between two tries while the database is away. */
const againMs = 1_000;

interface Reader {
  readonly parts: Pick<Parts, 'stores' | 'mediaUrl' | 'devices' | 'users' | 'clock'>;
  readonly caller: Caller;
  readonly kinds?: readonly AnyKind[] | undefined;
  readonly deviceId: number;
  /** Null: only new events. */
  readonly after: string | null;
  readonly connection: ServerResponse;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
}

/** The key is valid and the device is its user's. */
const isAllowed = async ({ parts, caller, deviceId }: Reader): Promise<boolean> => {
  if (!(await parts.users.isValid(caller.secret))) return false;
  return (await parts.stores.devices.ownerOf(deviceId)) === caller.user.id;
};

/** Null while the database is away: the stream stays open. */
const unlessAway = async <T>(read: Promise<T>): Promise<T | null> => {
  try {
    return await read;
  } catch (error) {
    if (isUnavailable(error)) return null;
    throw error;
  }
};

/**
 * Subscribes first and reads the log afterwards: a commit in between wakes the stream, and is read next. Nothing is buffered here: a slow
 * reader holds the generator back, and the socket's timeout cuts off a stalled one.
 */
export const eventStream = async function* (reader: Reader): AsyncGenerator<string | Buffer> {
  const { parts, deviceId, kinds, connection, closing } = reader;
  const wakeup = new Wakeup(parts.clock);
  const feed = feedOf(parts);
  const ask = (): Promise<boolean> => isAllowed(reader);
  const unsubscribe = feed.watchDevice(deviceId, wakeup);
  const leave = (): void => wakeup.leave();
  connection.once('close', leave);
  closing.addEventListener('abort', leave);
  try {
    let last = reader.after ?? (await parts.stores.events.latestId(deviceId));
    // An id without data: a reader that is cut off before the first event resumes from here.
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
        // The rest of the page is read again when the database is back.
        if (still === null) await wakeup.wait(againMs);
        if (still === null || page.more) continue;
      }
      more = await wakeup.wait(heartbeatMs);
      if (more || wakeup.gone) continue;
      if ((await new StreamRight(ask).holds()) === false) return;
      yield ': keep-alive\n\n';
      // News of another node may be lost meanwhile: the log has it.
      more = true;
    }
  } finally {
    unsubscribe();
    closing.removeEventListener('abort', leave);
    connection.off('close', leave);
  }
};
