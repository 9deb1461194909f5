/** The OpenAPI document under a strict linter, and its examples under its schemas. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { eventKinds } from '../../src/domain/event.ts';
import { openApiDocument } from '../../src/http/openapi/openapi.ts';
import type { HttpOptions } from '../../src/http/wire/services.ts';
import { adminOperations, operations } from '../../src/contract/operations/all.ts';
import { closedSchemas } from '../support/openapi.ts';

const options: HttpOptions = {
  rateLimit: 100,
  requestTimeoutMs: 30_000,
  publicUrl: null,
  sandboxControlUrl: null,
  version: '0.0.0',
};

/** OpenAPI and the router prefer a concrete path; the id of a message is never `forward` or `pin`. */
const isPreferred = (problem: string): boolean =>
  problem.startsWith('no-ambiguous-paths') && problem.includes('/messages/scheduled/{messageId}');

const complaints = async (document: unknown): Promise<readonly string[]> => {
  // All rules of `recommended`, every one an error, and the examples against their schemas.
  const rules = { 'no-invalid-media-type-examples': 'error', 'no-invalid-parameter-examples': 'error' } as const;
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
  return problems
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
    .filter((problem) => !isPreferred(problem));
};

for (const [name, admin] of [
  ['without', []],
  ['with', adminOperations],
] as const) {
  test(`the linter has no complaint about the document ${name} the operator's side`, async () => {
    assert.deepEqual(await complaints(openApiDocument(operations, admin, options)), []);
  });
}

test('the linter complains about a document with a fault', async () => {
  const document = structuredClone(openApiDocument(operations, [], options)) as {
    tags: { description?: string }[];
  };
  delete document.tags[0]!.description;
  assert.equal((await complaints(document)).length, 1);
});

interface Content {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

test('an id that answers have as a number is a number in paths, too', () => {
  const { paths } = openApiDocument(operations, adminOperations, options) as {
    paths: Record<string, Record<string, { parameters?: { name?: string; in?: string; schema: { type: string } }[] }>>;
  };
  const types = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ parameters = [] }) => parameters)
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, schema }) => `${name}: ${schema.type}`);
  for (const name of ['keyId', 'serverId', 'userId', 'deviceId']) assert.ok(types.includes(`${name}: integer`), name);
  assert.ok(!types.some((type) => /^(?:keyId|serverId|userId|deviceId): string/.test(type)));
});

test('every answer in JSON and every webhook has an example from a real run, true to its schema', () => {
  const document = openApiDocument(operations, adminOperations, options);
  const schemas = closedSchemas(document);
  const at = (pointer: readonly string[]): Content =>
    pointer.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], document) as Content;
  const admin = adminOperations.map((op) => ({ ...op, path: `/admin/v1${op.path}` }));
  for (const { id, path, method, answer, success = 200 } of [...operations, ...admin]) {
    if (answer === undefined) continue;
    const pointer = ['paths', path, method.toLowerCase(), 'responses', String(success), 'content', 'application/json'];
    const { example } = at(pointer);
    assert.ok(example !== undefined, `${id} has no example: run "npm run examples"`);
    assert.deepEqual(schemas.errors(pointer, example), [], `${id}: run "npm run examples"`);
  }
  for (const kind of [...eventKinds, 'test']) {
    const pointer = ['webhooks', kind, 'post', 'requestBody', 'content', 'application/json'];
    const values = Object.values(at(pointer).examples ?? {});
    assert.ok(values.length > 0, `${kind} has no example: run "npm run examples"`);
    for (const { value } of values) assert.deepEqual(schemas.errors(pointer, value), [], kind);
  }
});
