/** Cuts off a reader that takes nothing of a streamed answer: it can come back, and holds nothing up meanwhile. */
import type { FastifyReply } from 'fastify';
import type { HttpOptions } from '../server/parts.ts';

/** Well above the heartbeat of the event stream. */
const stalledMs = 60_000;

export const cutStalled = (reply: FastifyReply, options: HttpOptions): void => {
  reply.raw.setTimeout(options.stalledReaderMs ?? stalledMs, () => reply.raw.destroy());
};
