/** Answers `HEAD` where the length of the body is not known: what the framework makes of nothing would say that it is 0. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** The head as it stands on the reply, and no length (RFC 9110, section 8.6). */
export const sendHead = (reply: FastifyReply): FastifyReply => reply.send(Readable.from([]));
