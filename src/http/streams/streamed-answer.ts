/** Answers that are streams: for `HEAD`, and for a reader that stalls. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { HttpOptions } from '../wire/parts.ts';

/** Well above the heartbeat of the event stream. */
const stalledMs = 60_000;

/** Answers `HEAD` when the length of the body is unknown (RFC 9110, section 8.6): the framework would say 0. */
export const sendHead = (reply: FastifyReply): FastifyReply => reply.send(Readable.from([]));

/** Disconnects a reader that takes nothing of an answer: it can come back, and what waits for it fills no memory meanwhile. */
export const cutStalled = (reply: FastifyReply, options: HttpOptions): void => {
  reply.raw.setTimeout(options.stalledReaderMs ?? stalledMs, () => reply.raw.destroy());
};
