/** Admission of requests: address, key, rate limit, concurrency limit (docs/spec/http-interface.md, Check order). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Actor } from '../../domain/audit.ts';
import type { ApiKey, User } from '../../domain/user.ts';
import { HandsetError } from '../../errors.ts';
import { passkeyTokenPrefix } from '../../service/devices/passkey.ts';
import { isSignIn } from '../../service/users/authentication.ts';
import { addressHeader } from '../wire/node-auth.ts';
import { authenticateOperator } from './admin.ts';
import { unauthorized } from '../wire/errors.ts';
import type { Services } from '../wire/services.ts';
import {
  type GuessLimit,
  guessLimit,
  type RateLimiter,
  type RateVerdict,
  type Standing,
  rateLimited,
  slidingWindow,
  tellLimit,
} from './rate-limit.ts';
import { signInOf } from './sign-in.ts';
import { AdmissionLimits, AdmissionTicket } from '../../service/users/admission.ts';
import { atMost } from '../../domain/at-most.ts';

export interface Caller {
  readonly user: User;
  readonly key: ApiKey | null;
  /** As sent: open streams check whether it is still valid. */
  readonly secret: string;
}

const bearer = /^Bearer +([\x21-\x7e]{1,512})$/i;

const secretOf = ({ options }: Pick<Services, 'options'>, request: FastifyRequest): string | null => {
  const { authorization } = request.headers;
  return authorization === undefined ? signInOf(request, options.publicUrl) : (bearer.exec(authorization)?.[1] ?? null);
};

const authenticate = async (
  services: Pick<Services, 'users' | 'options'>,
  request: FastifyRequest,
): Promise<Caller> => {
  const secret = secretOf(services, request);
  if (secret === null) throw unauthorized();
  const found = await services.users.authenticate(secret);
  if (found === null) throw unauthorized();
  return { ...found, secret };
};

const isParams = (value: unknown): value is { readonly id: string } =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string';

const callerByToken = async ({ devices }: Services, request: FastifyRequest): Promise<Caller | null> => {
  const [, secret] = bearer.exec(request.headers.authorization ?? '') ?? [];
  if (request.operation?.oneTimeToken !== true || secret?.startsWith(passkeyTokenPrefix) !== true) return null;
  const { params } = request;
  const id = isParams(params) && /^[1-9]\d{0,9}$/.test(params.id) ? Number(params.id) : 0;
  const user = await devices.passkeys.ownerOf(id, secret);
  if (user === null) throw unauthorized();
  return { user, key: null, secret };
};

export const actorOf = (request: FastifyRequest): Actor => {
  const { caller, isOperator } = request;
  const told = request.headers[addressHeader];
  const address = typeof told === 'string' && request.passedOn ? told : request.ip;
  if (isOperator) return { kind: 'operator', address };
  if (caller === null) throw unauthorized();
  // A one-time token changes nothing that is audited.
  if (caller.key === null) return { kind: 'service' };
  return { kind: 'key', userId: caller.user.id, keyId: caller.key.id, address };
};

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

/** Counted in the database if nodes share it. */
const rateOf = ({ stores, clock, options }: Services): RateLimiter => {
  const rates = stores.cluster?.rates;
  if (rates === undefined) return slidingWindow(options.rateLimit, clock);
  const limit = options.rateLimit;
  const standingOf = ({ used, resetMs }: Awaited<ReturnType<typeof rates.take>>): Standing => ({
    limit,
    remaining: Math.max(0, limit - used),
    resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
  });
  return {
    standing: async (userId) => standingOf(await rates.take(userId, 0, 60_000)),
    async take(userId, keyId) {
      const told = await rates.take(userId, limit, 60_000, keyId);
      return told.valid ? { allowed: told.allowed, ...standingOf(told) } : null;
    },
  };
};

const callerOf = async (services: Services, request: FastifyRequest): Promise<Caller> =>
  (await callerByToken(services, request)) ?? authenticate(services, request);

const nameOf = ({ key, user }: Caller): string => (key === null ? `token of user ${user.id}` : `key ${key.id}`);

const admit = (limits: AdmissionLimits, request: FastifyRequest, caller: Caller): Promise<void> | null => {
  request.caller = caller;
  const { deadline } = request;
  if (deadline === null) return null;
  request.ticket = new AdmissionTicket(limits, caller.user.id, deadline);
  return request.ticket.admit();
};

/** Requests per minute and node of a user's signed-in browsers; they do not count against the limit of the keys. */
const signedInLimit = 600;

interface Gate {
  readonly refuse: (who: string, error: unknown) => Promise<never>;
  readonly check: (request: FastifyRequest, reply: FastifyReply, caller: Caller) => Promise<unknown> | null;
}

const free = 20;
const stepMs = 10;
const maxMs = 1_000;
const halfLifeMs = 5_000;
const maxWaiting = 5_000;
const max = 20_000;

/** Delays 429s by up to a second for clients that keep retrying; the first are immediate, so one that heeds `Retry-After` never notices. */
export const makeTarpit = (now: () => number = () => performance.now()) => {
  const counts = new LRUCache<string, { readonly value: number; readonly at: number }>(atMost(max));
  let waiting = 0;
  const count = (client: string): number => {
    const at = now();
    const before = counts.get(client);
    const value = 1 + (before === undefined ? 0 : before.value * 0.5 ** ((at - before.at) / halfLifeMs));
    counts.set(client, { value, at });
    return value;
  };
  return {
    async delay(client: string, error: unknown): Promise<void> {
      if (!(error instanceof HandsetError) || error.name !== 'RateLimited') return;
      const ms = Math.min(maxMs, Math.round((count(client) - free) * stepMs));
      if (ms <= 0 || waiting >= maxWaiting) return;
      waiting += 1;
      await new Promise((resolve) => setTimeout(resolve, ms));
      waiting -= 1;
    },
  };
};

const makeGate = (services: Services, guesses: GuessLimit | null): Gate => {
  const rate = rateOf(services);
  const signedIn = slidingWindow(signedInLimit, services.clock);
  /** Reports the state of the user's key limit, for the dashboard. */
  const takeSignedIn = async ({ user, secret }: Caller): Promise<RateVerdict | null> => {
    // Another node may have ended the sign-in.
    if (services.stores.cluster !== undefined && !(await services.users.isValid(secret))) return null;
    const verdict = signedIn.take(user.id);
    return verdict.allowed ? { ...(await rate.standing(user.id)), allowed: true } : verdict;
  };
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
      if (request.passedOn) return null;
      const verdict = isSignIn(caller.secret)
        ? takeSignedIn(caller)
        : rate.take(caller.user.id, caller.key?.id ?? null);
      if (!(verdict instanceof Promise)) return heedOrRefuse(verdict, caller, reply);
      return verdict.then((told) =>
        told === null
          ? refuse(`address ${ip}`, refused(guesses, request, reply, unauthorized()))
          : heedOrRefuse(told, caller, reply),
      );
    },
  };
};

export const makeAdmission = (services: Services) => {
  const { clock, options } = services;
  const { authFailureLimit = null, adminToken = null } = options;
  const guesses = authFailureLimit === null ? null : guessLimit(authFailureLimit, clock);
  const limits = new AdmissionLimits(services.imageLimit, options.userConcurrency);
  const { refuse, check } = makeGate(services, guesses);
  const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    const { ip } = request;
    const caller = await callerOf(services, request).catch((error: unknown) =>
      refuse(`address ${ip}`, refused(guesses, request, reply, error)),
    );
    await check(request, reply, caller);
    return caller;
  };
  const enterAs = async (request: FastifyRequest, identified: Promise<Caller>): Promise<void> => {
    await admit(limits, request, await identified);
  };
  const known = async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    const who = `address ${request.ip}`;
    const failed = (error: unknown): Promise<never> => refuse(who, refused(guesses, request, reply, error));
    const caller = await authenticate(services, request).catch(failed);
    try {
      guesses?.pass(request.ip, nameOf(caller));
    } catch (error) {
      return failed(error);
    }
    return caller;
  };
  return {
    user: identify,
    /** Does not count against the rate limit. Throws Unauthorized, and RateLimited for an address that guesses keys. */
    known,
    /** Waits for a free slot of the user; null: admitted at once. Rejects with Unauthorized, RateLimited and RequestTimeout. */
    enter(request: FastifyRequest, reply: FastifyReply): Promise<void> | null {
      const secret = request.operation?.oneTimeToken === true ? null : secretOf(services, request);
      const identity = secret === null ? null : services.users.recall(secret);
      if (secret === null || identity === null) return enterAs(request, identify(request, reply));
      const caller = { ...identity, secret };
      const checking = check(request, reply, caller);
      if (checking === null) return admit(limits, request, caller);
      return enterAs(
        request,
        checking.then(() => caller),
      );
    },
    operator(request: FastifyRequest): void {
      const { ip, headers } = request;
      try {
        authenticateOperator(adminToken, headers.authorization);
      } catch (error) {
        throw refused(guesses, request, null, error);
      }
      guesses?.pass(ip, 'operator');
      request.isOperator = true;
    },
  };
};

export type Admission = ReturnType<typeof makeAdmission>;
