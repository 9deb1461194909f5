/** Files for several nodes: the compose file and the Helm chart fit the service and each other. `docker compose` and `helm` check them in CI. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { parseYaml } from '@redocly/openapi-core';
import { readConfig, version } from '../../src/config.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const chart = join(root, 'charts', 'handset');
const known = textOf('docs/configuration.md');
const settingsIn = (text: string): readonly string[] => text.match(/HANDSET_[A-Z_]+[A-Z]/g) ?? [];

/** A value of the compose file with its variables: those that must be set are. */
const filled = (value: string): string =>
  value.replaceAll(/\$\{\w+:\?\}/g, 'x'.repeat(40)).replaceAll(/\$\{\w+:-\}/g, '');

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly image: string;
  readonly ports?: readonly string[];
}

test('the compose file for several nodes gives each its address and folder, and all the same database and secret', () => {
  const { services, volumes } = parseYaml(textOf('compose.cluster.yaml')) as {
    services: Record<string, Service>;
    volumes: Record<string, null>;
  };
  const nodes = Object.entries(services).filter(([, { environment }]) => environment?.['HANDSET_NODE_URL']);
  assert.equal(nodes.length, 2);
  for (const [name, node] of nodes) {
    const { HANDSET_NODE_URL: address, ...others } = node.environment!;
    assert.equal(address, `http://${name}:8080`);
    assert.deepEqual([node.read_only, node.cap_drop], [true, ['ALL']], name);
    assert.ok(others['HANDSET_SECRET'] && others['HANDSET_DATABASE_URL']?.includes('@postgres/'), name);
    const given = Object.entries(node.environment!).map(([key, value]) => [key, filled(value)]);
    const config = readConfig({ HANDSET_HOST: '0.0.0.0', ...Object.fromEntries(given) });
    assert.deepEqual([config.nodeUrl, config.network, config.publicUrl], [address, null, null]);
    assert.match(config.databaseUrl ?? '', /^postgres:\/\/handset:x{40}@postgres\/handset$/);
    const [volume] = node.volumes!;
    assert.equal(volume, `${name}:/data`);
    assert.ok(Object.hasOwn(volumes, name));
  }
  const [first, second] = nodes.map(([, { environment }]) => ({ ...environment, HANDSET_NODE_URL: '' }));
  assert.deepEqual(first, second);
  const published = Object.values(services).flatMap(({ ports = [] }) => ports);
  assert.deepEqual(published, ['127.0.0.1:8080:8080'], 'only the proxy, on this machine');
  for (const { image } of Object.values(services)) assert.doesNotMatch(image, /:latest$/);
});

test('the files for several nodes name settings that exist, and the chart has the version of the release', () => {
  const files = globSync('**/*.{yaml,tpl,txt}', { cwd: chart }).map((path) => readFileSync(join(chart, path), 'utf8'));
  assert.ok(files.length > 6);
  for (const name of [...settingsIn(textOf('compose.cluster.yaml')), ...files.flatMap(settingsIn)]) {
    assert.ok(known.includes(`\`${name}\``), name);
  }
  // Or Kubernetes sets HANDSET_PORT to the address of the Service of this name, and no node starts.
  assert.match(textOf('charts/handset/templates/nodes.yaml'), /^ {6}enableServiceLinks: false$/m);
  const about = parseYaml(textOf('charts/handset/Chart.yaml')) as { version: string; appVersion: string };
  assert.deepEqual([about.version, about.appVersion], [version, version]);
});

test('the Ingress of the chart sends the page and the interface of users out, and nothing of the operator', () => {
  interface Path {
    readonly path: string;
    readonly pathType: string;
  }
  const values = parseYaml(textOf('charts/handset/values.yaml')) as { ingress: { paths: readonly Path[] } };
  const template = textOf('charts/handset/templates/ingress.yaml');
  assert.match(template, /range \.Values\.ingress\.paths/);
  assert.deepEqual(
    [...template.matchAll(/^ +- path: (.+)$/gm)].map(([, path]) => path),
    ['{{ .path }}'],
  );
  // As the API of Kubernetes defines Exact and Prefix: by whole elements of the path.
  const isServed = (url: string): boolean =>
    values.ingress.paths.some(({ path, pathType }) =>
      pathType === 'Exact' ? url === path : `${url}/`.startsWith(`${path.replace(/\/$/, '')}/`),
    );
  const outside = [
    '/',
    '/docs',
    '/openapi.json',
    '/passkey-extension.zip',
    '/mcp',
    '/assets/index.js',
    '/v1/devices/1',
  ];
  for (const url of outside) assert.ok(isServed(url), url);
  const inside = ['/admin/v1/users', '/metrics', '/health/live', '/health/ready', '/internal/v1/node', '/sandbox'];
  for (const url of inside) assert.ok(!isServed(url), url);
});

const helm = spawnSync('helm', ['version', '--short']);
const skip = helm.status === 0 ? false : 'there is no helm';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly replicas?: number };
}

const rendered = async (...sets: readonly string[]): Promise<readonly Manifest[]> => {
  const args = ['template', 'handset', chart, ...sets.flatMap((set) => ['--set', set])];
  const { stdout } = await run('helm', args);
  return stdout.split(/^---$/m).flatMap((part) => (parseYaml(part) as Manifest | null) ?? []);
};

test('a node of the chart that is alone has settings that the service takes', () => {
  const config = readConfig({
    HANDSET_HOST: '0.0.0.0',
    HANDSET_SECRET: 'x'.repeat(44),
    HANDSET_NODE_URL: 'http://a:8080',
  });
  assert.equal(config.databaseUrl, null);
});

test('helm: the chart is linted, and renders with a PostgreSQL, with another one and with none', { skip }, async () => {
  await run('helm', ['lint', '--strict', chart]);
  const kinds = async (...sets: readonly string[]): Promise<readonly string[]> =>
    (await rendered(...sets)).map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
  const nodes = ['Secret handset', 'Service handset', 'Service handset-nodes', 'StatefulSet handset'];
  const database = ['Service handset-postgresql', 'StatefulSet handset-postgresql'];
  const several = [...nodes, 'PodDisruptionBudget handset'];
  assert.deepEqual(await kinds(), [...several, ...database].sort());
  const elsewhere = ['postgresql.enabled=false', 'database.url=postgres://db/handset', 'ingress.enabled=true'];
  assert.deepEqual(await kinds(...elsewhere), [...several, 'Ingress handset'].sort());
  assert.deepEqual(await kinds('postgresql.enabled=false', 'replicas=1'), nodes);
  await assert.rejects(rendered('postgresql.enabled=false'), /several nodes need a PostgreSQL/);
});
