/** The service in a process of its own that is killed and started again on the same data. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Disk } from '../../support/disk.ts';
import type { Start } from './handset.ts';
import { type Child, type LoggedError, startChild } from './child.ts';

const cli = resolve(import.meta.dirname, '../../../src/cli/handset.ts');

export class MortalService {
  readonly #env: Readonly<Record<string, string>>;
  #child: Child | null = null;
  #running = Promise.withResolvers<string>();
  #url: string | null = null;
  kills = 0;
  /** Kills that came before the service had answered its first request. */
  killedWhileStarting = 0;
  /** Kills that took what was not flushed. */
  powerCuts = 0;
  /** Lives that ended before anybody had ended them. */
  readonly ownEnds: string[] = [];
  readonly #logged: (readonly LoggedError[])[] = [];

  constructor(env: Readonly<Record<string, string>>) {
    this.#env = env;
  }

  /** Its address, when it runs; waits for the next start while it does not. */
  address(): Promise<string> {
    return this.#running.promise;
  }

  /** Of all lives. */
  get errors(): readonly LoggedError[] {
    return this.#logged.flat();
  }

  /** Begins a start; `ready` resolves with true when it listens, with false when it was killed before. */
  start(how: Start = {}): { readonly ready: Promise<boolean> } {
    const child = startChild('handset.ts', this.#env);
    this.#child = child;
    this.#logged.push(child.errors);
    const ready = child.ask<string>('start', how).then(
      (url) => {
        this.#url = url;
        this.#running.resolve(url);
        return true;
      },
      (error: unknown) => {
        if (child.process.signalCode === 'SIGKILL') return false;
        throw error;
      },
    );
    return { ready };
  }

  /** Resolves when the process of the last start has ended, by whatever. */
  async ended(): Promise<void> {
    const { process } = this.#child!;
    if (process.exitCode === null && process.signalCode === null) await once(process, 'exit');
  }

  /** SIGKILL: no handler runs, nothing is flushed. */
  async kill(): Promise<void> {
    const child = this.#child!;
    const { exitCode, signalCode } = child.process;
    // An ordered power cut kills as well.
    if (exitCode !== null || (signalCode !== null && signalCode !== 'SIGKILL'))
      this.ownEnds.push(`exit code ${exitCode}, signal ${signalCode}`);
    this.kills += 1;
    if (this.#url === null) this.killedWhileStarting += 1;
    this.#down();
    const gone = this.ended();
    child.process.kill('SIGKILL');
    await gone;
  }

  async losePower(disk: Disk): Promise<void> {
    await this.kill();
    disk.losePower();
    this.powerCuts += 1;
  }

  async stop(): Promise<void> {
    await this.#child?.stop();
    this.#down();
  }

  /** Asks the process itself; see `handset.ts`. */
  ask<T>(command: string, argument?: unknown): Promise<T> {
    return this.#child!.ask<T>(command, argument);
  }

  /** Runs `handset` on the same data. Throws when it fails. */
  async command(...words: readonly string[]): Promise<void> {
    await promisify(execFile)(process.execPath, [cli, ...words], { env: { ...process.env, ...this.#env } });
  }

  #down(): void {
    if (this.#url !== null) this.#running = Promise.withResolvers();
    this.#url = null;
  }
}
