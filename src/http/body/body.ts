/** Reads and validates request bodies (docs/spec/http-interface.md, Limits). A 400 names the member and the rule (Errors). */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../domain/clock.ts';
import { isCheapJson } from '../../domain/json.ts';
import { release } from '../../domain/messages/files.ts';
import { invalidRequest, type HandsetError } from '../../errors.ts';
import type { Deadline } from '../../service/users/admission.ts';
import { parseLargeMember } from './large-member.ts';
import { invalidJson, payloadTooLarge, unauthorized, wrongContentEncoding, wrongContentType } from '../wire/errors.ts';
import { watchRate } from './in-time.ts';
import { bodyHashOf, bodyTrailer } from '../wire/node-auth.ts';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { nearest } from '../../domain/nearest.ts';

const jsonLimit = 1_048_576;

const largeBytes = 65_536;

/** Windows' programs write it before a text. */
const byteOrderMark = Buffer.from('\uFEFF');

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** `Expect: 100-continue`: the body is requested only after authentication, rate limit and routing. */
export const holdContinue = (raw: IncomingMessage, response: ServerResponse): void => {
  waiting.set(raw, response);
};

export const awaitsContinue = (raw: IncomingMessage): boolean => waiting.has(raw);

export const sayContinue = (raw: IncomingMessage): void => {
  waiting.get(raw)?.writeContinue();
  waiting.delete(raw);
};

/** Rejects at once if Content-Length is too large. `clock`: the body must keep the minimum rate. */
const readBytes = (raw: IncomingMessage, limit: number, deadline: Deadline, clock: Clock | null): Promise<Buffer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const announced = Number(raw.headers['content-length'] ?? 0);
  if (announced > limit || deadline.passed !== null) {
    reject(announced > limit ? payloadTooLarge() : deadline.passed);
    return promise;
  }
  // One buffer if the length is known: chunks and their concatenation would take twice the memory.
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

const parseObject = (bytes: Buffer, maxValues?: number): object => {
  if (!isCheapJson(bytes, maxValues))
    throw invalidRequest('The request body has too many values, or has them too deep in each other');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    // No cause: the parser's message quotes the body.
    throw invalidJson();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('The request body must be a JSON object');
  }
  return value;
};

const mayBeLarge = ({ headers }: FastifyRequest): boolean => !(Number(headers['content-length']) <= jsonLimit);

/** Undefined if the body is empty or not expected; the stream if the operation takes a file. */
export const bodyReader = (clock: Clock) => async (request: FastifyRequest, raw: IncomingMessage) => {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw wrongContentEncoding(encoding);
  if (request.operation?.takesFile === true) return raw;
  const expected = request.operation?.body;
  // An unexpected body is discarded after the answer.
  if (expected === undefined || request.deadline === null) return undefined;
  const limit = expected.limit ?? jsonLimit;
  const type = request.headers['content-type'];
  if (Number(request.headers['content-length'] ?? 0) > limit) throw payloadTooLarge();
  // Acquire a slot before `100 Continue`, so queued requests hold no body in memory.
  const isLarge = limit > jsonLimit && mayBeLarge(request);
  if (isLarge) await request.ticket?.admitLargeBody();
  if (request.headers.expect !== undefined) sayContinue(request.raw);
  if (isLarge) request.deadline.pause();
  const bytes = await readBytes(raw, limit, request.deadline, isLarge ? clock : null);
  request.deadline.restart();
  if (request.passedOn && !request.passedOn.matches(bodyHashOf(bytes), raw.trailers[bodyTrailer])) throw unauthorized();
  if (bytes.length === 0) return undefined;
  if (type !== undefined && !jsonType.test(type)) throw wrongContentType(type);
  if (!isUtf8(bytes)) throw invalidJson();
  const json = bytes.subarray(bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0);
  const { largeMember, maxValues } = expected;
  if (largeMember === undefined) return parseObject(json, maxValues);
  return parseLargeMember(json, largeMember, (part) => parseObject(part, maxValues));
};

/** Closing with unread bytes resets the connection and loses the answer; reading without limit would invite attacks. */
const maxDiscardedBytes = 64 * 1_048_576;
const maxDiscardMs = 10_000;

export const discardRest = (raw: IncomingMessage, clock: Clock): void => {
  let seen = 0;
  const cut = (): void => {
    raw.destroy();
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

interface MemberSchema extends TSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly items?: MemberSchema;
  readonly errorMessage?: string;
}

interface ObjectSchema extends TSchema {
  readonly properties: Readonly<Record<string, MemberSchema>>;
  readonly required?: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

const isObjectSchema = (schema: TSchema): schema is ObjectSchema => 'properties' in schema;

const quoted = (text: string): string => JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);

const whatIsWrong = (name: string, schema: MemberSchema, value: unknown): string => {
  const kinds = schema.items?.enum;
  if (kinds !== undefined && Array.isArray(value)) {
    const unknown: unknown = value.find((item) => typeof item !== 'string' || !kinds.includes(item));
    const shown = typeof unknown === 'string' ? quoted(unknown) : 'that is not a string';
    const what = /events$/i.test(name) ? 'an unknown event kind' : 'an unknown value';
    // The list itself may be wrong: empty, or with one twice.
    if (unknown !== undefined)
      return `${name} has ${what} ${shown}; the ${what.split(' ').at(-1)}s are ${kinds.join(', ')}`;
  }
  const rule = schema.errorMessage ?? `must be a ${String(schema.type)}`;
  // Phone numbers are often sent as numbers.
  const isUnquoted = typeof value === 'number' && rule.includes('digits');
  return `${name} ${isUnquoted ? 'must be a string, not a number' : rule}`;
};

const explain = (schema: ObjectSchema, value: Members, noun: string): string => {
  const known = Object.keys(schema.properties);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const { candidate, far } = nearest(unknown, known);
    // If no name is close, such as `text` for `message`, the nearest would mislead.
    const hint = far > 0.6 ? `. The ${noun}s are ${known.join(', ')}` : `; did you mean ${quoted(candidate)}?`;
    return `Unknown ${noun} ${quoted(unknown)}${hint}`;
  }
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) {
    const { type, errorMessage = '' } = schema.properties[missing]!;
    return `${missing} is required${type === 'array' ? errorMessage.replace(/^must be/, ':') : ''}`;
  }
  for (const name of known) {
    const member = schema.properties[name]!;
    if (Object.hasOwn(value, name) && !Compile(member).Check(value[name])) {
      return whatIsWrong(name, member, value[name]);
    }
  }
  return `The ${noun}s do not fit together`;
};

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Query values are strings; converted to numbers and booleans where the schema has them. */
const withTypes = (schema: ObjectSchema, query: Members): Members =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const type = schema.properties[name]?.type;
      if (typeof value !== 'string') return [name, value];
      if (type === 'boolean') return [name, booleans[value] ?? value];
      return [name, type === 'integer' && /^\d{1,9}$/.test(value) ? Number(value) : value];
    }),
  );

const isWellFormed = (value: unknown): boolean =>
  typeof value === 'string' ? value.isWellFormed() : !isMembers(value) || Object.values(value).every(isWellFormed);

export type Validated = { readonly value: unknown } | { readonly error: HandsetError };

export const makeValidator = (schema: TSchema, part: string | undefined): ((value: unknown) => Validated) => {
  if (!isObjectSchema(schema)) throw new Error('Bodies and queries are objects');
  // Compiled on first use: compiling all takes a twentieth of the start.
  let compiled: ReturnType<typeof Compile> | null = null;
  const query = part === 'querystring';
  return (given) => {
    const members = isMembers(given) ? given : {};
    const value = query ? withTypes(schema, members) : members;
    compiled ??= Compile(schema);
    if (!compiled.Check(value)) {
      return { error: invalidRequest(explain(schema, value, query ? 'query parameter' : 'field')) };
    }
    for (const [name, text] of Object.entries(value)) {
      // A lone surrogate has no UTF-8 form and would be sent as another character.
      if (typeof text === 'string' ? !text.isWellFormed() : !isWellFormed(text)) {
        return { error: invalidRequest(`${name} must be well-formed Unicode, without half surrogate pairs`) };
      }
    }
    return { value };
  };
};
