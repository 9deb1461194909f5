/** Tools of one request each, from the contract (`tool` of an operation). */
import type { TSchema } from 'typebox';
import type { Declaration, ToolOf } from '../contract/operation.ts';
import { operations } from '../contract/operations/all.ts';
import { briefOf, isObject, type Json } from './forms.ts';
import { acts, destroys, pageOf, reads, request, sets, type Tool } from './tool.ts';

/** The parts of a schema that a model needs, as it pays per token; the service explains the rest in its errors. */
const kept: ReadonlySet<string> = new Set(['type', 'const', 'maximum']);
const maxDescription = 44;
/** Explained once, in the instructions of the server. */
const explained: ReadonlySet<string> = new Set(['cursor', 'quotedMessageId']);
/** Longer lists stand only in a handwritten tool: the kinds of events. */
const maxChoices = 12;

const membersOf = (schema: unknown): Json =>
  isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};

const requiredOf = (schema: unknown): readonly unknown[] =>
  isObject(schema) && Array.isArray(schema['required']) ? schema['required'] : [];

const wordsOf = (name: string, { description }: Json): Json => {
  const words = typeof description === 'string' ? description.replaceAll('`', '') : '';
  return words === '' || words.length > maxDescription || explained.has(name) ? {} : { description: words };
};

const short = (name: string, schema: unknown): unknown => {
  if (!isObject(schema)) return schema;
  const { items, anyOf, properties, enum: choices } = schema;
  const named = Object.entries(membersOf(schema)).map(([inner, member]) => [inner, short(inner, member)]);
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => kept.has(keyword))),
    ...(isObject(items) && { items: short(name, { ...items, description: undefined }) }),
    ...(Array.isArray(choices) && choices.length <= maxChoices && { enum: choices }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map((one) => short(name, one)) }),
    ...(isObject(properties) && { properties: Object.fromEntries(named) }),
    ...(requiredOf(schema).length > 0 && { required: requiredOf(schema) }),
    ...wordsOf(name, schema),
  };
};

/** Members of a recipient, which a tool takes as one: `recipientOf`. */
const recipients: ReadonlySet<string> = new Set(['to', 'toNumber', 'toUsername', 'usernameKey']);

const text = { type: 'string' };
const whole = { type: 'integer' };
/** Rows of a page, as the instructions of the server say. */
const usualLimit = 20;
const maxLimit = 100;
const page = { limit: whole, cursor: text };

/** The member with a list that the service returns whole; the tool pages through it. */
const wholeListOf = ({ method, query, answer }: Declaration): string | undefined => {
  const { status: _, ...members } = membersOf(answer);
  const [[name, list] = [], ...others] = Object.entries(members);
  const isWhole = method === 'GET' && query === undefined && others.length === 0;
  return isWhole && isObject(list) && list['type'] === 'array' ? name : undefined;
};

const devicePath = '/devices/{id}';
const paths: ReadonlySet<string> = new Set(operations.map(({ method, path }) => `${method} ${path}`));

const inputOf = (operation: Declaration, { takes }: ToolOf): Json => {
  const { method, path, query, body, headers = {} } = operation;
  const isTaken = (name: string): boolean => takes?.includes(name) ?? true;
  const taken = [query, body?.schema].flatMap((schema: TSchema | undefined) =>
    Object.entries(membersOf(schema)).filter(([name]) => isTaken(name)),
  );
  const sends = taken.some(([name]) => name === 'to');
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const isForAll = paths.has(`${method} ${path.replace(devicePath, '')}`);
  const properties = {
    ...Object.fromEntries(
      inPath.map((name) => (name === 'id' ? ['device', whole] : [name, name === 'serverId' ? whole : text])),
    ),
    ...(sends && { to: text }),
    ...Object.fromEntries(
      taken.filter(([name]) => !recipients.has(name)).map(([name, member]) => [name, short(name, member)]),
    ),
    ...(taken.some(([name]) => name === 'limit') && { limit: page.limit }),
    ...(wholeListOf(operation) !== undefined && page),
    ...(method === 'POST' && 'Idempotency-Key' in headers && { idempotencyKey: text }),
  };
  const required = [
    ...inPath.filter((name) => name !== 'id' || !isForAll).map((name) => (name === 'id' ? 'device' : name)),
    ...(sends ? ['to'] : []),
    ...[query, body?.schema].flatMap(requiredOf).filter((name) => typeof name === 'string' && name in properties),
  ];
  return { type: 'object', properties, required: [...new Set(required)] };
};

const typeOf = (schema: unknown): Json => {
  const type = isObject(schema) ? schema['type'] : undefined;
  return typeof type === 'string' ? { type } : {};
};

const outputOf = (operation: Declaration): Json => {
  const { status, ...members } = membersOf(operation.answer);
  const named = Object.keys(members).length === 0 ? { status } : members;
  const properties = Object.fromEntries(Object.entries(named).map(([name, member]) => [name, typeOf(member)]));
  return {
    type: 'object',
    properties: { ...properties, ...(wholeListOf(operation) !== undefined && { nextCursor: {} }) },
  };
};

const hintsOf = ({ effect, method }: Declaration, tool: ToolOf): Tool['hints'] => {
  if (effect === 'reads' || tool.reads === true) return reads;
  if (effect === 'destroys') return destroys;
  return effect === 'sends' || method === 'POST' ? acts : sets;
};

const cursorOf = (item: unknown): string => {
  if (!isObject(item)) return String(item);
  const { id, jid, person } = item;
  return String(id ?? jid ?? person);
};

const limitIn = (given: object): number =>
  'limit' in given && typeof given.limit === 'number' ? given.limit : usualLimit;

const toolOf = (operation: Declaration, tool: ToolOf): Tool => {
  const { method, path, summary, action } = operation;
  const input = inputOf(operation, tool);
  const members = membersOf(input);
  const call = `${method} ${path.replace('{id}', '{device}')}`;
  const list = wholeListOf(operation);
  return {
    name: tool.name,
    title: summary,
    description: tool.description ?? `${summary}.`,
    action: action === 'any' || action === 'operator' ? 'read' : action,
    hints: hintsOf(operation, tool),
    input,
    output: outputOf(operation),
    run: async (client, given) => {
      const asked: Json = 'limit' in members ? { ...given, limit: Math.min(limitIn(given), maxLimit) } : { ...given };
      const wanted = Object.fromEntries(Object.keys(members).map((name) => [name, asked[name]]));
      if (list === undefined) return briefOf(await request(client, call, wanted));
      const { limit, cursor, ...rest } = wanted;
      const answer = briefOf(await request<Json>(client, call, rest));
      const all: unknown = answer[list];
      const { items, nextCursor } = pageOf(Array.isArray(all) ? all : [], cursorOf, {
        limit: Number(limit),
        ...(typeof cursor === 'string' && { cursor }),
      });
      return { [list]: items, nextCursor };
    },
  };
};

/** Areas are the tags of the reference, except people, whom it lists under chats and account. */
const areaOf = ({ path, tag }: Declaration): string => {
  if (/\/(?:contacts|profile|suppressions)\b/.test(path)) return 'people';
  return tag === 'Account' ? 'devices' : tag.toLowerCase();
};

export const declaredTools = (area: string): readonly Tool[] =>
  operations.flatMap((operation) =>
    operation.tool !== undefined && areaOf(operation) === area ? [toolOf(operation, operation.tool)] : [],
  );
