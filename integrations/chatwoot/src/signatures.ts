/** Who may post to the bridge: Handset by Standard Webhooks, Chatwoot by its own signature or a token in the URL. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** Older or newer requests are refused, so that a recorded one cannot be posted again. */
const toleranceSeconds = 300;

const equal = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** Whether Handset has signed this body, within the last five minutes. */
export const isFromHandset = (secret: string, headers: IncomingHttpHeaders, body: string): boolean => {
  try {
    const given = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    new Webhook(secret).verify(body, Object.fromEntries(given));
    return true;
  } catch {
    return false;
  }
};

/** Whether Chatwoot (4.13 and later) has signed this body: HMAC-SHA256 over `<timestamp>.<body>`. */
const isSignedByChatwoot = (secret: string, headers: IncomingHttpHeaders, body: string, now: number): boolean => {
  const timestamp = String(headers['x-chatwoot-timestamp'] ?? '');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return equal(String(headers['x-chatwoot-signature'] ?? ''), `sha256=${expected}`);
};

interface Allowed {
  readonly secret: string | null;
  readonly urlToken: string | null;
}

/** Whether a post came from Chatwoot; with a secret nothing but its signature counts. */
export const isFromChatwoot = (
  { secret, urlToken }: Allowed,
  headers: IncomingHttpHeaders,
  body: string,
  query: URLSearchParams,
  now = Date.now(),
): boolean => {
  if (secret !== null) return isSignedByChatwoot(secret, headers, body, now);
  return urlToken !== null && equal(query.get('token') ?? '', urlToken);
};
