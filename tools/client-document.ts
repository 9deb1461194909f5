/** The document that both clients are generated from, without what does not affect them. */
import { openApiDocument } from '../src/http/openapi/openapi.ts';
import { operations } from '../src/contract/operations/all.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly description?: string;
}

/** A parameter of an operation stands there, or is named. */
export type GivenParameter = Parameter | { readonly $ref: string };

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Header {
  readonly $ref?: string;
  readonly schema?: Schema;
  readonly description?: string;
}

export interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly GivenParameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

/** Operations by path and method, or by the kind of an event. */
export type Places = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export interface Document {
  readonly paths: Places;
  readonly webhooks: Places;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
  };
}

/** The last part of a reference. */
export const lastOf = (ref: string): string => ref.split('/').at(-1)!;

/** The parameters of an operation, those that are named too. */
export const parametersOf = ({ parameters = [] }: Operation, { components }: Document): readonly Parameter[] =>
  parameters.map((one) => ('$ref' in one ? components.parameters[lastOf(one.$ref)]! : one));

type Listed = readonly [method: string, path: string, query: readonly string[], hasBody: boolean];

/** A stream, a document, a body whose `id` is not the device's, and a file upload: these have calls of their own, or are called by path. */
const apart = new Set(['streamEvents', 'getOpenApi', 'respondToPasskey', 'uploadFile']);

/** Method, path, query names and whether there is a body, for each operation with a single response. */
export const operationTable = (): Readonly<Record<string, Listed>> =>
  Object.fromEntries(
    operations
      .filter(({ id }) => !apart.has(id))
      .map(({ id, method, path, query, body }): [string, Listed] => {
        const properties: unknown = query === undefined ? {} : Reflect.get(query, 'properties');
        return [id, [method, path, Object.keys(properties ?? {}), body !== undefined]];
      }),
  );

/** Examples do not affect types, and change with every recording; the client reads the event stream itself. */
const forTypes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(forTypes);
  if (typeof value !== 'object' || value === null) return value;
  const json = 'application/json' in value;
  const kept = Object.entries(value).filter(
    ([name]) => name !== 'example' && name !== 'examples' && !(json && name === 'text/event-stream'),
  );
  return Object.fromEntries(kept.map(([name, part]) => [name, forTypes(part)]));
};

export const typedDocument = (): Document => {
  const options = { rateLimit: 100, requestTimeoutMs: 1, publicUrl: null, sandboxControlUrl: null, version: '' };
  return JSON.parse(JSON.stringify(forTypes(openApiDocument(operations, [], options)))) as Document;
};

/** Operations by the names that the client libraries give them: `labels`, `create`. */
export const resources = (): Readonly<Record<string, Readonly<Record<string, string>>>> => {
  const named = operations.flatMap(({ id, client }) => (client ? [{ id, names: client.split('.') }] : []));
  return Object.fromEntries(
    Object.entries(Object.groupBy(named, ({ names: [resource] }) => resource!)).map(([resource, methods = []]) => [
      resource,
      Object.fromEntries(methods.map(({ id, names: [, method] }) => [method!, id])),
    ]),
  );
};
