/** Signatures as the Standard Webhooks specification defines them (decisions.md, Events and webhooks). */
import { createHmac } from 'node:crypto';
import type { Webhook } from '../domain/delivery.ts';

type Secrets = Pick<Webhook, 'secret' | 'previousSecret' | 'previousSecretUntil'>;

const signature = (secret: string, content: string): string => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
};

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
