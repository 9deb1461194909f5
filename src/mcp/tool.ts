/** MCP tools: title, hints, schemas, and what each does. Those of one request are in the contract (`declared.ts`). */
import { fromJsonSchema } from '@modelcontextprotocol/server';
import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { plainNumbers } from '../domain/typed-number.ts';
import type { KeyAction } from '../domain/user.ts';
import { messageOf } from '../errors.ts';
import { type Client, idempotencyHeader, usageError } from './client.ts';
import { recipientOf } from './people.ts';

export const text = Type.String();
export const flag = Type.Boolean();
export const count = Type.Integer();
export const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] });
export const about = (description: string) => Type.String({ description });
export const choice = <const T extends readonly string[]>(...values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values] });
export const open = <T extends TProperties>(properties: T) => Type.Object(properties, { additionalProperties: true });

export const device = Type.Integer();
export const idempotencyKey = Type.Optional(text);
export const limit = (usual: number) => Type.Optional(Type.Integer({ maximum: 100, default: usual }));
export const page = { limit: limit(20), cursor: Type.Optional(text) };

/** Hints left out have the protocol's defaults: writes, destroys, may not be repeated, and reaches others (MCP, ToolAnnotations). */
export const reads: ToolAnnotations = { readOnlyHint: true };
export const acts: ToolAnnotations = { destructiveHint: false };
export const sets: ToolAnnotations = { destructiveHint: false, idempotentHint: true };
export const destroys: ToolAnnotations = { destructiveHint: true, idempotentHint: true };

export type Content = CallToolResult['content'][number];

export interface WithImage<T> {
  readonly value: T;
  readonly image: Content | null;
}

export const imageIn = (dataUrl: string | null): Content | null => {
  const [, data] = /^data:image\/png;base64,(.+)$/.exec(dataUrl ?? '') ?? [];
  return data === undefined ? null : { type: 'image', data, mimeType: 'image/png' };
};

/** Sends `PUT /chats/{chat}` with the input: members in braces in the path, the others in the query or the body. */
export const request = async <T extends object>(client: Client, call: string, given: object): Promise<T> => {
  const rest = new Map<string, unknown>(Object.entries(given));
  const take = (name: string): unknown => {
    const value = rest.get(name);
    rest.delete(name);
    return value;
  };
  const [method = '', path = ''] = call.split(' ');
  const scoped = rest.get('device') === undefined ? path.replace('/devices/{device}', '') : path;
  const key = take('idempotencyKey');
  const where = scoped.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(plain(take(name))));
  take('device');
  if (method === 'GET' || method === 'DELETE') {
    const query = new URLSearchParams();
    for (const [name, value] of rest) if (value !== undefined) query.set(name, plain(value));
    return client.call(
      method,
      query.size === 0 ? where : `${where}?${query.toString()}`,
      undefined,
      idempotencyHeader(textIn(key)),
    );
  }
  const to = textIn(take('to'));
  const body = { ...Object.fromEntries(rest), ...(to !== undefined && recipientOf(to)) };
  return client.call(method, where, Object.keys(body).length === 0 ? undefined : body, idempotencyHeader(textIn(key)));
};

/** Queries take lists separated by commas. */
const plain = (value: unknown): string => {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

interface Described {
  /** Permission a key needs; default: that of the operation `call` names, or by the hints. */
  readonly action?: KeyAction;
  /** Not for keys limited to some devices. */
  readonly allDevices?: boolean;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolAnnotations;
}

export interface Tool extends Described {
  /** JSON Schema, as `output`. */
  readonly input: object;
  readonly output: object;
  readonly run: (client: Client, given: object, context: ServerContext) => Promise<object>;
}

interface Declared<Input extends TProperties, Output extends TProperties> extends Described {
  readonly input: Input;
  /** Members given to the model; others are dropped. */
  readonly output: Output;
}

export const ownTool = <Input extends TProperties, Output extends TProperties>({
  input,
  output,
  run,
  ...described
}: Declared<Input, Output> & {
  readonly run: (client: Client, given: Static<TObject<Input>>, context: ServerContext) => Promise<object>;
}): Tool => ({
  ...described,
  input: Type.Object(input),
  output: brief(Type.Object(output)),
  run: async (client, given, context) => {
    const answer = await run(client, fitted(Type.Object(input), given), context);
    if (!isWithImage(answer)) return fitted(Type.Object(output), answer);
    return { ...answer, value: fitted(Type.Object(output), answer.value) };
  },
});

/** Applies defaults and drops unnamed members. The SDK checks the rest. */
const fitted = <T extends TSchema>(schema: T, value: unknown): Static<T> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked by the SDK against the same schema
  Value.Clean(schema, Value.Default(schema, Value.Clone(value))) as Static<T>;

/** Without `required`, which is not worth its tokens. */
const brief = (schema: TObject): object =>
  JSON.parse(
    JSON.stringify(schema, (name, value: unknown) =>
      name === 'additionalProperties' || (name === 'required' && Array.isArray(value)) ? undefined : value,
    ),
  );

const answerOf = (structuredContent: Record<string, unknown>, image: Content | null): CallToolResult => ({
  // For clients without `structuredContent`.
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }, ...(image === null ? [] : [image])],
  structuredContent,
});

const isWithImage = (answer: object): answer is WithImage<object> => 'image' in answer && 'value' in answer;

/** Compiled on first use: listing tools needs none, and all together would take a quarter of a second. */
const lazily = (schema: object): ReturnType<typeof fromJsonSchema<object>> => {
  let compiled: ReturnType<typeof fromJsonSchema<object>> | null = null;
  return {
    '~standard': {
      version: 1,
      vendor: 'handset',
      jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
      validate: (value) => (compiled ??= fromJsonSchema<object>({ ...schema }))['~standard'].validate(value),
    },
  };
};

/** Per tool, not per server: over HTTP each request has its own server. */
const schemas = new WeakMap<Tool, { readonly inputSchema: Schema; readonly outputSchema: Schema }>();
type Schema = ReturnType<typeof lazily>;

const schemasOf = (tool: Tool) => {
  const known = schemas.get(tool) ?? { inputSchema: lazily(tool.input), outputSchema: lazily(tool.output) };
  schemas.set(tool, known);
  return known;
};

/** Throws for an argument that the tool does not have: without it, the call could do more than was meant. */
const assertKnown = (known: readonly string[], given: object): void => {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const shown = JSON.stringify(unknown.slice(0, 64));
  throw usageError(`There is no argument ${shown}; the arguments are ${known.join(', ')}`);
};

export const addTool = (server: McpServer, client: Client, tool: Tool): void => {
  const { name, title, description, hints } = tool;
  const known = Object.keys(Reflect.get(tool.input, 'properties') ?? {});
  const declared = { title, description, ...schemasOf(tool), annotations: hints };
  server.registerTool(name, declared, async (given, context) => {
    try {
      assertKnown(known, given);
      const answer = await tool.run(client, plainNumbers(given), context);
      const [value, image] = isWithImage(answer) ? [answer.value, answer.image] : [answer, null];
      return answerOf({ ...value }, image);
    } catch (error) {
      const words = messageOf(error);
      // A tool takes a recipient as one argument, whichever member of the body it becomes.
      const told = known.includes('to') ? words.replaceAll(/\btoNumber\b/g, 'to') : words;
      return { isError: true, content: [{ type: 'text', text: told }] };
    }
  });
};

/** Pages through a list the service returns whole. The cursor is the key of the last item shown. */
export const pageOf = <T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  { limit: max = items.length, cursor }: { readonly limit?: number; readonly cursor?: string },
): { readonly items: readonly T[]; readonly nextCursor: string | null } => {
  const start = cursor === undefined ? 0 : items.findIndex((item) => keyOf(item) === cursor) + 1;
  const shown = items.slice(start, start + max);
  const last = shown.at(-1);
  return { items: shown, nextCursor: last === undefined || start + max >= items.length ? null : keyOf(last) };
};
