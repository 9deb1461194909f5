/** The program of a service: started, ended and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder?: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Whether somebody takes connections at this port. */
export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

const spawned = ({ program, args, folder, env }: Command): ChildProcess =>
  spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
    ...(folder === undefined ? {} : { cwd: folder }),
  });

/** A command that ends by itself. */
export const runOnce = async (command: Command): Promise<void> => {
  const [code] = (await once(spawned(command), 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command.args.join(' ')} ended with exit code ${code}`);
};

export class Program {
  readonly #command: Command;
  readonly #isUp: () => Promise<boolean>;
  #process: ChildProcess | null = null;

  /** `isUp`: whether it answers already. */
  constructor(command: Command, isUp: () => Promise<boolean>) {
    this.#command = command;
    this.#isUp = isUp;
  }

  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error('it does not run');
    return pid;
  }

  async start(): Promise<void> {
    const child = spawned(this.#command);
    this.#process = child;
    for (const began = performance.now(); !(await this.#isUp().catch(() => false)); await sleep(20)) {
      if (child.exitCode !== null) throw new Error(`it ended with exit code ${child.exitCode}`);
      if (performance.now() - began > 30_000) throw new Error('it did not start');
    }
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
