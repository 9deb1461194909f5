/** Server-sent events of all devices of a user, from now on. */
import type { ServerResponse } from 'node:http';
import type { AnyKind } from '../../domain/event.ts';
import { permits, reaches } from '../../domain/user.ts';
import { ownTurn } from '../../domain/turns.ts';
import { pause } from '../../service/time/deadline.ts';
import type { Caller } from '../admission/admission.ts';
import type { Services } from '../wire/services.ts';
import { Rights, StreamRight } from '../admission/stream-right.ts';
import { type Frame, feedOf, frameOf, Wakeup } from './event-feed.ts';

const heartbeatMs = 15_000;
const againMs = 1_000;
/** A reader this far behind is cut off; it can read its devices' logs. */
const maxWaiting = 1000;
const maxWaitingBytes = 8 * 1_048_576;

interface Reader {
  readonly services: Pick<Services, 'stores' | 'mediaUrl' | 'users' | 'clock'>;
  readonly caller: Caller;
  readonly kinds?: readonly AnyKind[] | undefined;
  readonly connection: ServerResponse;
  readonly closing: AbortSignal;
}

class Waiting extends Wakeup {
  #frames: Frame[] = [];
  #bytes = 0;
  #rights = new Rights();

  /** Ends the stream instead of growing without bound. `rights`: since the commit of these events. */
  add(frames: readonly Frame[], rights: Rights): void {
    if (this.gone || frames.length === 0) return;
    this.#rights = rights;
    this.#frames.push(...frames);
    this.#bytes += frames.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (this.#frames.length > maxWaiting || this.#bytes > maxWaitingBytes) this.leave();
    else this.notify();
  }

  take(): { readonly frames: readonly Frame[]; readonly rights: Rights } {
    this.#bytes = 0;
    return { frames: this.#frames.splice(0), rights: this.#rights };
  }
}

/** Subscribes before it reports the connection, so the stream has everything after that. */
export const userStream = async function* (reader: Reader): AsyncGenerator<string | Buffer> {
  const { services, caller, kinds, connection, closing } = reader;
  const waiting = new Waiting(services.clock);
  const limits = caller.key;
  const unsubscribe = feedOf(services).watchUser(caller.user.id, (events, rights) => {
    const wanted = events.filter(
      ({ deviceId, event }) =>
        (kinds === undefined || kinds.includes(event.type)) && (limits === null || reaches(limits, deviceId)),
    );
    waiting.add(
      wanted.map((event) => frameOf(event, services.mediaUrl)),
      rights,
    );
  });
  const leave = (): void => waiting.leave();
  connection.once('close', leave);
  closing.addEventListener('abort', leave);
  const ask = async (): Promise<boolean> => {
    const key = (await services.users.identify(caller.secret))?.key;
    // If its devices change, the reader has to reconnect.
    return key !== undefined && permits(key, 'read') && String(key.devices) === String(limits?.devices);
  };
  /** False if the right is lost. Unknown while the database is unreachable; nothing is written then. */
  const isAllowed = async (right: StreamRight): Promise<boolean> => {
    for (;;) {
      const allowed = await right.holds();
      if (allowed !== null || waiting.gone) return allowed === true;
      await pause(services.clock, againMs);
    }
  };
  try {
    yield 'retry: 2000\n: connected\n\n';
    while (!waiting.gone) {
      await waiting.wait(heartbeatMs);
      const { frames, rights } = waiting.take();
      const right = frames.length === 0 ? new StreamRight(ask) : rights.of(caller.secret, ask);
      if (waiting.gone || !(await isAllowed(right))) return;
      for (const { bytes } of frames) {
        await ownTurn();
        if (!(await isAllowed(right))) return;
        yield bytes;
      }
      if (frames.length === 0 && !waiting.gone) yield ': keep-alive\n\n';
    }
  } finally {
    unsubscribe();
    closing.removeEventListener('abort', leave);
    connection.off('close', leave);
  }
};
