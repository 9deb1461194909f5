/** How the dashboard is served: small, strict, and not at all where it is not built; and the way to the sandbox's phones. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { allKinds as kindsOfDashboard, eventKinds as ownOfDashboard } from '../../dashboard/src/api/types.ts';
import { allKinds, eventKinds } from '../../src/domain/event.ts';
import { mountDashboard } from '../../src/http/dashboard.ts';
import { api } from '../support/api.ts';
import { withHttp } from './harness.ts';

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dashboard', 'dist');

before(() => {
  execFileSync(process.execPath, [join(root, 'dashboard', 'build.ts'), '--required'], { stdio: 'inherit' });
});

test(
  'the page and its files come under a strict policy, compressed, without a key, and ask no other host',
  withHttp(async (http) => {
    const open = api(http.url, null);
    const page = await open.get('/');
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]) {
      assert.ok(policy.includes(rule), rule);
    }
    assert.doesNotMatch(policy, /unsafe|https?:/);
    const files = [...(page.body as string).matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    assert.ok(files.length >= 3);
    assert.doesNotMatch(page.body, /<style|style=|<script(?![^>]*src)| on\w+=/);
    for (const file of files) {
      assert.match(file, /^\.\/assets\//);
      const { status, headers } = await open.get(file.slice(1));
      assert.equal(status, 200, file);
      assert.equal(headers.get('content-encoding'), 'gzip');
      assert.match(headers.get('cache-control') ?? '', /immutable/);
    }
    assert.equal((await open.call('POST', '/')).status, 405);
    assert.equal((await open.get('/assets/../../../package.json')).status, 404);
  }),
);

test(
  'the extension for passkeys is a download: an archive with the files of its folder',
  withHttp(async (http) => {
    const answer = await fetch(`${http.url}/passkey-extension.zip`);
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/zip']);
    const folder = mkdtempSync(join(tmpdir(), 'handset-zip-'));
    const archive = join(folder, 'extension.zip');
    writeFileSync(archive, Buffer.from(await answer.arrayBuffer()));
    execFileSync('python3', ['-m', 'zipfile', '-e', archive, folder]);
    const names = globSync('*.*', { cwd: join(root, 'extension') });
    assert.ok(names.includes('manifest.json'));
    for (const name of names) {
      const unpacked = readFileSync(join(folder, 'handset-passkey', name));
      assert.deepEqual(unpacked, readFileSync(join(root, 'extension', name)), name);
    }
    rmSync(folder, { recursive: true });
  }),
);

test('what a page loads when it opens is not over 200 kB gzip', () => {
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  const files = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, file]) => file!);
  const scripts = files.filter((file) => file.endsWith('.js'));
  assert.ok(scripts.length > 0);
  for (const file of scripts) {
    // Static imports load more, which the page must name, too; what `import()` loads comes when it is wanted.
    const script = readFileSync(join(dist, file), 'utf8');
    for (const [, imported] of script.matchAll(
      /(?:^|[;\n}])import\s*(?:[\w$*{][^"'()]*?from\s*)?["']\.\/([^"']+)["']/g,
    )) {
      assert.ok(files.includes(`assets/${imported}`), `${file} loads ${imported}`);
    }
  }
  const sizes = [gzipSync(page), ...files.map((file) => gzipSync(readFileSync(join(dist, file))))];
  const total = sizes.reduce((sum, { length }) => sum + length, 0);
  assert.ok(total > 10_000 && total < 200_000, `${total} bytes`);
});

test(
  'behind a path of HANDSET_PUBLIC_URL, whether the proxy passes it on or takes it away',
  withHttp(
    async (http) => {
      for (const prefix of ['', '/handset']) {
        const base = api(`${http.url}${prefix}`, http.api.key);
        const page: string = (await base.get('/')).body;
        const [, script = ''] = /src="\.(\/assets\/[^"]+)"/.exec(page) ?? [];
        for (const path of ['/docs', script, '/v1/me', '/health/live']) {
          assert.equal((await base.get(path)).status, 200, prefix + path);
        }
        assert.equal((await base.get('/handsets/v1/me')).status, 404);
      }
      const bare = await fetch(`${http.url}/handset`, { redirect: 'manual' });
      assert.equal(bare.status, 308);
      assert.equal(bare.headers.get('location'), '/handset/');
    },
    { publicUrl: 'https://example.com/handset' },
  ),
);

test('the dashboard is a client: it imports nothing of the service, and asks its public interface alone', () => {
  for (const path of globSync('dashboard/src/**/*.{ts,tsx}', { cwd: root })) {
    const text = readFileSync(join(root, path), 'utf8');
    assert.doesNotMatch(text, /from '[^']*\.\.\/src\//, path);
    assert.doesNotMatch(text, /dangerouslySetInnerHTML|\beval\(|style=\{/, path);
    assert.match(text, /^\/\*\*/, path);
    for (const [, asked] of text.matchAll(/['"`](\/[a-z]\w*\/[^'"`\s]*)['"`]/g)) {
      assert.match(asked!, /^\/(?:v1|admin\/v1|session|sandbox|health|devices)\//, `${path} asks ${asked}`);
    }
  }
});

test(
  'a service without a built dashboard works, with nothing at its root',
  withHttp(
    async (http) => {
      assert.equal((await api(http.url, null).get('/')).status, 404);
      assert.equal((await http.api.get('/devices')).status, 200);
    },
    { dashboardFolder: null },
  ),
);

test('files of an older version are told by what is missing, and what to run', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'handset-dist-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  assert.throws(() => mountDashboard(fastify(), '', folder), /older version, without docs\.html: run "npm run build"/);
});

test(
  'outside sandbox mode there is no way to a sandbox',
  withHttp(async (http) => {
    assert.equal((await api(http.url, http.api.key).get('/sandbox/phones')).status, 404);
  }),
);

/** The path as it is: `fetch` would tidy it up. */
const statusOf = (url: string, path: string, key: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    httpRequest(url, { path, headers: { authorization: `Bearer ${key}` } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });

test('in sandbox mode the phones are behind the key, and nothing but the control interface', async () => {
  const asked: string[] = [];
  const sandbox = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push(`${request.method} ${request.url} ${body} ${request.headers.authorization ?? 'no key'}`);
      response.writeHead(409, { 'content-type': 'application/json' }).end('{"error":"taken"}');
    });
  });
  await new Promise<void>((resolve) => {
    sandbox.listen(0, '127.0.0.1', resolve);
  });
  const sandboxControlUrl = `http://127.0.0.1:${(sandbox.address() as AddressInfo).port}/sandbox`;
  try {
    await withHttp(
      async (http) => {
        const keyless = api(http.url, null);
        assert.equal((await keyless.get('/sandbox/phones')).status, 401);
        assert.equal((await api(http.url, 'wrong').post('/sandbox/phones', {})).status, 401);
        const mine = api(http.url, http.api.key);
        const { status, body } = await mine.post('/sandbox/phones', { number: '4915550001111' });
        assert.deepEqual([status, body], [409, { error: 'taken' }]);
        await mine.get('/sandbox/phones/1/messages?after=3');
        for (const path of ['/sandbox/../admin', '/sandbox/%2e%2e/admin', '/sandbox/x/%2e%2e/%2e%2e/admin']) {
          assert.equal(await statusOf(http.url, path, http.api.key!), 404, path);
        }
        assert.deepEqual(asked, [
          'POST /sandbox/phones {"number":"4915550001111"} no key',
          'GET /sandbox/phones/1/messages?after=3  no key',
        ]);
      },
      { sandboxControlUrl },
    )();
  } finally {
    sandbox.close();
  }
});

test('the kinds of events in the dashboard are those of the service', () => {
  assert.deepEqual(new Set(kindsOfDashboard), new Set(allKinds));
  assert.deepEqual(ownOfDashboard, eventKinds);
});
