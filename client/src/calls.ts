/** Calls by resource: one object with what the path, the query and the body take, and the body of the answer. */
import { unwrap } from './errors.ts';
import { plainNumbers } from './numbers.ts';
import { operations as table } from './operations.ts';
import { resources } from './resources.ts';
import type { operations } from './schema.ts';

type Resources = typeof resources;
/** Of operations that answer once. */
export type Id = keyof typeof table & keyof operations;

type PartOf<Op extends Id, Part extends 'path' | 'query'> = Part extends keyof operations[Op]['parameters']
  ? Exclude<operations[Op]['parameters'][Part], undefined>
  : never;
/** Parts that an operation does not have take nothing. */
type OrNothing<T> = [T] extends [never] ? unknown : T;

type BodyOf<Op extends Id> =
  Exclude<operations[Op]['requestBody'], undefined> extends { content: { 'application/json': infer Body } }
    ? Body
    : never;

/** Members of the path, the query and the body of an operation, side by side: no two of them share a name. */
export type Parameters<Op extends Id> = OrNothing<PartOf<Op, 'path'>> &
  OrNothing<PartOf<Op, 'query'>> &
  OrNothing<BodyOf<Op>>;

type Success<Op extends Id> = operations[Op]['responses'] extends { 200: infer Found }
  ? Found
  : operations[Op]['responses'] extends { 202: infer Found }
    ? Found
    : never;

/** The answer of an operation; of one that answers a file the response itself, whose body is to be read. */
export type Answer<Op extends Id> =
  Success<Op> extends { content: { 'application/json': infer Body } } ? Body : Response;

type ItemOf<Body> = {
  [Name in keyof Body]-?: Exclude<Body[Name], undefined> extends readonly (infer Item)[] ? Item : never;
}[keyof Body];

/** An answer that comes in pages: awaited it is one page, iterated over it is every item from there on. */
export type Pages<Body> = Promise<Body> & AsyncIterable<ItemOf<Body>>;

/** How to make a call, beside its parameters. */
export interface CallOptions {
  /** For operations that send or make groups: a repeat under the same key does nothing anew. Made for you where it is left out. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

type Result<Op extends Id> =
  Answer<Op> extends { nextCursor?: string | null } ? Pages<Answer<Op>> : Promise<Answer<Op>>;

type Method<Op extends Id> =
  {} extends Parameters<Op>
    ? (parameters?: Parameters<Op>, options?: CallOptions) => Result<Op>
    : (parameters: Parameters<Op>, options?: CallOptions) => Result<Op>;

export type Calls = {
  readonly [Name in keyof Resources]: {
    readonly [Call in keyof Resources[Name]]: Resources[Name][Call] extends Id ? Method<Resources[Name][Call]> : never;
  };
};

/** Makes a request below `/v1`. */
export type Request = (
  method: string,
  path: string,
  init: Omit<RequestInit, 'headers'> & { readonly headers: Readonly<Record<string, string>> },
) => Promise<Response>;

type Given = Readonly<Record<string, unknown>>;

const textOf = (name: string, value: unknown): string => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.join(',');
  throw new TypeError(`${name} must be a text or a number`);
};

/** Puts the parameters where the operation takes them. Throws a TypeError for one of the path that is missing. */
const requestOf = (id: Id, parameters: Given): { readonly path: string; readonly body: Given | null } => {
  const [, template, names, hasBody] = table[id];
  const rest: Record<string, unknown> = plainNumbers(parameters);
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (rest[name] === undefined || rest[name] === null || rest[name] === '')
      throw new TypeError(`${id}: ${name} is missing`);
    const value = encodeURIComponent(textOf(name, rest[name]));
    delete rest[name];
    return value;
  });
  const query = new URLSearchParams();
  for (const name of hasBody ? names : Object.keys(rest)) {
    if (rest[name] !== undefined) query.set(name, textOf(name, rest[name]));
    delete rest[name];
  }
  return { path: query.size === 0 ? path : `${path}?${query.toString()}`, body: hasBody ? rest : null };
};

const isPage = (body: unknown): body is { nextCursor: string | null } =>
  typeof body === 'object' && body !== null && 'nextCursor' in body;

async function* itemsOf(first: Promise<unknown>, next: (cursor: string) => Promise<unknown>): AsyncGenerator {
  let page = await first;
  while (isPage(page)) {
    const items: unknown = Object.values(page).find((member) => Array.isArray(member));
    if (Array.isArray(items)) yield* items;
    if (page.nextCursor === null) return;
    page = await next(page.nextCursor);
  }
}

const callOf = (id: Id, request: Request) => {
  const isPaged = table[id][2].some((name) => name === 'cursor');
  const call = async (parameters: Given, { idempotencyKey, headers, signal }: CallOptions): Promise<unknown> => {
    const { path, body } = requestOf(id, parameters);
    const response = await request(table[id][0], path, {
      headers: {
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    if (response.ok && !isJson) return response;
    const parsed: unknown = isJson ? await response.json() : null;
    return unwrap(response.ok ? { data: parsed, response } : { error: parsed, response });
  };
  return (parameters: Given = {}, options: CallOptions = {}): unknown => {
    const answer = call(parameters, options);
    if (!isPaged) return answer;
    const next = (cursor: string): Promise<unknown> => call({ ...parameters, cursor }, options);
    return Object.assign(answer, { [Symbol.asyncIterator]: () => itemsOf(answer, next) });
  };
};

/** The calls of all resources. */
export const callsOf = (request: Request): Calls => {
  const calls: unknown = Object.fromEntries(
    Object.entries(resources).map(([name, methods]) => [
      name,
      Object.fromEntries(Object.entries(methods).map(([method, id]) => [method, callOf(id, request)])),
    ]),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types are those of the same table
  return calls as Calls;
};
