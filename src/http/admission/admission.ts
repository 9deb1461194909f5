/** Admission of requests, in the order of docs/spec/http-interface.md (Check order): address, key, rate limit, concurrency limit. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HandsetError } from '../../errors.ts';
import { authenticateOperator } from './admin.ts';
import { type Caller, authenticate, bearerOf, rateLimited, tellLimit } from './authenticate.ts';
import { unauthorized } from '../server/errors.ts';
import { callerByToken } from './one-time.ts';
import type { Parts } from '../server/parts.ts';
import { type GuessLimit, guessLimit, type RateLimiter, type RateVerdict, slidingWindow } from './rate-limit.ts';
import { ConcurrencyLimit } from '../../service/users/concurrency-limit.ts';
import type { Deadline } from '../server/deadline.ts';
import { makeTarpit } from './tarpit.ts';

/** Requests of one user at a time by default; the rate limit bounds how many queue as well. */
const userConcurrency = 64;
const maxQueued = 2_000;
/** Streams outlive their request; each holds a connection and little else. */
const streamLimits = { perUser: 256, total: Infinity, queued: 0 };

/** The limits that requests count against. */
class AdmissionLimits {
  readonly requests: ConcurrencyLimit;
  /** Bodies with images. */
  readonly large: ConcurrencyLimit;
  readonly streams = new ConcurrencyLimit(streamLimits);

  constructor(large: ConcurrencyLimit, concurrency = userConcurrency) {
    this.large = large;
    this.requests = new ConcurrencyLimit({ perUser: concurrency, total: Infinity, queued: maxQueued });
  }
}

/** Every step throws RateLimited when the queue is full, and RequestTimeout. */
export class AdmissionTicket {
  readonly #limits: AdmissionLimits;
  readonly #userId: number;
  readonly #deadline: Deadline;
  /** It has the slot of the request itself. */
  #isAdmitted = false;
  readonly #releases: (() => void)[] = [];
  #ended = false;

  constructor(limits: AdmissionLimits, userId: number, deadline: Deadline) {
    this.#limits = limits;
    this.#userId = userId;
    this.#deadline = deadline;
  }

  /** Null when the request is admitted at once. */
  admit(): Promise<void> | null {
    this.#isAdmitted = this.#limits.requests.tryAcquire(this.#userId);
    return this.#isAdmitted ? null : this.#wait();
  }

  async #wait(): Promise<void> {
    const release = await this.#acquire(this.#limits.requests);
    if (!this.#ended) this.#releases.push(release);
  }

  /** Call before reading a body that may be large. */
  async admitLargeBody(): Promise<void> {
    this.#releases.push(await this.#acquire(this.#limits.large));
  }

  /** Call when the answer becomes a stream: it releases the slot of the request. */
  async admitStream(): Promise<void> {
    const stream = await this.#acquire(this.#limits.streams);
    if (this.#ended) return;
    // A stream has no body: what it holds so far is its slot.
    this.end();
    this.#ended = false;
    this.#releases.push(stream);
  }

  /** The answer is out, or the client has gone. */
  end(): void {
    this.#ended = true;
    if (this.#isAdmitted) this.#limits.requests.release(this.#userId);
    this.#isAdmitted = false;
    for (const release of this.#releases) release();
  }

  async #acquire(limit: ConcurrencyLimit): Promise<() => void> {
    const release = await limit.acquire(this.#userId, this.#deadline);
    if (this.#ended) release();
    return release;
  }
}

export interface Admission {
  /** Throws Unauthorized and RateLimited. */
  user(request: FastifyRequest, reply: FastifyReply): Promise<Caller>;
  /** Throws Unauthorized, and RateLimited for an address that guesses; takes nothing of the rate. */
  known(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /**
   * Notes who calls, and waits until the user has few enough requests under way; null: that is done at once. Rejects with
   * Unauthorized, RateLimited and RequestTimeout.
   */
  enter(request: FastifyRequest, reply: FastifyReply): Promise<void> | null;
  /** Throws Unauthorized and RateLimited. */
  operator(request: FastifyRequest): void;
}

/** Counts a failed authentication against the address, and reports that limit: there is no user who has one. */
const refused = (
  guesses: GuessLimit | null,
  { ip }: FastifyRequest,
  reply: FastifyReply | null,
  error: unknown,
): unknown => {
  try {
    if (error instanceof HandsetError && error.name === 'Unauthorized') guesses?.fail(ip);
    return error;
  } finally {
    if (guesses !== null && reply !== null) tellLimit(guesses.standing(ip), reply);
  }
};

/** In the database where several nodes count together, else in memory. */
const rateOf = ({ stores, clock, options }: Parts): RateLimiter => {
  const rates = stores.cluster?.rates;
  if (rates === undefined) return slidingWindow(options.rateLimit, clock);
  const limit = options.rateLimit;
  return {
    async take(userId, keyId) {
      const { allowed, remaining, resetMs, valid } = await rates.take(userId, limit, 60_000, keyId);
      if (!valid) return null;
      return { allowed, limit, remaining, resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)) };
    },
  };
};

const callerOf = async (parts: Parts, request: FastifyRequest): Promise<Caller> =>
  (await callerByToken(parts, request)) ?? authenticate(parts.users, request.headers.authorization);

const nameOf = ({ key, user }: Caller): string => (key === null ? `token of user ${user.id}` : `key ${key.id}`);

/** Admits a request whose caller is known; null when that is done at once. */
const admit = (limits: AdmissionLimits, request: FastifyRequest, caller: Caller): Promise<void> | null => {
  request.caller = caller;
  const { deadline } = request;
  if (deadline === null) return null;
  request.ticket = new AdmissionTicket(limits, caller.user.id, deadline);
  return request.ticket.admit();
};

interface Gate {
  readonly refuse: (who: string, error: unknown) => Promise<never>;
  /** The address, and then the rate; null: that is done at once, and all is well. */
  readonly check: (request: FastifyRequest, reply: FastifyReply, caller: Caller) => Promise<unknown> | null;
}

const makeGate = (parts: Parts, guesses: GuessLimit | null): Gate => {
  const rate = rateOf(parts);
  const tarpit = makeTarpit();
  const refuse = async (who: string, error: unknown): Promise<never> => {
    await tarpit.delay(who, error);
    throw error;
  };
  const heedOrRefuse = (verdict: RateVerdict, { user: { id } }: Caller, reply: FastifyReply): Promise<never> | null => {
    tellLimit(verdict, reply);
    return verdict.allowed ? null : refuse(`user ${id}`, rateLimited(verdict));
  };
  return {
    refuse,
    check(request, reply, caller) {
      const { ip } = request;
      try {
        guesses?.pass(ip, nameOf(caller));
      } catch (error) {
        return refuse(`address ${ip}`, refused(guesses, request, reply, error));
      }
      // The node that it came to has counted it.
      if (request.passedOn !== null) return null;
      const verdict = rate.take(caller.user.id, caller.key?.id ?? null);
      if (!(verdict instanceof Promise)) return heedOrRefuse(verdict, caller, reply);
      return verdict.then((told) =>
        told === null
          ? refuse(`address ${ip}`, refused(guesses, request, reply, unauthorized()))
          : heedOrRefuse(told, caller, reply),
      );
    },
  };
};

export const makeAdmission = (parts: Parts): Admission => {
  const { clock, options } = parts;
  const { authFailureLimit = null, adminToken = null } = options;
  const guesses = authFailureLimit === null ? null : guessLimit(authFailureLimit, clock);
  const limits = new AdmissionLimits(parts.imageLimit, options.userConcurrency);
  const { refuse, check } = makeGate(parts, guesses);
  const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    const { ip } = request;
    const caller = await callerOf(parts, request).catch((error: unknown) =>
      refuse(`address ${ip}`, refused(guesses, request, reply, error)),
    );
    await check(request, reply, caller);
    return caller;
  };
  const enterAs = async (request: FastifyRequest, identified: Promise<Caller>): Promise<void> => {
    await admit(limits, request, await identified);
  };
  const known = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { ip, headers } = request;
    const who = `address ${ip}`;
    const failed = (error: unknown): Promise<never> => refuse(who, refused(guesses, request, reply, error));
    const caller = await authenticate(parts.users, headers.authorization).catch(failed);
    try {
      guesses?.pass(ip, nameOf(caller));
    } catch (error) {
      await failed(error);
    }
  };
  return {
    user: identify,
    known,
    enter(request, reply) {
      const secret = request.operation?.oneTimeToken === true ? null : bearerOf(request.headers.authorization);
      const identity = secret === null ? null : parts.users.recall(secret);
      if (secret === null || identity === null) return enterAs(request, identify(request, reply));
      const caller = { ...identity, secret };
      const checking = check(request, reply, caller);
      if (checking === null) return admit(limits, request, caller);
      return enterAs(
        request,
        checking.then(() => caller),
      );
    },
    operator(request) {
      const { ip, headers } = request;
      try {
        authenticateOperator(adminToken ?? '', headers.authorization);
      } catch (error) {
        throw refused(guesses, request, null, error);
      }
      guesses?.pass(ip, 'operator');
    },
  };
};
