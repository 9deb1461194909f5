/** The operator's side below `/admin/v1` (docs/spec/users.md, Operator): its token, and the users and devices in its paths. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { User } from '../../domain/user.ts';
import { notFound } from '../../errors.ts';
import { unauthorized } from '../wire/errors.ts';
import type { Parts } from '../wire/parts.ts';
import { userView } from '../schemas/account.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Throws Unauthorized unless an admin token is configured and the header carries it. */
export const authenticateOperator = (adminToken: string | null, header: string | undefined): void => {
  const given = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header ?? '')?.[1];
  if (adminToken === null || given === undefined) throw unauthorized();
  if (!timingSafeEqual(digest(given), digest(adminToken))) throw unauthorized();
};

/** An id that nobody can have is not found. */
export const idOf = (what: string, text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw notFound(what);
  return Number(text);
};

/** Throws NotFound. */
export const userOf = (parts: Parts, userId: string): Promise<User> => parts.users.findUser(idOf('User', userId));

export const accountOf = async (parts: Parts, user: User) =>
  userView(user, await parts.users.countActiveDevices(user.id), parts.options.rateLimit);
