/** The part of OpenAPI 3.1 that the service's document uses, and its operations and events as a list. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: string | number;
  readonly schema: Schema & { readonly examples?: readonly string[] };
}

export interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

type Reference = { readonly $ref: string };

export interface Operation {
  readonly operationId: string;
  /** Its name in the client libraries: `labels.create`. */
  readonly 'x-client'?: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /** Words and positionals of the command line. */
  readonly 'x-command'?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

interface Server {
  readonly url: string;
}

const methods = ['get', 'post', 'put', 'delete'] as const;
type Method = (typeof methods)[number];

type PathItem = { readonly servers?: readonly Server[] } & { readonly [M in Method]?: Operation };

interface EventItem {
  readonly post: {
    readonly summary: string;
    readonly requestBody: { readonly content: Readonly<Record<string, Media>> };
  };
}

export interface Document {
  readonly info: { readonly title: string; readonly description: string; readonly 'x-service-version'?: string };
  readonly servers: readonly Server[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, EventItem>>;
}

/** An operation and its address. */
export interface OperationEntry {
  readonly kind: 'operation';
  readonly id: string;
  readonly tag: string;
  readonly title: string;
  readonly method: string;
  /** With the first segments, as `/v1/devices/{id}`. */
  readonly path: string;
  /** The address before `path`, for programs elsewhere; empty if it is not configured. */
  readonly origin: string;
  readonly operation: Operation;
}

/** A kind of event that is posted to webhooks. */
export interface EventEntry {
  readonly kind: 'event';
  readonly id: string;
  readonly title: string;
  readonly content: Media;
}

export interface GuideEntry {
  readonly kind: 'guide';
  readonly id: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}

export type Entry = OperationEntry | EventEntry | GuideEntry;

const isReference = (node: object): node is Reference => '$ref' in node && typeof node.$ref === 'string';

/** The node, or the component that it refers to. */
export const resolve = <T extends object>(document: Document, node: T | Reference): T => {
  if (!isReference(node)) return node;
  const names = node.$ref.slice(2).split('/');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test of the service follows every reference
  return names.reduce<unknown>((at, name) => Reflect.get(at as object, name), document) as T;
};

/** Host and path prefix of a server's URL, which may be only a path. */
const split = (url: string): readonly [origin: string, prefix: string] => {
  const [origin = ''] = /^https?:\/\/[^/]+/.exec(url) ?? [];
  return [origin, url.slice(origin.length).replace(/\/$/, '')];
};

export const entriesOf = (document: Document): readonly (OperationEntry | EventEntry)[] => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) => {
    const [origin, prefix] = split((item.servers ?? document.servers)[0]?.url ?? '');
    return methods.flatMap((method): readonly OperationEntry[] => {
      const operation = item[method];
      if (operation === undefined) return [];
      const { operationId: id, tags, summary: title } = operation;
      const tag = tags[0] ?? '';
      return [
        { kind: 'operation', id, tag, title, method: method.toUpperCase(), path: prefix + path, origin, operation },
      ];
    });
  });
  const events = Object.entries(document.webhooks).map(([id, { post }]): EventEntry => {
    return { kind: 'event', id, title: post.summary, content: post.requestBody.content['application/json'] ?? {} };
  });
  return [...operations, ...events];
};

export const parametersOf = (document: Document, { parameters = [] }: Operation): readonly Parameter[] =>
  parameters.map((parameter) => resolve(document, parameter));

/** The successful response of an operation. */
export const successOf = (document: Document, { responses }: Operation): Response => {
  const code = Object.keys(responses).find((one) => one.startsWith('2'));
  return code === undefined ? { description: '' } : resolve(document, responses[code] ?? { description: '' });
};

/** The type in words. */
export const typeOf = (document: Document, given: Schema): string => {
  const schema = resolve(document, given);
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((one) => typeOf(document, one)))].join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = [schema.type ?? 'any'].flat();
  const items = schema.items === undefined ? '' : ` of ${typeOf(document, schema.items)}`;
  return types.map((type) => (type === 'array' ? `array${items}` : type)).join(' or ');
};

export interface FieldRow {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

const deepest = 3;

/** The members of a schema, with nested members below them. */
export const fieldsOf = (document: Document, given: Schema, prefix = '', depth = 0): readonly FieldRow[] => {
  const schema = resolve(document, given);
  if (schema.anyOf !== undefined) {
    const all = schema.anyOf.flatMap((one) => fieldsOf(document, one, prefix, depth));
    return [...new Map(all.map((row) => [`${row.name} ${row.type}`, row])).values()];
  }
  if (schema.items !== undefined) return fieldsOf(document, schema.items, `${prefix}[]`, depth);
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const { description = '' } = resolve(document, member);
    const required = schema.required?.includes(name) === true;
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const row = { name: path, type: typeOf(document, member), required, description };
    return depth === deepest ? [row] : [row, ...fieldsOf(document, member, path, depth + 1)];
  });
};
