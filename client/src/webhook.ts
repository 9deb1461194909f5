/** Verifies webhook deliveries (Standard Webhooks) with Web Crypto only. */
import type { WebhookEvent } from './types.ts';

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface VerifyOptions {
  /** `whsec_…`; several while the secret is being rotated. */
  readonly secret: string | readonly string[];
  /** Maximum difference between the delivery's timestamp and now; 300 by default. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since the epoch; the system clock by default. */
  readonly now?: number;
}

type HeadersLike = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const headerOf = (headers: HeadersLike, name: string): string => {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The header ${name} is missing`);
  return value;
};

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
};

const keyOf = async (secret: unknown) => {
  const bytes = typeof secret === 'string' ? bytesOf(secret.replace(/^whsec_/, '')) : null;
  if (bytes === null || bytes.length === 0) throw new TypeError('The secret must be a webhook secret (whsec_…)');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
};

const isSigned = async (secret: string, signatures: string, content: Uint8Array<ArrayBuffer>): Promise<boolean> => {
  const key = await keyOf(secret);
  for (const signature of signatures.split(' ')) {
    const [version, base64 = ''] = signature.split(',', 2);
    const bytes = version === 'v1' ? bytesOf(base64) : null;
    // Compares in constant time.
    if (bytes !== null && (await crypto.subtle.verify('HMAC', key, bytes, content))) return true;
  }
  return false;
};

/** Rejects parsed bodies: serialised again, they may differ from the signed bytes. */
const textOf = (body: unknown): string => {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  throw new TypeError('The body must be the raw request body as a string or bytes, not parsed');
};

/**
 * Verifies a delivery and returns its event. `body` is the raw request body. Throws WebhookVerificationError if the
 * signature is wrong, a header is missing or the delivery is too old, and TypeError if the secret or the body is invalid.
 */
export const verifyWebhook = async (
  body: string | Uint8Array,
  headers: HeadersLike,
  options: VerifyOptions,
): Promise<WebhookEvent> => {
  const { toleranceSeconds = 300, now = Date.now() } = options;
  const text = textOf(body);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  const age = now / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(age) > toleranceSeconds) {
    throw new WebhookVerificationError('The timestamp is outside the tolerance');
  }
  const content = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const secret of [options.secret].flat()) {
    if (!(await isSigned(secret, signatures, content))) continue;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API defines the type, and the signature is valid
    return JSON.parse(text) as WebhookEvent;
  }
  throw new WebhookVerificationError('The signature is wrong');
};

/** `verifyWebhook` for a Fetch API request (Workers, Deno, Bun, Hono, Next.js). */
export const receiveWebhook = async (request: Request, options: VerifyOptions): Promise<WebhookEvent> =>
  verifyWebhook(await request.text(), request.headers, options);
