/** `Idempotency-Key` on the sends (docs/spec/http-interface.md, Idempotency). */
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { invalidRequest } from '../../errors.ts';
import type { Idempotency } from '../../service/sending/send-once.ts';

export const idempotencyHeader = {
  'Idempotency-Key': {
    description:
      '1 to 255 printable ASCII characters, kept 24 h: the same key and body give the first answer again, and never a second message',
    schema: Type.String({ minLength: 1, maxLength: 255, examples: ['order-4711-confirmation'] }),
  },
};

/** Bytes stand for the characters that they are, one each. */
export type Members = Readonly<Record<string, unknown>>;

/** SHA-256 over the route and the members by name: their order and the white space of the body do not matter. */
const fingerprintOf = (route: string, body: Members): string => {
  const hash = createHash('sha256').update(route);
  for (const name of Object.keys(body).sort()) {
    const given = body[name] ?? '';
    const value = typeof given === 'string' || given instanceof Uint8Array ? given : JSON.stringify(given);
    hash.update(`\0${name}\0${value.length}\0`).update(value);
  }
  return hash.digest('hex');
};

/** The key that a request carries, with the fingerprint of what it asks for. Throws InvalidRequest. */
export const idempotencyOf = (request: FastifyRequest, route: string, body: Members): Idempotency | undefined => {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalidRequest('Idempotency-Key must be 1 to 255 printable ASCII characters');
  }
  return { key, fingerprint: fingerprintOf(route, body) };
};
