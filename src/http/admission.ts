/** Who gets in, in the order of decisions.md (Errors): the address, the key, the rate, and then a turn. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HandsetError } from '../errors.ts';
import { authenticateOperator } from './admin.ts';
import { type Caller, authenticate, countRequest } from './authenticate.ts';
import { type GuessLimit, guessLimit } from './guess-limit.ts';
import { isForwarded } from './forward.ts';
import { callerByToken } from './one-time.ts';
import type { Parts } from './parts.ts';
import { Place, Places } from './place.ts';
import { type RateLimiter, slidingWindow } from './rate-limit.ts';
import { slowDown } from './slow-down.ts';

export interface Admission {
  /** Throws Unauthorized and RateLimited. */
  user(request: FastifyRequest, reply: FastifyReply): Promise<Caller>;
  /** Waits until the user has few enough requests under way. Throws RateLimited and RequestTimeout. */
  turn(request: FastifyRequest): Promise<void>;
  /** Throws Unauthorized and RateLimited. */
  operator(request: FastifyRequest): void;
}

/** What fails counts against the address. */
const refused = (guesses: GuessLimit | null, address: string, error: unknown): unknown => {
  if (error instanceof HandsetError && error.name === 'Unauthorized') guesses?.fail(address);
  return error;
};

/** In the database where several nodes count together, else in memory. */
const rateOf = ({ stores, clock, options }: Parts): RateLimiter => {
  const rates = stores.cluster?.rates;
  if (rates === undefined) return slidingWindow(options.rateLimit, clock);
  const limit = options.rateLimit;
  return {
    async take(userId) {
      const { allowed, remaining, resetMs } = await rates.take(userId, limit, 60_000);
      return { allowed, limit, remaining, resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)) };
    },
  };
};

const callerOf = async (parts: Parts, request: FastifyRequest): Promise<Caller> =>
  (await callerByToken(parts, request)) ?? authenticate(parts.users, request.headers.authorization);

export const makeAdmission = (parts: Parts): Admission => {
  const { clock, options } = parts;
  const { authFailureLimit = null, adminToken = null } = options;
  const rate = rateOf(parts);
  const guesses = authFailureLimit === null ? null : guessLimit(authFailureLimit, clock);
  const places = new Places(options.userConcurrency);
  const patience = slowDown();
  return {
    async user(request, reply) {
      const { ip } = request;
      let who = `address ${ip}`;
      try {
        const caller = await callerOf(parts, request).catch((error: unknown) => {
          throw refused(guesses, ip, error);
        });
        guesses?.pass(ip, caller.key === null ? `token of user ${caller.user.id}` : `key ${caller.key.id}`);
        who = `user ${caller.user.id}`;
        // The node that it came to has counted it.
        if (!isForwarded(parts, request)) await countRequest(rate, caller.user.id, reply);
        return caller;
      } catch (error) {
        await patience.refuse(who, error);
        throw error;
      }
    },
    async turn(request) {
      const { caller, deadline } = request;
      if (caller === null || deadline === null) return;
      request.place = new Place(places, caller.user.id, deadline.signal);
      await request.place.begin();
    },
    operator({ ip, headers }) {
      try {
        authenticateOperator(adminToken ?? '', headers.authorization);
      } catch (error) {
        throw refused(guesses, ip, error);
      }
      guesses?.pass(ip, 'operator');
    },
  };
};
