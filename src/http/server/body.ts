/** Reads and parses request bodies: JSON objects only, within the size limit and the deadline (docs/spec/http-interface.md, Limits). */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../domain/clock.ts';
import { release } from '../../domain/bytes.ts';
import { invalidRequest } from '../../errors.ts';
import type { Deadline } from './deadline.ts';
import { parseLargeMember } from './large-member.ts';
import { invalidJson, payloadTooLarge, unauthorized } from './errors.ts';
import { watchRate } from './least-rate.ts';
import { bodyTrailer } from '../forwarding/node-auth.ts';

const jsonLimit = 1_048_576;
export const mediaLimit = 15 * 1_048_576;

/** From here on copies count. */
const largeBytes = 65_536;

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** `Expect: 100-continue`: the client is told to go on only once its body is wanted, after 401, 429 and 404. */
export const holdContinue = (raw: IncomingMessage, response: ServerResponse): void => {
  waiting.set(raw, response);
};

/** True while the client still waits for a 100. */
export const awaitsContinue = (raw: IncomingMessage): boolean => waiting.has(raw);

export const sayContinue = (raw: IncomingMessage): void => {
  waiting.get(raw)?.writeContinue();
  waiting.delete(raw);
};

/** Everything up to the end of the body. Rejects at once when its length is announced and too large. `clock`: it must not be slow. */
const readBytes = (raw: IncomingMessage, limit: number, deadline: Deadline, clock: Clock | null): Promise<Buffer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const announced = Number(raw.headers['content-length'] ?? 0);
  if (announced > limit || deadline.passed !== null) {
    reject(announced > limit ? payloadTooLarge() : deadline.passed);
    return promise;
  }
  // One buffer where the length is known: chunks and their whole together would be twice the memory.
  let whole: Buffer | null = null;
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (): void => {
    raw.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
    forget();
    unwatch?.();
  };
  const fail = (error: Error): void => {
    stop();
    reject(error);
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > limit) {
      raw.pause();
      return fail(payloadTooLarge());
    }
    if (chunk.length === announced || !(announced >= largeBytes)) return void chunks.push(chunk);
    whole ??= Buffer.allocUnsafe(announced);
    chunk.copy(whole, size - chunk.length);
    release(chunk);
  };
  const onEnd = (): void => {
    stop();
    if (whole !== null) return resolve(whole.subarray(0, size));
    if (chunks.length === 1) return resolve(chunks[0]!);
    resolve(Buffer.concat(chunks, size));
    chunks.forEach(release);
  };
  const onError = (error: Error): void => fail(invalidJson(error));
  const onClose = (): void => fail(invalidJson());
  const forget = deadline.watch(fail);
  const unwatch = clock === null ? null : watchRate(clock, () => size, fail);
  raw.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  return promise;
};

const parseObject = (bytes: Buffer): object => {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    // Without a cause: the parser's message quotes the body.
    throw invalidJson();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('The request body must be a JSON object');
  }
  return value;
};

/** Announced as more than plain JSON may have, or not announced. */
const mayBeLarge = ({ headers }: FastifyRequest): boolean => !(Number(headers['content-length']) <= jsonLimit);

/** A body passed on by another node must match that node's signature. */
const isSigned = ({ passedOn, raw }: FastifyRequest, bytes: Buffer): boolean =>
  passedOn?.matches(bytes, raw.trailers[bodyTrailer]) !== false;

/** The body of a request, or undefined when it is empty or the operation has none. */
export const readBody = async (
  request: FastifyRequest,
  raw: IncomingMessage,
  clock: Clock,
): Promise<object | undefined> => {
  const expected = request.operation?.body;
  // What is sent to an operation without a body is discarded after the answer.
  if (expected === undefined || request.deadline === null) return undefined;
  const limit = expected.limit ?? jsonLimit;
  const type = request.headers['content-type'];
  if (Number(request.headers['content-length'] ?? 0) > limit) throw payloadTooLarge();
  // Not before the client may send: what waits in line holds no bytes.
  const isLarge = limit > jsonLimit && mayBeLarge(request);
  if (isLarge) await request.ticket?.admitLargeBody();
  if (request.headers.expect !== undefined) sayContinue(request.raw);
  const bytes = await readBytes(raw, limit, request.deadline, isLarge ? clock : null);
  if (request.passedOn !== null && !isSigned(request, bytes)) throw unauthorized();
  if (bytes.length === 0) return undefined;
  if ((type !== undefined && !jsonType.test(type)) || !isUtf8(bytes)) throw invalidJson();
  const { largeMember } = expected;
  return largeMember === undefined ? parseObject(bytes) : parseLargeMember(bytes, largeMember, parseObject);
};

/** Closing with unread bytes resets the connection, and the answer with it; reading for ever would be a gift to attackers. */
const maxDiscardedBytes = 64 * 1_048_576;
const maxDiscardMs = 10_000;

/** Reads and discards the rest of a body after the answer, within bounds, so that the client gets to read the answer. */
export const discardRest = (raw: IncomingMessage, clock: Clock): void => {
  let seen = 0;
  const cut = (): void => {
    raw.socket.destroy();
  };
  const timer = clock.after(maxDiscardMs, cut);
  raw.on('data', (chunk: Buffer) => {
    seen += chunk.length;
    if (seen > maxDiscardedBytes) cut();
  });
  raw.once('close', () => timer.cancel());
  raw.on('error', cut);
  raw.resume();
};
