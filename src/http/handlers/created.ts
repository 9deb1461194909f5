/** Operations of a user that make something, once for an `Idempotency-Key` (docs/spec/http-interface.md, Idempotency). */
import type { FastifyRequest } from 'fastify';
import type { Creation } from '../../domain/messages/idempotency.ts';
import { requestRunning } from '../../errors.ts';
import type { Caller } from '../admission/admission.ts';
import type { Services } from '../wire/services.ts';
import { idempotencyOf, type Members } from './sent.ts';

const running = new WeakMap<Services, Set<string>>();

interface Call {
  readonly services: Services;
  readonly caller: Caller;
  readonly request: FastifyRequest;
}

export const createdOnce = async <T>(
  { services, caller, request }: Call,
  route: string,
  body: Members,
  make: (once?: Creation) => Promise<T>,
): Promise<T> => {
  const given = idempotencyOf(request, route, body);
  if (given === undefined) return make();
  const once = { ...given, userId: caller.user.id, key: `${caller.key?.id ?? ''} ${given.key}` };
  const names = running.get(services) ?? new Set();
  running.set(services, names);
  const name = `${once.userId} ${once.key}`;
  if (names.has(name)) throw requestRunning();
  names.add(name);
  try {
    const kept = await services.stores.creations.find(once);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fingerprint names the operation, whose outcome it is
    return kept === null ? await make(once) : (kept.answer as T);
  } finally {
    names.delete(name);
  }
};
