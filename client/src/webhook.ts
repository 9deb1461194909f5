/** Checks what a webhook got: Standard Webhooks signatures, by Web Crypto alone. */
import type { WebhookEvent } from './types.ts';

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface VerifyOptions {
  /** `whsec_…`; several while a secret is being changed. */
  readonly secret: string | readonly string[];
  /** How old or far ahead a delivery may be; 300 by default. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since the epoch; the machine's clock by default. */
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
  if (bytes === null || bytes.length === 0) throw new TypeError('The secret is not one of a webhook (whsec_…)');
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

/** Frameworks parse JSON by themselves, and what is written again from that need not have the bytes that were signed. */
const textOf = (body: unknown): string => {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  throw new TypeError('The body must be the text or the bytes as they came, before anything parses them');
};

/**
 * The event of a delivery. `body` is the body as it came, not parsed and written again. Throws WebhookVerificationError
 * when the signature is wrong, a header is missing, or the delivery is too old; TypeError when the secret or the body is
 * not one.
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
    throw new WebhookVerificationError('The timestamp is too far from now');
  }
  const content = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const secret of [options.secret].flat()) {
    if (!(await isSigned(secret, signatures, content))) continue;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface is the contract, and the sender is known
    return JSON.parse(text) as WebhookEvent;
  }
  throw new WebhookVerificationError('The signature is wrong');
};

/** As `verifyWebhook`, for a request of the Fetch standard (Workers, Deno, Bun, Hono, Next.js). */
export const receiveWebhook = async (request: Request, options: VerifyOptions): Promise<WebhookEvent> =>
  verifyWebhook(await request.text(), request.headers, options);
