/** Standard Webhooks, checked without a package: community nodes bring none. */
import { createHmac, timingSafeEqual } from 'node:crypto';

type Headers = Record<string, string | string[] | undefined>;

/** An older request may be a recorded one that is posted again. */
const toleranceSeconds = 300;

const equal = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** Whether the body was signed with the secret (`whsec_…`) within the last five minutes. */
export const isSigned = (secret: string, headers: Headers, body: Buffer, now = Date.now()): boolean => {
  const header = (name: string): string => String(headers[name] ?? '');
  const timestamp = header('webhook-timestamp');
  if (secret === '' || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key)
    .update(`${header('webhook-id')}.${timestamp}.`)
    .update(body)
    .digest('base64');
  return header('webhook-signature')
    .split(' ')
    .some((one) => equal(one, `v1,${signature}`));
};
