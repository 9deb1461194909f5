/** Who gets in, in the order of decisions.md (Errors): the address, the key, the rate, and then a turn. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HandsetError } from '../errors.ts';
import { authenticateOperator } from './admin.ts';
import { type Caller, authenticate, countRequest } from './authenticate.ts';
import { type GuessLimit, guessLimit } from './guess-limit.ts';
import type { Parts } from './parts.ts';
import { Place, Places } from './place.ts';
import { slidingWindow } from './rate-limit.ts';

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

export const makeAdmission = ({ users, clock, options }: Parts): Admission => {
  const { authFailureLimit = null, adminToken = null } = options;
  const rate = slidingWindow(options.rateLimit, clock);
  const guesses = authFailureLimit === null ? null : guessLimit(authFailureLimit, clock);
  const places = new Places(options.userConcurrency);
  return {
    async user({ ip, headers }, reply) {
      const caller = await authenticate(users, headers.authorization).catch((error: unknown) => {
        throw refused(guesses, ip, error);
      });
      guesses?.pass(ip, `key ${caller.key.id}`);
      await countRequest(rate, caller.user.id, reply);
      return caller;
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
