/** The deployment files fit the code: the image, the compose file, the unit, and the container's health check. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { version } from '../../src/config.ts';

const root = join(import.meta.dirname, '..', '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const dockerfile = textOf('Dockerfile');
const compose = textOf('compose.yaml');
const unit = textOf('deploy/handset.service');

const health = (env: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((resolve) => {
    execFile(process.execPath, [join(root, 'src/cli/health.ts')], { env: { ...process.env, ...env } }, (error) =>
      resolve(error === null ? 0 : Number(error.code)),
    );
  });

test('the image runs without root, writes to its volume only, and checks its health', () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
  assert.match(last, /\nUSER 10001:10001\n/);
  assert.match(last, /\nHEALTHCHECK [^]*health\.js/);
  assert.match(last, /\nVOLUME \/data\n/);
  assert.match(last, /HANDSET_DATA_DIR=\/data/);
  assert.doesNotMatch(dockerfile, /:latest|ADD |curl|HANDSET_SECRET=|HANDSET_ADMIN_TOKEN=/);
  for (const [, path] of last.matchAll(/\/app\/(src\/[\w./-]+\.js)/g)) assert.ok(existsSync(join(root, path!)), path);
  const { node } = (JSON.parse(textOf('package.json')) as { devDependencies: { node: string } }).devDependencies;
  assert.match(dockerfile, new RegExp(`FROM node:${/\d+/.exec(node)![0]}-`));
  const ignored = textOf('.dockerignore').split('\n');
  for (const path of ['.git', '.env', 'data', 'node_modules']) assert.ok(ignored.includes(path), path);
});

test('the compose file gives the container no more than it needs', () => {
  for (const line of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true', '"127.0.0.1:8080:8080"']) {
    assert.ok(compose.includes(line), line);
  }
  assert.ok(Number(/stop_grace_period: (\d+)s/.exec(compose)![1]) > 10, 'a graceful stop is not cut off');
});

test('the unit starts what is there, as a user of its own', () => {
  const started = /^ExecStart=\/opt\/handset\/\S+ (?:--\S+ )*\/opt\/handset\/(\S+)/m.exec(unit)![1]!;
  assert.ok(existsSync(join(root, started)), started);
  assert.match(unit, /^User=handset$/m);
  assert.match(unit, /^ProtectSystem=strict$/m);
  assert.match(unit, /^ExecReload=.*-HUP/m);
  assert.ok(Number(/TimeoutStopSec=(\d+)/.exec(unit)![1]) > 10);
});

test('the workflows run what CI runs, and publish packages that are there and not private', () => {
  assert.match(textOf('.github/workflows/ci.yml'), /^ +- run: \.ci\/run$/m);
  const release = textOf('.github/workflows/release.yml');
  assert.match(release, /^ +- run: \.ci\/run$/m);
  assert.equal((JSON.parse(textOf('package.json')) as { version: string }).version, version);
  const packages = /^ +package: \[(.*)\]$/m.exec(release)![1]!.split(', ');
  assert.ok(packages.length > 1);
  for (const folder of packages) {
    const published = JSON.parse(textOf(`${folder}/package.json`)) as { version: string; private?: boolean };
    assert.equal(published.version, version, folder);
    assert.equal(published.private, undefined, folder);
    assert.ok(release.includes(`${folder}/package.json`), 'the tag is compared with its version');
  }
  const escaped = version.replaceAll('.', '\\.');
  assert.match(textOf('CHANGELOG.md'), new RegExp(`^## \\[${escaped}\\] - `, 'm'));
  const inChart = new RegExp(`^(version|appVersion): ${escaped}$`, 'gm');
  assert.equal(textOf('charts/handset/Chart.yaml').match(inChart)?.length, 2);
  assert.match(textOf('client-python/pyproject.toml'), new RegExp(`^version = "${escaped}"$`, 'm'));
  for (const page of ['client/README.md', 'sandbox/README.md', 'docs/packages.md'])
    assert.match(textOf(page), new RegExp(`-${escaped}\\.tgz`), page);
});

test('every setting that they name exists', () => {
  const known = textOf('docs/configuration.md');
  for (const text of [dockerfile, compose, unit]) {
    for (const name of text.match(/HANDSET_[A-Z_]+[A-Z]/g) ?? []) assert.ok(known.includes(`\`${name}\``), name);
  }
});

test('the health check tells a ready service from all others', async () => {
  let code = 200;
  const server = createServer((request, response) => {
    assert.equal(request.url, '/health/ready');
    response.writeHead(code).end('{}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const env = { HANDSET_PORT: String(port), HANDSET_HOST: '0.0.0.0' };
  assert.equal(await health(env), 0);
  code = 503;
  assert.equal(await health(env), 1);
  server.close();
  server.closeAllConnections();
  assert.equal(await health(env), 1, 'nobody is there');
});
