/** The cookie of a signed-in browser. */
import type { FastifyRequest } from 'fastify';
import { signInMark } from '../../service/users/authentication.ts';
import { originHeader } from '../wire/node-auth.ts';

/** Only a page of this origin can send it: no preflight allows it to other origins. */
const pageHeader = 'handset-dashboard';

const hostOf = (request: FastifyRequest): string => {
  const { host = '', [originHeader]: origin } = request.headers;
  return typeof origin === 'string' && request.passedOn ? origin : host;
};

/** Ports of a host share cookies, so the port is in the name. With https no sibling host can set one. */
export const signInCookie = (request: FastifyRequest, publicUrl: string | null): string => {
  const port = /:(\d{1,5})$/.exec(hostOf(request))?.[1];
  return `${publicUrl?.startsWith('https:') === true ? '__Host-' : ''}handset${port === undefined ? '' : `-${port}`}`;
};

/** Null for a request that a page of another origin may have caused. */
export const signInOf = (request: FastifyRequest, publicUrl: string | null): string | null => {
  const { cookie, 'sec-fetch-site': site = 'same-origin', [pageHeader]: isPage } = request.headers;
  if (cookie === undefined || isPage !== '1' || site !== 'same-origin') return null;
  const start = `${signInCookie(request, publicUrl)}=`;
  const found = cookie.split(';').find((one) => one.trimStart().startsWith(start));
  return found === undefined ? null : signInMark + found.trim().slice(start.length);
};
