/** Processes of a benchmark or a system test: each part runs in one of its own and is asked over IPC. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join, relative, resolve as resolvePath } from 'node:path';

export interface Child {
  /** Sends one command and waits for its answer. Throws what the command threw. */
  ask<T>(command: string, argument?: unknown): Promise<T>;
  stop(): Promise<void>;
  readonly process: ChildProcess;
  /** What a service has logged as an error so far; of other scripts nothing. */
  readonly errors: readonly LoggedError[];
}

/** A line of the log. */
export interface LoggedError {
  readonly msg: string;
  readonly error?: string | { readonly type: string; readonly message: string };
  readonly reason?: string;
}

/** Options that `npm test` gives its processes: modules to load first, and the size of the young generation. */
const inherited = process.execArgv.filter((option) => /^--(import|(min|max)-semi-space-size)=/.test(option));

/** Modules to load first, of these: a program with these starts sooner, and is no other. */
export const preloaded = inherited.filter((option) => option.startsWith('--import='));

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Asks a process that calls `serveCommands`. */
export const asking = (child: ChildProcess, name: string): Child['ask'] => {
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  let next = 0;
  child.on('message', (answer: Answer) => {
    const entry = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error === undefined) entry?.resolve(answer.value as never);
    else entry?.reject(new Error(`${name}: ${answer.error}`));
  });
  child.once('exit', (code) => {
    for (const entry of waiting.values()) entry.reject(new Error(`${name} ended with exit code ${code}`));
  });
  return <T>(command: string, argument?: unknown): Promise<T> => {
    const id = next++;
    return new Promise<T>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      child.send({ id, command, argument });
    });
  };
};

const root = join(import.meta.dirname, '../../..');

export const bundledName = (script: string): string => relative(root, script).replaceAll(/\W/g, '-');

/** `npm test` has bundled what it starts most often (`tools/test-children.ts`). */
export const programOf = (script: string): string => {
  const { TEST_CHILDREN: folder } = process.env;
  const bundled = folder === undefined ? '' : join(folder, `${bundledName(script)}.mjs`);
  return existsSync(bundled) ? bundled : script;
};

/**
 * Starts a script, of this folder or by its whole path, with the environment's additions; the script calls `serveCommands`. `runner` is a command that starts
 * the process, such as `chrt --idle 0`.
 */
export const startChild = (
  script: string,
  env: Readonly<Record<string, string>> = {},
  execArgv: readonly string[] = [],
  runner: readonly string[] = [],
): Child => {
  const [execPath, ...runnerArgv] = [...runner, process.execPath];
  const child = fork(programOf(resolvePath(import.meta.dirname, script)), {
    execPath,
    execArgv: [...runnerArgv, '--expose-gc', ...inherited, ...execArgv],
    env: { ...process.env, ...env },
    // BENCH_OUTPUT=shown: what it logs is seen.
    stdio: ['ignore', process.env['BENCH_OUTPUT'] === 'shown' ? 2 : 'ignore', 'inherit', 'ipc'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const errors: LoggedError[] = [];
  child.on('message', ({ logged }: { readonly logged?: LoggedError }) => {
    if (logged !== undefined) errors.push(logged);
  });
  return {
    process: child,
    errors,
    ask: asking(child, script),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
};

type Command = (argument: never) => unknown;

/** In the child: answers commands by name. */
export const serveCommands = (commands: Readonly<Record<string, Command>>): void => {
  let isCompiled = false;
  process.on('message', (request: { id: number; command: string; argument: never }) => {
    const run = async (): Promise<unknown> => {
      const value = await commands[request.command]!(request.argument);
      // After the first one, since many are killed.
      if (!isCompiled) flushCompileCache();
      isCompiled = true;
      return value;
    };
    run().then(
      (value) => process.send!({ id: request.id, value }),
      (error: unknown) =>
        process.send!({
          id: request.id,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }),
    );
  });
  process.on('disconnect', () => process.exit(0));
};

const collections = 'bench: collect';

/** In a thread beside the main one: collects when that does. */
export const collectAlong = (): void => {
  const channel = new BroadcastChannel(collections);
  channel.addEventListener('message', () => globalThis.gc?.());
  channel.unref();
};

/** In all threads that listen. */
const collectThreads = (): void => {
  const channel = new BroadcastChannel(collections);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origins
  channel.postMessage(null);
  channel.close();
};

/** Resident memory in bytes after what can be freed was freed. */
export const settledMemory = async (): Promise<number> => {
  let lowest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    collectThreads();
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 200));
    lowest = Math.min(lowest, process.memoryUsage.rss());
  }
  return lowest;
};

/**
 * Bytes that the process holds after a collection, on JavaScript's heap and beside it (buffers, WebAssembly). The collection takes all that
 * nobody needs, compiled code too: V8 keeps that for some time, and it would look as if the process grew.
 */
export const settledHeap = async (): Promise<number> => {
  let lowest = Number.POSITIVE_INFINITY;
  for (const flavor of ['last-resort', 'regular'] as const) {
    collectThreads();
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { heapUsed, external } = process.memoryUsage();
    lowest = Math.min(lowest, heapUsed + external);
  }
  return lowest;
};
