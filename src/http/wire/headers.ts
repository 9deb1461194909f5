/** Content negotiation by Accept (RFC 9110, section 12.5.1), and security headers. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

interface Range {
  readonly type: string;
  readonly quality: number;
}

const rangesOf = (accept: string): readonly Range[] =>
  accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = q === undefined ? 1 : Number(q.slice(2));
    return { type, quality: Number.isFinite(quality) ? quality : 0 };
  });

const covers = (range: string, type: string): boolean =>
  range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));

/** The first of equally preferred types; null without a header or a match. */
export const preferredType = (accept: string | undefined, offered: readonly string[]): string | null => {
  if (accept === undefined) return null;
  const ranges = rangesOf(accept);
  let best: { readonly type: string; readonly quality: number } | null = null;
  for (const type of offered) {
    const exact = ranges.find((range) => range.type === type);
    const quality = exact?.quality ?? Math.max(0, ...ranges.filter((r) => covers(r.type, type)).map((r) => r.quality));
    if (quality > (best?.quality ?? 0)) best = { type, quality };
  }
  return best?.type ?? null;
};

export const always = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  // Answers are data. Pages have their own policy.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

export const overTls = { ...always, 'strict-transport-security': 'max-age=31536000' };

/** For connections without a request. */
export const headersOn = (socket: Socket): Readonly<Record<string, string>> =>
  socket instanceof TLSSocket ? overTls : always;
