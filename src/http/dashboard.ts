/** Serves the dashboard at `/` and the API reference at `/docs`, read once, under a policy that allows nothing from other origins. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalidRequest } from '../errors.ts';
import { isSignIn } from '../service/users/authentication.ts';
import type { Admission } from './admission/admission.ts';
import { signInCookie } from './admission/sign-in.ts';
import { answersBusy } from '../service/users/admission.ts';
import { unauthorized } from './wire/errors.ts';
import type { Services } from './wire/services.ts';

/** Own files only, no inline script or style; images and sound also from memory (QR, previews, decrypted media). */
const dashboardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'media-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.zip': 'application/zip',
};

interface File {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: () => Buffer;
}

const readAsset = (path: string): File => {
  const plain = readFileSync(path);
  let zipped: Buffer | null = null;
  return {
    type: types[extname(path)] ?? 'application/octet-stream',
    plain,
    gzip: () => (zipped ??= gzipSync(plain)),
  };
};

export const acceptsGzip = ({ headers }: FastifyRequest): boolean => /\bgzip\b/.test(headers['accept-encoding'] ?? '');

const send = (reply: FastifyReply, file: File): FastifyReply => {
  const zipped = acceptsGzip(reply.request);
  reply
    .type(file.type)
    .header('vary', 'accept-encoding')
    .header('content-security-policy', dashboardPolicy)
    .header('referrer-policy', 'no-referrer')
    // Voice messages are recorded on the page.
    .header('permissions-policy', 'camera=(), geolocation=(), microphone=(self)');
  if (zipped) reply.header('content-encoding', 'gzip');
  return reply.send(zipped ? file.gzip() : file.plain);
};

const builtFolder = join(import.meta.dirname, '../../dashboard/dist');

const extension = 'passkey-extension.zip';

const pages = [
  ['/', 'index.html'],
  ['/docs', 'docs.html'],
] as const;

export const mountDashboard = (app: FastifyInstance, prefix: string, folder: string | null = builtFolder): void => {
  if (folder === null || !existsSync(join(folder, 'index.html'))) return;
  const missing = pages.find(([, name]) => !existsSync(join(folder, name)))?.[1];
  if (missing !== undefined) {
    throw new Error(`${folder} was built by an older version, without ${missing}: run "npm run build"`);
  }
  // Relative addresses in the pages need a trailing slash.
  if (prefix !== '') app.get(prefix, async (_request, reply) => reply.redirect(`${prefix}/`, 308));
  const downloads = existsSync(join(folder, extension)) ? [[`/${extension}`, extension] as const] : [];
  for (const [path, name] of [...pages, ...downloads]) {
    const page = readAsset(join(folder, name));
    app.get(path, async (_request, reply) => send(reply, page));
  }
  for (const name of readdirSync(join(folder, 'assets'))) {
    const path = `/assets/${name}`;
    const file = readAsset(join(folder, 'assets', name));
    // Names change with the content.
    app.get(path, async (_request, reply) =>
      send(reply.header('cache-control', 'public, max-age=31536000, immutable'), file),
    );
  }
};

const dayMs = 86_400_000;
/** With "Stay signed in", and without: then it is a session cookie. */
const lifeMs = { stay: 30 * dayMs, leave: dayMs } as const;

const setCookie = (
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  maxAge: number | null,
) =>
  reply.header(
    'set-cookie',
    [
      `${signInCookie(request, services.options.publicUrl)}=${token}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Strict',
      ...(isSecure(services, request) ? ['Secure'] : []),
      ...(maxAge === null ? [] : [`Max-Age=${maxAge}`]),
    ].join('; '),
  );

const isSecure = ({ options }: Services, { protocol }: FastifyRequest): boolean =>
  protocol === 'https' || options.publicUrl?.startsWith('https:') === true;

/** Sign-in of the dashboard: exchanges a key for an HttpOnly cookie (docs/spec/http-interface.md, Authentication). */
export const mountSignIn = (app: FastifyInstance, services: Services, admission: Admission): void => {
  app.post<{ Querystring: { readonly stay?: string } }>('/session', async (request, reply) => {
    const { key, secret } = await admission.known(request, reply);
    // A sign-in cannot prolong itself.
    if (key === null || isSignIn(secret)) throw unauthorized();
    const stay = request.query.stay === 'true';
    const { token, expiresAt } = await services.users.signIn(key, lifeMs[stay ? 'stay' : 'leave']);
    setCookie(services, request, reply, token, stay ? lifeMs.stay / 1000 : null);
    const session = { keyId: key.id, expiresAt: new Date(expiresAt).toISOString() };
    return { session, status: { code: 200, message: 'Signed in' } };
  });
  app.delete('/session', async (request, reply) => {
    const { secret } = await admission.known(request, reply);
    if (isSignIn(secret)) await services.users.signOut(secret);
    setCookie(services, request, reply, '', 0);
    return { status: { code: 200, message: 'Signed out' } };
  });
};

const maxParts = 8;

const part =
  /^\/v1\/(?:me|accounts|devices|devices\/\d{1,10}\/(?:session|chats|messages|messages\/scheduled))(?:\?[^#]{0,1000})?$/;

const partsIn = (of: string | readonly string[] = []): readonly string[] => {
  const paths = typeof of === 'string' ? [of] : of;
  if (paths.length === 0 || paths.length > maxParts || paths.some((path) => path.length > 1100 || !part.test(path)))
    throw invalidRequest(`of must be 1 to ${maxParts} paths that the dashboard loads at first`);
  return paths;
};

const passedOn = ['authorization', 'cookie', 'handset-dashboard', 'host', 'sec-fetch-site'] as const;

const headersOf = ({ headers }: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );

/** What a page loads first, in one answer: requests below `/v1`, made in process with all checks and limits. Failed parts are left out. */
export const mountSnapshot = (app: FastifyInstance, admission: Admission): void => {
  /** Users with one under way: its answers are whole in memory. */
  const busy = new Set<number>();
  app.get<{ Querystring: { readonly of?: string | readonly string[] } }>(
    '/session/snapshot',
    async (request, reply) => {
      const { user } = await admission.known(request, reply);
      const paths = partsIn(request.query.of);
      if (busy.has(user.id)) throw answersBusy();
      busy.add(user.id);
      try {
        const shared = { remoteAddress: request.ip, headers: headersOf(request), signal: request.deadline!.signal };
        const all = await Promise.all(
          paths.map(async (url) => ({ url, answer: await app.inject({ url, ...shared }) })),
        );
        for (const [name, value] of Object.entries(all.at(-1)!.answer.headers))
          if (name.startsWith('ratelimit-')) reply.header(name, value);
        const told = all.filter(({ answer }) => answer.statusCode === 200);
        const answers = told.map(({ url, answer }) => `${JSON.stringify(url)}:${answer.payload}`).join(',');
        const status = JSON.stringify({ code: 200, message: 'Loaded' });
        return await reply.type('application/json; charset=utf-8').send(`{"answers":{${answers}},"status":${status}}`);
      } finally {
        busy.delete(user.id);
      }
    },
  );
};
