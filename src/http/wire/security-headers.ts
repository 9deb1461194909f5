/** The headers that keep browsers from doing anything with an answer but to show it to who asked. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

export const always = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  // Answers are data. Pages bring a policy of their own.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

export const overTls = { ...always, 'strict-transport-security': 'max-age=31536000' };

/** For an answer to what never became a request. */
export const headersOn = (socket: Socket): Readonly<Record<string, string>> =>
  socket instanceof TLSSocket ? overTls : always;
