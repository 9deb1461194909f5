/** docs/sandbox.md names every control there is: what is not written down, nobody finds. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { phonesOf } from '../../support/phones.ts';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';

const root = join(import.meta.dirname, '../../..');
const docs = readFileSync(join(root, 'docs', 'sandbox.md'), 'utf8');

/** The paths of a file of routes, as they stand there. */
const routesIn = async (name: string): Promise<string[]> => {
  const source = await readFile(join(root, 'sandbox', 'src', 'control', name), 'utf8');
  return [...source.matchAll(/'((?:GET|POST|PUT|PATCH|DELETE) \/\S*)'/g)].map(([, route]) => route!);
};

/** As the document writes it: what is done to one message shares a prefix. */
const isNamed = (route: string): boolean => {
  const short = route.replace('/phones/{number}/messages/{id}/', '…/{id}/');
  return [route, short, short.replace('{id}/', '')].some((form) => docs.includes(form));
};

test('every call is described', async () => {
  const files = [
    'app-state-routes.ts',
    'group-routes.ts',
    'message-routes.ts',
    'network-routes.ts',
    'phone-routes.ts',
    'profile-routes.ts',
  ];
  const routes = (await Promise.all(files.map(routesIn))).flat();
  assert.ok(routes.length > 25, `only ${routes.length} routes were found`);
  const missing = routes.filter((route) => route !== 'GET /' && !isNamed(route));
  assert.deepEqual(missing, []);
});

test('every fault and every part of a behaviour is described', async () => {
  const sandbox = await startSandbox();
  try {
    const phones = phonesOf(sandbox.controlUrl);
    const { faults } = await phones.request<{ faults: object }>('PUT', '/faults', {});
    const { phone } = await phones.request<{ phone: { behaviour: object } }>('POST', '/phones', {
      number: '491510001',
    });
    const names = [...Object.keys(faults), ...Object.keys(phone.behaviour), ...Object.keys(phone)];
    assert.ok(names.includes('latencyMs') && names.includes('blockedBy'));
    assert.deepEqual(
      names.filter((name) => !new RegExp(`\\b${name}\\b`).test(docs)),
      [],
    );
  } finally {
    await sandbox.close();
  }
});
