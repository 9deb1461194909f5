/** Signatures as the Standard Webhooks specification defines them (decisions.md, Events and webhooks). */
import { hash } from 'node:crypto';
import type { WebhookTarget } from '../domain/delivery.ts';

type Secrets = Pick<WebhookTarget, 'secret' | 'previousSecret' | 'previousSecretUntil'>;

/** Of SHA-256, and of what it makes. */
const blockBytes = 64;
const hashBytes = 32;

/** What HMAC (RFC 2104) hashes with the key, before what is signed and before the hash of that. */
interface Key {
  readonly inner: Buffer;
  /** With room for that hash. */
  readonly outer: Buffer;
}

const keyFrom = (secret: string): Key => {
  const given = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const bytes = given.length > blockBytes ? hash('sha256', given, 'buffer') : given;
  const inner = Buffer.alloc(blockBytes, 0x36);
  const outer = Buffer.alloc(blockBytes + hashBytes, 0x5c);
  for (const [place, byte] of bytes.entries()) {
    inner[place] = byte ^ 0x36;
    outer[place] = byte ^ 0x5c;
  }
  return { inner, outer };
};

/** Those of this many webhooks are kept. */
const mostKeys = 500;
const keys = new Map<string, Key>();

const keyOf = (secret: string): Key => {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const key = keyFrom(secret);
  if (keys.size >= mostKeys) keys.delete(keys.keys().next().value!);
  keys.set(secret, key);
  return key;
};

/** Of what stands behind a block that is free for the key. Two hashes in one go each: an object of node:crypto takes longer to make. */
const signature = (secret: string, behindKey: Buffer): string => {
  const { inner, outer } = keyOf(secret);
  behindKey.set(inner);
  outer.write(hash('sha256', behindKey, 'binary'), blockBytes, 'binary');
  return `v1,${hash('sha256', outer, 'base64')}`;
};

export interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** With the three headers. While the former secret is valid there are two signatures, so that a receiver may know either. */
export const signed = (webhook: Secrets, id: string, body: string, now: number): Signed => {
  const timestamp = String(Math.floor(now / 1000));
  const before = `${id}.${timestamp}.`;
  const content = before + body;
  const bytes = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(content));
  bytes.write(content, blockBytes);
  const current = signature(webhook.secret, bytes);
  const { previousSecret, previousSecretUntil } = webhook;
  const both = previousSecret !== null && (previousSecretUntil ?? 0) > now;
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': both ? `${current} ${signature(previousSecret, bytes)}` : current,
    },
    body: bytes.subarray(blockBytes + Buffer.byteLength(before)),
  };
};
