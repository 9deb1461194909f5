/** Settings: each bad value is refused by an error that names its variable (docs/configuration.md). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readClientConfig, readConfig } from '../src/config.ts';

const root = join(import.meta.dirname, '..');

test('the defaults are the documented ones', () => {
  const config = readConfig({});
  assert.equal(config.port, 8080);
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.rateLimit, 100);
  assert.equal(config.requestTimeoutMs, 30_000);
  assert.equal(config.allowPrivateUrls, false);
  assert.equal(config.network, null);
});

test('a client version is pinned as the network writes it, or by its revision', () => {
  assert.equal(readConfig({}).clientRevision, null);
  assert.equal(readConfig({ HANDSET_CLIENT_VERSION: '2.3000.1043857760' }).clientRevision, 1_043_857_760);
  assert.equal(readConfig({ HANDSET_CLIENT_VERSION: '1043857760' }).clientRevision, 1_043_857_760);
});

for (const [name, value] of [
  ['HANDSET_PORT', 'eighty'],
  ['HANDSET_PORT', '65536'],
  ['HANDSET_PORT', '-1'],
  ['HANDSET_NETWORK', 'ftp://127.0.0.1/sandbox'],
  ['HANDSET_NETWORK', 'somewhere'],
  ['HANDSET_PUBLIC_URL', 'handset.example'],
  ['HANDSET_RATE_LIMIT', '0'],
  ['HANDSET_RATE_LIMIT', '1e3'],
  ['HANDSET_REQUEST_TIMEOUT', '0.5'],
  ['HANDSET_ALLOW_PRIVATE_URLS', 'maybe'],
  ['HANDSET_BOOTSTRAP_KEY', 'secret'],
  ['HANDSET_LOG_LEVEL', 'loud'],
  ['HANDSET_CLIENT_VERSION', '2.3000'],
  ['HANDSET_CLIENT_VERSION', '2.2413.1043857760'],
  ['HANDSET_CLIENT_VERSION', '104385776'],
  ['HANDSET_CLIENT_VERSION', '4294967296'],
  ['HANDSET_CLIENT_VERSION', 'latest'],
  ['HANDSET_EVENT_RETENTION_DAYS', '0'],
] as const) {
  test(`${name}=${value} is refused`, () => {
    assert.throws(() => readConfig({ [name]: value }), new RegExp(`^Error: ${name} must be`));
  });
}

for (const [name, value, why] of [
  ['HANDSET_PUBLIC_URL', '"https://example.com"', 'quotation marks'],
  ['HANDSET_SECRET', "'secret'", 'quotation marks'],
  ['HANDSET_LOG_LEVEL', 'info\r', 'line break'],
  ['HANDSET_DATA_DIR', '~/handset', '~'],
] as const) {
  test(`${name} with ${why} is refused in words, and its value is not told`, () => {
    for (const read of [readConfig, readClientConfig]) {
      assert.throws(
        () => read({ [name]: value }),
        ({ message }: Error) => message.startsWith(`${name} `) && message.includes(why) && !message.includes(value),
      );
    }
  });
}

test('every variable that is read is documented, and every documented one is read', () => {
  const names = (path: string): string[] => [
    ...new Set(readFileSync(join(root, path), 'utf8').match(/HANDSET_[A-Z_]+[A-Z]/g)),
  ];
  const documented = names('docs/configuration.md').sort();
  assert.deepEqual(names('src/config.ts').sort(), documented);
  assert.deepEqual(
    names('src/cli/service.ts')
      .filter((name) => !/^HANDSET_(?:SERVICE|PORT)_/.test(name))
      .sort(),
    documented,
  );
});
