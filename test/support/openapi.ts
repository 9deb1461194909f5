/** Validates values against the OpenAPI document by another validator than the service's own. */
import { createRequire } from 'node:module';
import type { Ajv2020 as Ajv } from 'ajv/dist/2020.js';

type Json = Record<string, unknown>;

// CommonJS packages whose types and exports disagree about `default`.
const require = createRequire(import.meta.url);
const { Ajv2020 } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv };
const formats = (require('ajv-formats') as { default: (ajv: Ajv) => void }).default;

/** Forbids additional properties at every level, so that undocumented fields fail. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  return copy.type === 'object' && 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
};

const escaped = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

/** `pointer`: names down to the media type with the `schema`. */
export const closedSchemas = (document: Json) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats(ajv);
  ajv.addSchema(closed(document) as Json, 'openapi');
  return {
    errors(pointer: readonly string[], value: unknown): readonly string[] {
      const check = ajv.getSchema(`openapi#/${[...pointer, 'schema'].map(escaped).join('/')}`);
      if (check === undefined) throw new Error(`There is no schema at ${pointer.join(' ')}`);
      if (check(value) === true) return [];
      return (check.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    },
  };
};
