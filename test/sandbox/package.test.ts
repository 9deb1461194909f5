/** The packed sandbox, installed in an empty folder with nothing but its own dependencies: the program of its README runs. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const modules = join(root, 'node_modules');
const env = { ...process.env, PATH: [join(modules, '.bin'), process.env['PATH']].join(delimiter) };

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as Manifest;

test('the packed sandbox links a stock Baileys client', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'handset-sandbox-'));
  try {
    await run('npm', ['pack', '--pack-destination', folder], { cwd: join(root, 'sandbox'), env });
    const { version, dependencies } = await manifestOf('sandbox');
    const home = join(folder, 'node_modules/@handset/sandbox');
    await mkdir(home, { recursive: true });
    const tarball = join(folder, `handset-sandbox-${version}.tgz`);
    await run('tar', ['-xzf', tarball, '-C', home, '--strip-components=1']);
    for (const name of Object.keys(dependencies)) {
      const link = join(folder, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(modules, name), link);
    }
    const readme = await readFile(join(home, 'README.md'), 'utf8');
    await writeFile(join(folder, 'program.mjs'), /```js\n(.*?)```/s.exec(readme)![1]!);
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder, timeout: 60_000 });
    assert.match(stdout, /^Alice wrote: hello$/m);
    const { stderr } = await run(process.execPath, [join(home, 'dist/main.js'), '--no-such-option'], {
      cwd: folder,
    }).catch((error: { readonly stderr: string }) => error);
    assert.match(stderr, /Usage: handset sandbox/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the package has the version of the service, and the same dependencies', async () => {
  const [service, sandbox] = [await manifestOf('.'), await manifestOf('sandbox')];
  assert.equal(sandbox.version, service.version);
  for (const [name, range] of Object.entries(sandbox.dependencies))
    assert.equal(range, service.dependencies[name], name);
});
