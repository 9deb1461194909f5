/** Packages made by `npm pack`, and the steps from the packed `handset` to a first text. */
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './wait.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** Files and folders read by packing. */
const packedFrom =
  'package.json package-lock.json tsconfig.json LICENSE README.md SECURITY.md src dist dashboard client client-python sandbox tools docs';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface Packed {
  readonly tarball: string;
  /** Relative to the package. */
  readonly files: readonly string[];
  readonly manifest: Manifest;
}

export type Packages = Readonly<Record<'handset' | 'client' | 'sandbox', Packed>>;

/** Packs all three in a copy of the sources, as packing writes to its folder. */
export const packAll = async (folder: string): Promise<Packages> => {
  const copy = join(folder, 'sources');
  // Packing rebuilds the first two; running services write the third.
  const older = [join(root, 'client', 'dist'), join(root, 'sandbox', 'dist'), join(root, 'dist', 'compiled')];
  const options = { recursive: true, preserveTimestamps: true, filter: (path: string) => !older.includes(path) };
  // A fresh clone has not built it yet.
  await mkdir(join(root, 'dist'), { recursive: true });
  await Promise.all(packedFrom.split(' ').map((path) => cp(join(root, path), join(copy, path), options)));
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  const pack = async (place: string): Promise<Packed> => {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: join(copy, place) });
    const name = /"filename": "([^"]+)"/.exec(stdout)![1]!.replace('@', '').replace('/', '-');
    const tarball = join(folder, name);
    const listed = (await run('tar', ['-tzf', tarball])).stdout.trim().split('\n');
    const manifest: Manifest = JSON.parse((await run('tar', ['-xzOf', tarball, 'package/package.json'])).stdout);
    return { tarball, files: listed.map((path) => path.replace('package/', '')), manifest };
  };
  const [handset, client, sandbox] = await Promise.all([pack('.'), pack('client'), pack('sandbox')]);
  return { handset, client, sandbox };
};

/** Starts the program in the empty `folder`, and sends a text from one phone to another with its own commands. Returns what the phone shows. */
export const sendFirstText = async (
  folder: string,
  [program, ...words]: readonly [string, ...string[]],
  /** Number of another user, if this process is root. */
  uid?: number,
): Promise<string> => {
  const options = {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      HANDSET_PORT: '0',
      // Avoids requests to the real network.
      HANDSET_CLIENT_VERSION: '1043857760',
    },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  };
  const service = spawn(program, [...words, 'start', '--sandbox'], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => service.once('exit', resolve));
  let said = '';
  service.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  try {
    await eventually('the whole banner', () => said.includes('Send a first message'), 60_000);
    const [, url = ''] = /Handset listens on (\S+)/.exec(said) ?? [];
    const [key = ''] = /hs_[A-Za-z0-9_-]{43}/.exec(said) ?? [];
    const commandEnv = { ...options.env, HANDSET_URL: url, HANDSET_KEY: key };
    const handset = async (...args: readonly string[]): Promise<string> =>
      (await run(program, [...words, ...args], { ...options, env: commandEnv })).stdout;
    await handset('phone', 'add', '4915550001111', 'Ada');
    await handset('phone', 'add', '4915550002222', 'Bob');
    await handset('device', 'create', '--name', 'Support', '--no-wait');
    await handset('phone', 'scan', '4915550001111', '1');
    await handset('send', 'text', '1', '4915550002222', 'Hello from Handset');
    return await handset('phone', 'messages', '4915550002222');
  } finally {
    service.kill('SIGTERM');
    await ended;
  }
};

/** Reads a file of the unpacked package. */
export const textOf = (folder: string, path: string): Promise<string> => readFile(join(folder, path), 'utf8');
