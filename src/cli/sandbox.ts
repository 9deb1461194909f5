/** `handset sandbox`: the sandbox network alone, in a process of its own, for services run elsewhere (docs/sandbox.md). */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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
