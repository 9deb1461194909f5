/** A command of a client loads no engine and no database: the modules that it does load are listed. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');

/** Writes the address of every module that is loaded to a file. */
const recorder = (file: string): string =>
  `data:text/javascript,${encodeURIComponent(`
    import { appendFileSync } from 'node:fs';
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        appendFileSync(${JSON.stringify(file)}, found.url + '\\n');
        return found;
      },
    });`)}`;

const modulesOf = async (args: readonly string[]): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'handset-modules-'));
  try {
    const file = join(folder, 'modules');
    const env = {
      PATH: process.env['PATH'],
      HANDSET_URL: 'http://127.0.0.1:2',
      HANDSET_KEY: 'hs_x',
      HANDSET_DATA_DIR: folder,
    };
    const program = join(root, 'src/cli/handset.ts');
    // Nothing answers there: the command ends with what it has loaded by then.
    await new Promise((resolve) => {
      execFile(process.execPath, ['--import', recorder(file), program, ...args], { env }, resolve);
    });
    return (await readFile(file, 'utf8')).trim().split('\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const heavy =
  /node:sqlite|node_modules\/(baileys|libsignal|kysely|pg|fastify|sharp|typebox|whatsapp-rust-bridge|zod|@modelcontextprotocol)\/|src\/(whatsapp|store|http|service|webhooks)\/|src\/main\.ts/;

test('commands load neither the engine nor a database nor the server', async () => {
  const [list, send, check] = await Promise.all([
    modulesOf(['device', 'list']),
    modulesOf(['send', 'text', '1', '4915550002222', 'Hello']),
    modulesOf(['migrate', '--check']),
  ]);
  for (const modules of [list, send]) {
    assert.ok(modules.some((module) => module.endsWith('/src/cli/client/client.ts')));
    assert.deepEqual(
      modules.filter((module) => heavy.test(module)),
      [],
    );
  }
  assert.ok(
    check.some((module) => heavy.test(module)),
    'a command for the data folder does load it, and is seen to',
  );
});
