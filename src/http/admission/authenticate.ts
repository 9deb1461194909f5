/** Authentication by bearer key, and the headers of the rate limit (docs/spec/http-interface.md, Authentication and Limits). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../domain/audit.ts';
import type { ApiKey, User } from '../../domain/user.ts';
import { HandsetError } from '../../errors.ts';
import type { Users } from '../../service/users/users.ts';
import { unauthorized } from '../server/errors.ts';
import type { RateVerdict, Standing } from './rate-limit.ts';

export interface Caller {
  readonly user: User;
  /** Null for a one-time token. */
  readonly key: ApiKey | null;
  /** The key as it was sent: to ask again whether it is still valid, while a stream is open. */
  readonly secret: string;
}

const bearer = /^Bearer +([\x21-\x7e]{1,512})$/i;

/** The secret of an `Authorization` header, or null. */
export const bearerOf = (header: string | undefined): string | null =>
  header === undefined ? null : (bearer.exec(header)?.[1] ?? null);

/** Throws Unauthorized unless the header carries a valid key. */
export const authenticate = async (users: Pick<Users, 'authenticate'>, header: string | undefined): Promise<Caller> => {
  const secret = bearerOf(header);
  if (secret === null) throw unauthorized();
  const found = await users.authenticate(secret);
  if (found === null) throw unauthorized();
  return { ...found, secret };
};

/** Tells the caller where a limit stands. */
export const tellLimit = ({ limit, remaining, resetSeconds }: Standing, reply: FastifyReply): void => {
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSeconds);
};

export const rateLimited = ({ limit, resetSeconds }: RateVerdict): HandsetError =>
  new HandsetError('RateLimited', `Rate limit exceeded; maximum ${limit} requests per minute per user`, {
    retryAfterSeconds: resetSeconds,
  });

/** The actor for the audit log: the caller's key, or the operator below `/admin/v1`, where there is no caller. */
export const actorOf = ({ caller }: FastifyRequest, address: string): Actor => {
  if (caller === null) return { kind: 'operator', address };
  // A one-time token changes nothing that the log has an entry for.
  if (caller.key === null) return { kind: 'service' };
  return { kind: 'key', userId: caller.user.id, keyId: caller.key.id, address };
};

/** The caller of a request that has passed authentication. */
export const callerOf = (request: FastifyRequest): Caller => {
  if (request.caller === null) throw unauthorized();
  return request.caller;
};
