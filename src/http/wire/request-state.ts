/** State of a request while it is served. */
import type { DeviceScope } from '../../service/sessions/scope.ts';
import type { Caller } from '../admission/admission.ts';
import type { AdmissionTicket, Deadline } from '../admission/ticket.ts';
import type { Verified } from './node-auth.ts';
import type { Operation } from './operation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    deadline: Deadline | null;
    /** The admin token was given. */
    isOperator: boolean;
    /** Under which a message is sent, where more than one node may have to try. */
    messageId: string | null;
    /** The operation that it is routed to; null for unknown routes and wrong methods. */
    operation: Operation | null;
    /** Verified signature of the node that passed the request on, which has admitted it; null: it comes from a caller. */
    passedOn: Verified | null;
    /** The route's pattern, like `/v1/devices/:id`. */
    route: string;
    /** The device that the path names, once it is known to be the caller's. */
    scope: DeviceScope | null;
    startedAt: number;
    /** The request's share of the user's limits; null before it is admitted, and when there is no user. */
    ticket: AdmissionTicket | null;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}
