/** Schema builders. `errorMessage` is the rule a 400 states after the member's name; OpenAPI leaves it out. */
import { Type, type TSchemaOptions, type TSchema } from 'typebox';
import { isVisible } from '../domain/visible.ts';

export const rule = 'must be an RFC 3339 timestamp, like 2026-07-28T09:30:00Z';

export const timestampMember = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 64, description, errorMessage: rule });

export interface Rule extends TSchemaOptions {
  /** "must be 8 to 15 digits" */
  readonly errorMessage?: string;
  readonly pattern?: string;
}

export const oneOf = <const T extends readonly string[]>(values: T, options: Rule = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });

/** 65536 as `65,536`; below a million. `toLocaleString` would load the data of all languages, 20 to 50 ms of each start. */
export const inThousands = (count: number): string => String(count).replace(/\B(?=\d{3}$)/, ',');

const visibleRule = (maxLength: number): string =>
  `must be a string of 1 to ${inThousands(maxLength)} characters, at least one of them visible`;

/** The length is checked first. */
export const visibleText = (maxLength: number, options: Rule = {}) =>
  Type.Refine(
    Type.String({ minLength: 1, maxLength, pattern: '\\S', errorMessage: visibleRule(maxLength), ...options }),
    isVisible,
  );

/** PostgreSQL's text type cannot hold U+0000. */
const nameRule = (maxLength: number) => ({
  minLength: 1,
  maxLength,
  pattern: '^\\s*[^\\s\\u0000][^\\u0000]*$',
  errorMessage: `${visibleRule(maxLength)}, and none U+0000`,
});

export const visibleName = (maxLength: number, options: Rule = {}) =>
  visibleText(maxLength, { ...nameRule(maxLength), ...options });

export const nameText = (description: string) =>
  visibleName(100, { description: `${description}, 1 to 100 characters, at least one of them visible` });

export const flag = (description: string) => Type.Boolean({ description, errorMessage: 'must be true or false' });

/** A type list serializes faster than a union. */
export const nullableText = (options: Rule & { readonly format?: string } = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

export const nullableName = (maxLength: number, options: Rule = {}) =>
  Type.Refine(
    nullableText({ ...nameRule(maxLength), errorMessage: `${visibleRule(maxLength)}, or null`, ...options }),
    (name) => name === null || isVisible(name),
  );

export const nullableInteger = (options: Rule = {}) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options });

export const nullableNumber = (options: Rule = {}) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], ...options });

export const timestamp = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-07-28T09:30:00.000Z'] });

export const nullableTimestamp = (description: string) => nullableText({ format: 'date-time', description });

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

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

/** A success body: members beside the envelope. */
export const answer = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object({ ...properties, status: StatusSchema });

interface Members {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly Members[];
}

/** Names of the members of a body or query, over all its variants. */
export const membersOf = ({ properties = {}, anyOf = [] }: Members = {}): readonly string[] => [
  ...Object.keys(properties),
  ...anyOf.flatMap(membersOf),
];
