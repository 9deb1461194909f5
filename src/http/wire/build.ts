/** Builders of schemas. `errorMessage` is the rule as a 400 states it after the member's name; OpenAPI leaves it out. */
import { Type, type TSchema, type TSchemaOptions } from 'typebox';
import { invalidRequest } from '../../errors.ts';

const rule = 'must be an RFC 3339 timestamp, like 2026-07-28T09:30:00Z';
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const timestampMember = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 64, description, errorMessage: rule });

/** Milliseconds. Throws InvalidRequest naming the member. */
export const parseTimestamp = (member: string, text: string): number => {
  const time = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  // A time after the year 9999 has no RFC 3339 form.
  if (Number.isNaN(time) || time > latest) throw invalidRequest(`${member} ${rule}`);
  return time;
};

export interface Rule extends TSchemaOptions {
  /** "must be 8 to 15 digits" */
  readonly errorMessage?: string;
}

export const oneOf = <const T extends readonly string[]>(values: T, options: Rule = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });

/** PostgreSQL has no U+0000 in a text. */
export const nameText = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[^\\u0000]+$',
    description: `${description}, 1 to 100 characters`,
    errorMessage: 'must be a string of 1 to 100 characters, none of them U+0000',
  });

export const flag = (description: string) => Type.Boolean({ description, errorMessage: 'must be true or false' });

/** A type list serialises faster than a union. */
export const nullableText = (options: Rule & { readonly format?: string } = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

export const nullableInteger = (options: Rule = {}) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options });

export const nullableNumber = (options: Rule = {}) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], ...options });

export const timestamp = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-07-28T09:30:00.000Z'] });

export const nullableTimestamp = (description: string) => nullableText({ format: 'date-time', description });

/** An object or null. */
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A request body or query: no other members. */
export const members = <T extends Record<string, TSchema>>(properties: T, options: TSchemaOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** docs/spec/http-interface.md, Status envelope. */
export const StatusSchema = Type.Object(
  {
    code: Type.Integer({ description: 'Equal to the HTTP status code', examples: [200] }),
    message: Type.String(),
  },
  { title: 'Status' },
);

export const ok = (message: string): { readonly code: 200; readonly message: string } => ({ code: 200, message });

export const accepted = (message: string): { readonly code: 202; readonly message: string } => ({ code: 202, message });

/** A success body: members beside the envelope. */
export const answer = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object({ ...properties, status: StatusSchema });
