/** Generates values that fit a schema of the OpenAPI document, and values that nearly do. */
import * as fc from 'fast-check';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export type Resolve = (schema: Schema) => Schema;

/** Meaningful values in this setup by field name: an existing number, a picture. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

const textOf = (schema: Schema): fc.Arbitrary<string> => {
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  if (schema.format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  const maxLength = Math.min(schema.maxLength ?? 40, 200);
  return fc.string({ minLength: schema.minLength ?? 0, maxLength, unit: 'grapheme' });
};

const ofType = (type: string, schema: Schema, resolve: Resolve, known: Known): fc.Arbitrary<unknown> => {
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number') {
    return fc.integer({ min: schema.minimum ?? -5, max: schema.maximum ?? 2_000_000 });
  }
  if (type === 'string') return textOf(schema);
  if (type === 'array') return fc.array(fitting(schema.items ?? {}, resolve, known), { maxLength: 5 });
  const members = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => [name, named(name, member, resolve, known)] as const,
  );
  return fc.record(Object.fromEntries(members), { requiredKeys: [...(schema.required ?? [])] });
};

/** Values allowed by the schema. */
export const fitting = (given: Schema, resolve: Resolve, known: Known): fc.Arbitrary<unknown> => {
  const schema = resolve(given);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((part) => fitting(part, resolve, known)));
  const types = [schema.type ?? 'object'].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, resolve, known)));
};

/** Like `fitting`, but usually a meaningful value. */
export const named = (name: string, schema: Schema, resolve: Resolve, known: Known): fc.Arbitrary<unknown> => {
  const any = fitting(schema, resolve, known);
  const values = known[name];
  return values === undefined
    ? any
    : fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: any });
};

const odd: readonly unknown[] = [null, '', 0, -1, true, [], {}, [null], 'x'.repeat(3000), '\u0000', '🦜', 1e300];

/** One field is wrong, missing or unknown; or the body is not a JSON object at all. */
export const spoilt = (body: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(body, fc.nat(), fc.constantFrom(...odd)).map(([value, at, with_]) => {
        const members = { ...(value as Record<string, unknown>) };
        const names = Object.keys(members);
        members[names[at % Math.max(names.length, 1)] ?? 'more'] = with_;
        return JSON.stringify(members);
      }),
    },
    { weight: 1, arbitrary: body.map((value) => JSON.stringify({ ...(value as object), unknownMember: 1 })) },
    { weight: 1, arbitrary: fc.constantFrom('', '{', '[]', 'null', '"text"', '{"a":1}{"b":2}', '\u0000') },
  );

const either = [
  ['to', 'toNumber', 'toUsername'],
  ['mediaUrl', 'mediaBase64', 'fileId'],
] as const;

/** Exactly one of several, a rule no schema states; usually obeyed. */
export const oneOfEach =
  (known: Known, names: readonly string[]) =>
  ([value, which]: [unknown, number]): unknown => {
    const members = { ...(value as Record<string, unknown>) };
    for (const [index, choices] of either.entries()) {
      const [first, second = first] = choices.filter((name) => names.includes(name) && known[name] !== undefined);
      if (first === undefined) continue;
      const keep = which & (1 << index) ? first : second!;
      for (const name of choices) if (name !== keep) delete members[name];
      members[keep] ??= known[keep]?.[0];
    }
    if (members['toUsername'] === undefined) delete members['usernameKey'];
    return members;
  };
