/** The command line without a process: what it prints, what it is fed, and its exit code. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '../../src/cli/run.ts';
import { readClientConfig } from '../../src/config.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Shell extends AsyncDisposable {
  readonly credentialsFile: string;
  /** Runs to its end. `input`: standard input, and what is typed when something is asked for. */
  handset(args: readonly string[], input?: string): Promise<Ran>;
  /** Runs until `stop`; `printed` is what it has printed so far. */
  follow(args: readonly string[], input?: string): { printed(): string; notes(): string; stop(): Promise<Ran> };
  /** With `--json`: the values it printed. */
  json(args: readonly string[]): Promise<readonly unknown[]>;
}

/** `isTTY`: somebody sits before it. */
export const openShell = async (env: Readonly<Record<string, string>> = {}, isTTY = false): Promise<Shell> => {
  const home = await mkdtemp(join(tmpdir(), 'handset-cli-'));
  const config = readClientConfig({ XDG_CONFIG_HOME: home, HANDSET_DATA_DIR: join(home, 'data'), ...env });
  const begin = (args: readonly string[], input: string) => {
    const abort = new AbortController();
    const text = { stdout: '', stderr: '' };
    const into = (name: 'stdout' | 'stderr') => ({
      isTTY,
      columns: 80,
      rows: 60,
      write: (chunk: string) => {
        text[name] += chunk;
      },
    });
    const ended = run(args, config, {
      stdout: into('stdout'),
      stderr: into('stderr'),
      readInput: async () => Buffer.from(input),
      ask: async () => input,
      askSecret: async () => input,
      // The service is in this process, and nobody counts the questions.
      sleep: (ms) => sleep(Math.min(ms, 50), undefined, { signal: abort.signal }),
      signal: abort.signal,
    });
    return { text, abort, ran: ended.then((code) => ({ code, ...text })) };
  };
  return {
    credentialsFile: config.credentialsFile,
    handset: (args, input = '') => begin(args, input).ran,
    follow: (args, input = '') => {
      const { text, abort, ran } = begin(args, input);
      return {
        printed: () => text.stdout,
        notes: () => text.stderr,
        stop: () => {
          abort.abort();
          return ran;
        },
      };
    },
    json: async (args) => {
      const { code, stdout, stderr } = await begin([...args, '--json'], '').ran;
      if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
      return stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
    async [Symbol.asyncDispose]() {
      await rm(home, { recursive: true, force: true });
    },
  };
};
