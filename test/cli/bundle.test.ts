/** The bundle that `npm start` runs: it is of the present sources, and is the whole service. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { built, compiledFolder } from '../../src/cli/built.js';

const key = `hs_${'k'.repeat(43)}`;
const root = join(import.meta.dirname, '..', '..');

test('the bundle is made from the present sources, and serves the interface, the dashboard, MCP and its exit', async () => {
  await promisify(execFile)(process.execPath, ['tools/bundle.ts', '--required', '--for-user', '54321'], { cwd: root });
  // Where the user is somebody else, what is compiled is there for them as well.
  const forOther = readdirSync(compiledFolder).filter((name) => name.endsWith('-54321'));
  // One folder for each set of V8's flags that the service was started with.
  assert.ok(forOther.length > 0);
  for (const name of forOther) {
    assert.ok(readdirSync(join(compiledFolder, name)).length > 0);
    await rm(join(compiledFolder, name), { recursive: true });
  }
  assert.equal(built('service'), join(root, 'dist', 'service.js'));
  const bundled = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.js'));
  const code = bundled.map((name) => readFileSync(join(root, 'dist', name), 'utf8')).join('');
  assert.ok(code.includes('libsignal is not part of this bundle'));
  // Of its curve and of its sessions.
  assert.ok(!/Removing old closed session|Invalid private key type/.test(code), 'the GPL is not in it');
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-bundle-'));
  const service = spawn(process.execPath, ['src/cli/serve.js'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HANDSET_PORT: '0',
      HANDSET_HOST: '127.0.0.1',
      HANDSET_DATA_DIR: dataDir,
      HANDSET_BOOTSTRAP_KEY: key,
      // Nothing is asked of the real network.
      HANDSET_CLIENT_VERSION: '1043857760',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => service.once('exit', resolve));
  try {
    let url = '';
    for await (const line of createInterface({ input: service.stdout })) {
      url = /^Handset listens on (\S+)/.exec(line)?.[1] ?? '';
      if (url !== '') break;
    }
    // Where the dashboard is built, it is found beside the bundle as well.
    const pages = existsSync(join(root, 'dashboard', 'dist', 'index.html')) ? ['/'] : [];
    for (const path of ['/health/ready', '/openapi.json', ...pages]) {
      assert.equal((await fetch(`${url}${path}`)).status, 200, path);
    }
    // Nothing that may throw is left out of it.
    assert.equal((await fetch(`${url}/%zz`)).status, 400);
    service.stdout.resume();
    const env = { PATH: process.env['PATH'], HANDSET_URL: url, HANDSET_KEY: key };
    const mcp = promisify(execFile)(process.execPath, ['src/cli/launch.js', 'mcp'], { cwd: root, env });
    mcp.child.stdin?.end();
    assert.deepEqual(await mcp, { stdout: '', stderr: '' });
    service.kill('SIGTERM');
    assert.equal(await exited, 0);
  } finally {
    service.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  }
});
