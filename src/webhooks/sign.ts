/** Signatures as the Standard Webhooks specification defines them (docs/spec/webhooks.md, Signature). */
import { type KeyObject, createHmac, createSecretKey } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Webhook } from '../domain/delivery.ts';

type Secrets = Pick<Webhook, 'secret' | 'previousSecret' | 'previousSecretUntil'>;

/** Keys of the secrets in use: making one takes four times as long as a signature. */
const keys = new LRUCache<string, KeyObject>({
  max: 1_000,
  memoMethod: (secret) => createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')),
});

const signature = (secret: string, content: string): string =>
  `v1,${createHmac('sha256', keys.memo(secret)).update(content).digest('base64')}`;

export interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Makes the three headers and the body. While the former secret is valid there are two signatures, so that a receiver may know either. */
export const signed = (webhook: Secrets, id: string, body: string, now: number): Signed => {
  const timestamp = String(Math.floor(now / 1000));
  const content = `${id}.${timestamp}.${body}`;
  const current = signature(webhook.secret, content);
  const { previousSecret, previousSecretUntil } = webhook;
  const both = previousSecret !== null && (previousSecretUntil ?? 0) > now;
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': both ? `${current} ${signature(previousSecret, content)}` : current,
    },
    body: Buffer.from(body),
  };
};
