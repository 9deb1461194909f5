/** Long bodies: no deadline, but a minimum rate. */
import type { Clock, Timer } from '../../domain/clock.ts';
import { HandsetError, invalidRequest } from '../../errors.ts';
import type { Readable } from 'node:stream';
import type { Deadline } from '../../service/users/admission.ts';

const windowMs = 10_000;
const bytesPerSecond = 32_768;

/** Calls `fail` if too little arrived within ten seconds. Returns a function that stops. `isAsked`: false while the sender need not send. */
export const watchRate = (
  clock: Pick<Clock, 'after'>,
  received: () => number,
  fail: (error: Error) => void,
  isAsked: () => boolean = () => true,
): (() => void) => {
  let seen = 0;
  let timer: Timer;
  const look = (): void => {
    const now = received();
    if (isAsked() && now - seen < (bytesPerSecond * windowMs) / 1000) {
      fail(new HandsetError('RequestTimeout', 'The body comes too slowly; at least 32 kB a second are needed'));
      return;
    }
    seen = now;
    timer = clock.after(windowMs, look);
  };
  timer = clock.after(windowMs, look);
  return () => timer.cancel();
};

const events = ['readable', 'end', 'close', 'error'] as const;

const watchStream = (stream: Readable) => {
  let wake: (() => void) | null = null;
  const onEvent = (): void => wake?.();
  for (const event of events) stream.on(event, onEvent);
  return {
    next: (): Promise<void> => new Promise((resolve) => (wake = resolve)),
    stop(): void {
      for (const event of events) if (event !== 'error') stream.off(event, onEvent);
    },
  };
};

/** The deadline restarts after the last byte. Throws RequestTimeout for a slow body, InvalidRequest for a broken one. */
export async function* inTime(
  body: Readable,
  deadline: Deadline,
  clock: Pick<Clock, 'after'>,
): AsyncGenerator<Buffer, void> {
  if (deadline.passed !== null) throw deadline.passed;
  let received = 0;
  let isAsked = false;
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => undefined);
  deadline.pause();
  const forget = deadline.watch(late.reject);
  const unwatch = watchRate(
    clock,
    () => received,
    late.reject,
    () => isAsked,
  );
  body.once('close', unwatch);
  const stream = watchStream(body);
  try {
    while (!body.readableEnded) {
      const piece: Buffer | null = body.read();
      if (piece !== null) {
        received += piece.length;
        isAsked = false;
        yield piece;
        continue;
      }
      if (body.readableEnded) break;
      if (body.destroyed) throw invalidRequest('The body ended before its end');
      isAsked = true;
      await Promise.race([stream.next(), late.promise]);
    }
  } finally {
    stream.stop();
    forget();
    unwatch();
    deadline.restart();
  }
}
