/** The operator's side, `/admin/v1` (docs/spec/users.md, Operator): its token, and the users and devices in its paths. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { User } from '../../domain/user.ts';
import { notFound } from '../../errors.ts';
import { unauthorized } from '../wire/errors.ts';
import type { Services } from '../wire/services.ts';
import { userView } from '../views/account.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Throws Unauthorized, also if no admin token is configured. */
export const authenticateOperator = (adminToken: string | null, header: string | undefined): void => {
  const given = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header ?? '')?.[1];
  if (adminToken === null || given === undefined) throw unauthorized();
  if (!timingSafeEqual(digest(given), digest(adminToken))) throw unauthorized();
};

export const idOf = (what: string, text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw notFound(what);
  return Number(text);
};

export const userOf = (services: Services, userId: string): Promise<User> =>
  services.users.findUser(idOf('User', userId));

export const accountOf = async (services: Services, user: User) =>
  userView(user, await services.users.countActiveDevices(user.id), services.options.rateLimit);
