/** Two metrics per request, and a log line if enabled or if the service failed. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Logger } from '../log.ts';

/** Routes, not URLs, so that no numbers or ids appear. */
export const makeObserver = (registry: Registry, log: Logger, logRequests = false) => {
  const requests = new Counter({
    name: 'handset_http_requests_total',
    help: 'HTTP requests answered',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'handset_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labelNames: ['method', 'route'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  // Nothing to redact, and the search costs more than writing.
  const lines = log.child({}, { redact: [] });
  return {
    answered(request: FastifyRequest, reply: FastifyReply): void {
      const { method, route } = request;
      const ms = performance.now() - request.startedAt;
      requests.inc({ method, route, status: reply.statusCode });
      durations.observe({ method, route }, ms / 1000);
      const level = logRequests || reply.statusCode >= 500 ? 'info' : 'debug';
      if (!lines.isLevelEnabled(level)) return;
      const line = {
        requestId: request.id,
        method,
        route,
        status: reply.statusCode,
        ms: Math.round(ms * 10) / 10,
        ...(request.caller === null ? {} : { userId: request.caller.user.id }),
        ...(request.scope === null ? {} : { deviceId: request.scope.id }),
      };
      lines[level](line, 'request');
    },
  };
};

export type Observer = ReturnType<typeof makeObserver>;
