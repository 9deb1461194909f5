/** Serves the dashboard at `/` and the API reference at `/docs`, read once, under a policy that allows nothing from other origins. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuseOtherMethods } from './mount.ts';

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

/** Null or not built: nothing is served. */
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
    refuseOtherMethods(app, path, ['GET']);
  }
  for (const name of readdirSync(join(folder, 'assets'))) {
    const path = `/assets/${name}`;
    const file = readAsset(join(folder, 'assets', name));
    // Names change with the content.
    app.get(path, async (_request, reply) =>
      send(reply.header('cache-control', 'public, max-age=31536000, immutable'), file),
    );
    refuseOtherMethods(app, path, ['GET']);
  }
};
