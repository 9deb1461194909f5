/** Admission of requests: address, key, rate limit, concurrency limit (docs/spec/http-interface.md, Check order). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../domain/audit.ts';
import type { ApiKey, User } from '../../domain/user.ts';
import { HandsetError } from '../../errors.ts';
import { passkeyTokenPrefix } from '../../service/devices/passkey-tokens.ts';
import type { Users } from '../../service/users/users.ts';
import { isFromNode } from '../wire/node-auth.ts';
import { authenticateOperator } from './admin.ts';
import { unauthorized } from '../wire/errors.ts';
import type { Parts } from '../wire/parts.ts';
import {
  type GuessLimit,
  guessLimit,
  type RateLimiter,
  type RateVerdict,
  rateLimited,
  slidingWindow,
  tellLimit,
} from './rate-limit.ts';
import { makeTarpit } from './tarpit.ts';
import { AdmissionLimits, AdmissionTicket } from './ticket.ts';

export interface Caller {
  readonly user: User;
  /** Null for a one-time token. */
  readonly key: ApiKey | null;
  /** As sent: an open stream asks again whether it is still valid. */
  readonly secret: string;
}

const bearer = /^Bearer +([\x21-\x7e]{1,512})$/i;

const bearerOf = (header: string | undefined): string | null =>
  header === undefined ? null : (bearer.exec(header)?.[1] ?? null);

const authenticate = async (users: Pick<Users, 'authenticate'>, header: string | undefined): Promise<Caller> => {
  const secret = bearerOf(header);
  if (secret === null) throw unauthorized();
  const found = await users.authenticate(secret);
  if (found === null) throw unauthorized();
  return { ...found, secret };
};

const isParams = (value: unknown): value is { readonly id: string } =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string';

/** The owner of the device that a one-time token is for; null if the request carries none, or may not. */
const callerByToken = async ({ devices }: Parts, request: FastifyRequest): Promise<Caller | null> => {
  const secret = bearerOf(request.headers.authorization);
  if (request.operation?.oneTimeToken !== true || secret?.startsWith(passkeyTokenPrefix) !== true) return null;
  const { params } = request;
  const id = isParams(params) && /^[1-9]\d{0,9}$/.test(params.id) ? Number(params.id) : 0;
  const user = await devices.passkeys.ownerOf(id, secret);
  if (user === null) throw unauthorized();
  return { user, key: null, secret };
};

/** Throws Unauthorized for a request without a caller. */
export const actorOf = ({ caller, isOperator }: FastifyRequest, address: string): Actor => {
  if (isOperator) return { kind: 'operator', address };
  if (caller === null) throw unauthorized();
  // A one-time token changes nothing that is audited.
  if (caller.key === null) return { kind: 'service' };
  return { kind: 'key', userId: caller.user.id, keyId: caller.key.id, address };
};

/** Counts a failed authentication against the address, and reports that limit, as there is no user to have one. */
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

/** Counted in the database if several nodes share it. */
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

/** Null: admitted at once. */
const admit = (limits: AdmissionLimits, request: FastifyRequest, caller: Caller): Promise<void> | null => {
  request.caller = caller;
  const { deadline } = request;
  if (deadline === null) return null;
  request.ticket = new AdmissionTicket(limits, caller.user.id, deadline);
  return request.ticket.admit();
};

interface Gate {
  readonly refuse: (who: string, error: unknown) => Promise<never>;
  /** Checks the address, then the rate; null: passed at once. */
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
      // The first node has counted it.
      if (isFromNode(request)) return null;
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

export const makeAdmission = (parts: Parts) => {
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
    /** Throws Unauthorized and RateLimited. */
    user: identify,
    /** Throws Unauthorized, and RateLimited for an address that guesses keys. Does not count against the rate limit. */
    known,
    /** Identifies the caller, and waits for a free slot of the user; null: admitted at once. Rejects with Unauthorized, RateLimited and RequestTimeout. */
    enter(request: FastifyRequest, reply: FastifyReply): Promise<void> | null {
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
    /** Throws Unauthorized and RateLimited. */
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
