/** The sandbox as a child process: `handset sandbox` alone, or started and stopped with the service. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface SandboxProcess {
  readonly controlUrl: string;
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** Waits for its first line (docs/spec/sandbox.md, Running it). Throws if it exits before. */
const start = async (dataDir: string, port: number, options: readonly string[]): Promise<SandboxProcess> => {
  const script = fileURLToPath(new URL('../../sandbox/src/main.ts', import.meta.url));
  const args = ['--port', String(port), '--data', dataDir, '--with-parent', ...options];
  const child = spawn(process.execPath, [script, ...args], {
    // Closes however this process dies, and then the sandbox exits.
    stdio: ['pipe', 'pipe', 'inherit'],
    // Own process group, so that Ctrl-C does not end it before the service.
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

/** Starts the sandbox on the port, or on a free one if the port is taken. */
export const startSandboxProcess = async (
  dataDir: string,
  port: number,
  options: readonly string[] = [],
): Promise<SandboxProcess> => start(dataDir, (await isFree(port)) ? port : 0, options);

const usualPort = '4100';

export const runSandbox = (args: readonly string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL('../../sandbox/src/main.ts', import.meta.url));
    const port = args.some((arg) => arg.startsWith('--port')) ? [] : ['--port', usualPort];
    const child = spawn(process.execPath, [script, ...port, ...args], { stdio: 'inherit' });
    // Ctrl-C reaches both processes; other signals are passed on to the sandbox.
    process.on('SIGINT', () => undefined);
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
