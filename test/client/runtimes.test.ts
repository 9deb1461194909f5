/** The built client package in the runtimes that are on this machine: its own Node, and Bun and Deno where they are installed. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ada, addPhones, bob, linkDevice, untilShown } from '../flows/steps.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { program } from './runtime.ts';

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

describe('the client package', () => {
  let installation: Installation;
  let folder: string;
  let id: number;

  before(async () => {
    // As npm installs it: the folder of the package, built, beside its one dependency.
    folder = mkdtempSync(join(tmpdir(), 'handset-client-'));
    const home = join(folder, 'node_modules/@handset/client');
    const compiler = join(root, 'node_modules/.bin/tsc');
    execFileSync(compiler, ['-p', join(root, 'client'), '--outDir', join(home, 'dist')]);
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

  for (const [name, command, ...args] of runtimes) {
    it(
      `sends, reads events and verifies webhooks in ${name}`,
      { skip: !existsSync(command) && 'not installed' },
      async () => {
        const given = ['@handset/client', installation.handset.url, ownerKey, String(id), bob, `from ${name}`];
        const running = run(command, [...args, 'program.mjs', ...given], { cwd: folder, timeout: 20_000 });
        await untilShown(installation, bob, `from ${name}`);
        await installation.phones.write(bob, { to: ada, text: 'pong' });
        const { stdout } = await running;
        const { messageId, ...rest } = JSON.parse(stdout) as { messageId: string };
        assert.match(messageId, /^[0-9A-F]{16,}$/);
        assert.deepEqual(rest, { refused: 404, event: 'test', forged: 'WebhookVerificationError', text: 'pong' });
      },
    );
  }

  it('carries types that a strict program compiles against', async () => {
    writeFileSync(
      join(folder, 'user.ts'),
      `import { createHandset, unwrap, type EventOf } from '@handset/client';
const handset = createHandset({ url: 'http://x', key: 'hs_' });
export const text = (event: EventOf<'message.received'>): string | null => event.data.message.text;
export const id = async (): Promise<number> => (await unwrap(handset.POST('/devices', { body: { name: 'x' } }))).device.id;
`,
    );
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
    await run(join(root, 'node_modules/.bin/tsc'), [...options, '--ignoreConfig', 'user.ts'], { cwd: folder });
  });
});
