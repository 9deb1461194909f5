/** Checks bodies and queries against their schemas; a 400 names the member and the rule (docs/spec/http-interface.md, Errors). */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type HandsetError, invalidRequest } from '../../errors.ts';
import { nearestName } from '../../domain/nearest.ts';

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

/** The caller's text, shortened so that an error may quote it. */
const quoted = (text: string): string => JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);

const whatIsWrong = (name: string, schema: MemberSchema, value: unknown): string => {
  const kinds = schema.items?.enum;
  if (kinds !== undefined && Array.isArray(value)) {
    const unknown = value.find((item) => typeof item !== 'string' || !kinds.includes(item));
    const shown = typeof unknown === 'string' ? quoted(unknown) : 'that is not a string';
    return `${name} has an unknown event kind ${shown}; the kinds are ${kinds.join(', ')}`;
  }
  return `${name} ${schema.errorMessage ?? `must be a ${String(schema.type)}`}`;
};

const explain = (schema: ObjectSchema, value: Members, noun: string): string => {
  const known = Object.keys(schema.properties);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    return `Unknown ${noun} ${quoted(unknown)}; did you mean ${quoted(nearestName(unknown, known))}?`;
  }
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${missing} is required`;
  for (const name of known) {
    const member = schema.properties[name]!;
    if (Object.hasOwn(value, name) && !Compile(member).Check(value[name])) {
      return whatIsWrong(name, member, value[name]);
    }
  }
  return `The ${noun}s do not fit together`;
};

/** A query's values are strings; the one conversion is to a whole number, where the schema has one. */
const withNumbers = (schema: ObjectSchema, query: Members): Members =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      schema.properties[name]?.type === 'integer' && typeof value === 'string' && /^\d{1,9}$/.test(value)
        ? Number(value)
        : value,
    ]),
  );

/** All texts in a list or object. */
const isWellFormed = (value: unknown): boolean =>
  typeof value === 'string' ? value.isWellFormed() : !isMembers(value) || Object.values(value).every(isWellFormed);

export type Validated = { readonly value: unknown } | { readonly error: HandsetError };

/** Compiles a schema to the function that the framework calls with each body or query. */
export const makeValidator = (schema: TSchema, part: string | undefined): ((value: unknown) => Validated) => {
  if (!isObjectSchema(schema)) throw new Error('Bodies and queries are objects');
  // With the first value: all of them are a twentieth of a start.
  let compiled: ReturnType<typeof Compile> | null = null;
  const query = part === 'querystring';
  return (given) => {
    const members = isMembers(given) ? given : {};
    const value = query ? withNumbers(schema, members) : members;
    compiled ??= Compile(schema);
    if (!compiled.Check(value)) {
      return { error: invalidRequest(explain(schema, value, query ? 'query parameter' : 'field')) };
    }
    for (const [name, text] of Object.entries(value)) {
      // Half a surrogate pair cannot be written as UTF-8: it would go out as something else than what was asked for.
      if (typeof text === 'string' ? !text.isWellFormed() : !isWellFormed(text)) {
        return { error: invalidRequest(`${name} must be well-formed Unicode, without half surrogate pairs`) };
      }
    }
    return { value };
  };
};
