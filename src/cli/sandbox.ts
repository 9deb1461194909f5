/** The sandbox in a process of its own: `handset sandbox` alone, or started and ended with the service. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface SandboxProcess {
  readonly controlUrl: string;
  /** Resolves with the exit code when it has ended. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** Starts it on the port and waits for its first line (docs/spec/sandbox.md, Running it). Throws when it ends before that. */
const start = async (dataDir: string, port: number, options: readonly string[]): Promise<SandboxProcess> => {
  const script = fileURLToPath(new URL('../../sandbox/src/main.ts', import.meta.url));
  const args = ['--port', String(port), '--data', dataDir, '--with-parent', ...options];
  const child = spawn(process.execPath, [script, ...args], {
    // Its standard input is a pipe that closes when this process dies, however it dies: then the sandbox ends too.
    stdio: ['pipe', 'pipe', 'inherit'],
    // Ctrl-C reaches the whole group; the service ends first and then stops the sandbox.
    detached: true,
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const first = await Promise.race([
    new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    ended.then((code) => {
      throw new Error(`the sandbox ended with exit code ${code} before it was ready`);
    }),
  ]);
  const place: unknown = JSON.parse(first);
  if (typeof place !== 'object' || place === null || !('controlUrl' in place)) {
    throw new Error('the sandbox did not report its URL');
  }
  return {
    controlUrl: String(place.controlUrl),
    ended,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
};

/** Starts it on the port, or on a free one where something else has that port already. Throws when it does not start. */
export const startSandboxProcess = async (
  dataDir: string,
  port: number,
  options: readonly string[] = [],
): Promise<SandboxProcess> => start(dataDir, (await isFree(port)) ? port : 0, options);

/** The port that `handset start --sandbox` uses, too. */
const usualPort = '4100';

/** Runs it to its end; its exit code. */
export const runSandbox = (args: readonly string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL('../../sandbox/src/main.ts', import.meta.url));
    const port = args.some((arg) => arg.startsWith('--port')) ? [] : ['--port', usualPort];
    const child = spawn(process.execPath, [script, ...port, ...args], { stdio: 'inherit' });
    // Ctrl-C reaches both processes; a signal to this one is meant for the sandbox.
    process.on('SIGINT', () => undefined);
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
