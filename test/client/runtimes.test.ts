/** The built client package in the runtimes that are on this machine: Node, a browser, and Bun, Deno and workerd where they are installed. */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { launch, openPage, skip } from '../browser/browser.ts';
import { ada, addPhones, bob, linkDevice, untilShown } from '../flows/steps.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { inBrowser, inWorker, program } from './runtime.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

const runtimes: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['the Node of this project', process.execPath],
  ['the machine’s Node', '/usr/bin/node'],
  ['Bun', process.env.BUN ?? '/usr/local/bin/bun'],
  [
    'Deno',
    process.env.DENO ?? '/usr/local/bin/deno',
    'run',
    '--node-modules-dir=manual',
    '--allow-net',
    '--allow-read',
    '--allow-env',
  ],
];

const workerd = process.env.WORKERD ?? '/usr/local/bin/workerd';

describe('the client package', () => {
  let installation: Installation;
  let folder: string;
  let id: number;

  before(async () => {
    // As npm installs it: the folder of the package, built, beside its one dependency.
    folder = mkdtempSync(join(tmpdir(), 'handset-client-'));
    const home = join(folder, 'node_modules/@handset/client');
    execFileSync('npm', ['run', '-s', 'client:build'], { cwd: root });
    cpSync(join(root, 'client/dist'), join(home, 'dist'), { recursive: true });
    cpSync(join(root, 'client/package.json'), join(home, 'package.json'));
    const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const name of [...Object.keys(dependencies), 'openapi-typescript-helpers']) {
      symlinkSync(dirname(join(root, 'node_modules', name, 'x')), join(folder, 'node_modules', name));
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module","dependencies":{"@handset/client":"*"}}');
    writeFileSync(join(folder, 'program.mjs'), program);
    installation = await startInstallation();
    await addPhones(installation);
    id = await linkDevice(installation, ada);
  });
  after(async () => {
    await installation[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Asserts the output of the program with these arguments. */
  const proves = async (name: string, start: (given: readonly string[]) => Promise<unknown>): Promise<void> => {
    const running = start([installation.handset.url, ownerKey, String(id), bob, `from ${name}`]);
    await Promise.race([untilShown(installation, bob, `from ${name}`), running]);
    await installation.phones.write(bob, { to: ada, text: 'pong' });
    const { messageId, ...rest } = (await running) as { messageId: string };
    assert.match(messageId, /^[0-9A-F]{16,}$/);
    assert.deepEqual(rest, { refused: 404, event: 'test', forged: 'WebhookVerificationError', text: 'pong' });
  };

  const bundle = async (source: string): Promise<string> => {
    const input = join(folder, 'entry.mjs');
    writeFileSync(input, source);
    const { output } = await (await rolldown({ input })).generate({ format: 'esm' });
    return output[0].code;
  };

  for (const [name, command, ...args] of runtimes) {
    it(`sends, reads events and verifies webhooks in ${name}`, { skip: !existsSync(command) && 'not installed' }, () =>
      proves(name, async (given) => {
        const options = { cwd: folder, timeout: 60_000 };
        return JSON.parse((await run(command, [...args, 'program.mjs', '@handset/client', ...given], options)).stdout);
      }),
    );
  }

  it('is required by a program of CommonJS', async () => {
    writeFileSync(join(folder, 'program.cjs'), `console.log(typeof require('@handset/client').verifyWebhook)`);
    assert.equal((await run(process.execPath, ['program.cjs'], { cwd: folder })).stdout, 'function\n');
  });

  it('sends, reads events and verifies webhooks in a browser', { skip }, async () => {
    const code = await bundle(inBrowser);
    const browser = await launch();
    try {
      // A page of its own origin has the policy that its owner gives it; this one allows what was bundled.
      const { page } = await openPage(browser, `${installation.handset.url}/health/live`, { bypassCSP: true });
      await page.addScriptTag({ content: code, type: 'module' });
      await page.waitForFunction('typeof useClient === "function"');
      await proves('a browser', (given) => page.evaluate(`useClient(${JSON.stringify(given)})`));
    } finally {
      await browser.close();
    }
  });

  it(
    'sends, reads events and verifies webhooks in a Worker',
    { skip: !existsSync(workerd) && 'not installed' },
    async () => {
      writeFileSync(join(folder, 'worker.mjs'), await bundle(inWorker));
      writeFileSync(
        join(folder, 'worker.capnp'),
        `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (modules = [(name = "main", esModule = embed "worker.mjs")], compatibilityDate = "2025-06-01");
`,
      );
      const child = spawn(workerd, ['serve', 'worker.capnp', '--control-fd=1'], { cwd: folder });
      try {
        let told = '';
        child.stdout.on('data', (chunk: Buffer) => (told += chunk.toString()));
        const port = await eventually('its port', () => /"port":(\d+)/.exec(told)?.[1]);
        await proves('a Worker', async (given) => {
          const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(given) });
          return answer.json();
        });
      } finally {
        child.kill();
      }
    },
  );

  it('carries types that a strict program of either module system compiles against', async () => {
    writeFileSync(
      join(folder, 'user.ts'),
      `import { createHandset, unwrap, type EventOf } from '@handset/client';
const handset = createHandset({ url: 'http://x', key: 'hs_' });
export const text = (event: EventOf<'message.received'>): string | null => event.data.message.text;
export const id = async (): Promise<number> => (await unwrap(handset.POST('/devices', { body: { name: 'x' } }))).device.id;
`,
    );
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
    cpSync(join(folder, 'user.ts'), join(folder, 'user.cts'));
    const files = ['user.ts', 'user.cts'];
    await run(join(root, 'node_modules/.bin/tsc'), [...options, '--ignoreConfig', ...files], { cwd: folder });
  });
});
