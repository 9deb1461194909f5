/** Reads and discards the rest of a body after the answer, within bounds, so that the client gets to read the answer. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../domain/clock.ts';

/** Closing with unread bytes resets the connection, and the answer with it; reading for ever would be a gift to attackers. */
const maxBytes = 64 * 1_048_576;
const maxMs = 10_000;

export const readPast = (raw: IncomingMessage, clock: Clock): void => {
  if (raw.complete || raw.destroyed) return;
  let seen = 0;
  const cut = (): void => {
    raw.socket.destroy();
  };
  const timer = clock.after(maxMs, cut);
  raw.on('data', (chunk: Buffer) => {
    seen += chunk.length;
    if (seen > maxBytes) cut();
  });
  raw.once('close', () => timer.cancel());
  raw.on('error', cut);
  raw.resume();
};
