/** Schemas and examples as the OpenAPI document shows them. */
import type { TSchema } from 'typebox';
import recorded from './examples.json' with { type: 'json' };

export type Json = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is TSchema => typeof value === 'object' && value !== null;

/** Titled schemas become components; internal keywords are removed. */
export class SchemaBook {
  readonly #components = new Map<string, Json>();

  use(schema: TSchema): Json {
    const { title } = schema as { readonly title?: string };
    if (title === undefined) return this.#plain(schema);
    if (!this.#components.has(title)) {
      // Entered first, so that a recursive schema ends in a reference.
      this.#components.set(title, {});
      this.#components.set(title, this.#plain(schema));
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  get components(): Json {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => a.localeCompare(b)));
  }

  #plain(schema: TSchema): Json {
    const entries = Object.entries(schema).filter(([keyword]) => keyword !== 'errorMessage');
    return Object.fromEntries(entries.map(([keyword, value]) => [keyword, this.#value(keyword, value)]));
  }

  #value(keyword: string, value: unknown): unknown {
    if (keyword === 'properties' && isSchema(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.#part(part)]));
    }
    if (keyword === 'items') return this.#part(value);
    return keyword === 'anyOf' && Array.isArray(value) ? value.map((part) => this.#part(part)) : value;
  }

  #part(value: unknown): unknown {
    return isSchema(value) ? this.use(value) : value;
  }
}

const answers: Json = recorded.answers;
const webhooks: Readonly<Record<string, Json>> = recorded.webhooks;

export const answerExample = (operationId: string): Json =>
  Object.hasOwn(answers, operationId) ? { example: answers[operationId] } : {};

export const webhookExamples = (kind: string): Json => {
  const named = Object.entries(webhooks[kind] ?? {}).map(([name, value]) => [name, { value }]);
  return named.length === 0 ? {} : { examples: Object.fromEntries(named) };
};
