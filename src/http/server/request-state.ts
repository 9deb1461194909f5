/** State of a request while it is served. */
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../admission/authenticate.ts';
import type { Deadline } from './deadline.ts';
import type { Verified } from '../forwarding/node-auth.ts';
import type { Operation } from './operation.ts';
import type { AdmissionTicket } from '../admission/admission-ticket.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    deadline: Deadline | null;
    /** The device that the path names, once it is known to be the caller's. */
    deviceId: number | null;
    /** Under which a message is sent, where more than one node may have to try. */
    messageId: string | null;
    /** Verified signature of the node that passed the request on; null: it comes from a caller. */
    passedOn: Verified | null;
    startedAt: number;
    /** The request's share of the user's limits; null before it is admitted, and when there is no user. */
    ticket: AdmissionTicket | null;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

/** The operation that a request is routed to; undefined for unknown routes and wrong methods. */
export const operationOf = (request: FastifyRequest): Operation | undefined => request.routeOptions.config.operation;

/** True for a request from another node: it is admitted already, and goes no further. */
export const isForwarded = (request: FastifyRequest): boolean => request.passedOn !== null;
