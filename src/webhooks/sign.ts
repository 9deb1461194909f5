/** Signatures as the Standard Webhooks specification defines them (decisions.md, Events and webhooks). */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Webhook } from '../domain/delivery.ts';

type Secrets = Pick<Webhook, 'secret' | 'previousSecret' | 'previousSecretUntil'>;

/** A key object is several times as fast as its bytes; those of this many webhooks are kept. */
const mostKeys = 500;
const keys = new Map<string, KeyObject>();

const keyOf = (secret: string): KeyObject => {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const key = createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));
  if (keys.size >= mostKeys) keys.delete(keys.keys().next().value!);
  keys.set(secret, key);
  return key;
};

const signature = (secret: string, content: string): string =>
  `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`;

/** The three headers. While the former secret is valid there are two signatures, so that a receiver may know either. */
export const signedHeaders = (webhook: Secrets, id: string, body: string, now: number): Record<string, string> => {
  const timestamp = Math.floor(now / 1000);
  const content = `${id}.${timestamp}.${body}`;
  const signatures = [signature(webhook.secret, content)];
  if (webhook.previousSecret !== null && (webhook.previousSecretUntil ?? 0) > now) {
    signatures.push(signature(webhook.previousSecret, content));
  }
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
};
