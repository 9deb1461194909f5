/** The service as it is installed: started by its program, stopped or killed, and started again on the same data. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, asking } from './child.ts';

/** In the process itself, for what only it can tell. */
const probing = ['--expose-gc', '--import', join(import.meta.dirname, 'probe.ts')];

const root = join(import.meta.dirname, '../../..');

/** The options of Node with which `npm start` runs the service. */
export const nodeOptions = ((): readonly string[] => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
})();

/** As `npm start` does before it starts. */
export const bundle = (): void => void execFileSync(process.execPath, [join(root, 'tools', 'bundle.ts')]);

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Resident memory of a process in MB; 0 where the machine does not tell. */
export const megabytesOf = (pid: number | undefined): number => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
};

/** Clock ticks a second in what Linux tells of processes. */
const ticks = 100;

const processorOf = (pid: number | undefined): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticks;
  } catch {
    return 0;
  }
};

export class Installation {
  readonly #env: Readonly<Record<string, string>>;
  readonly #port: number;
  readonly #probed: boolean;
  #process: ChildProcess | null = null;
  #probe: Child['ask'] | null = null;
  #began = 0;

  /** `probed`: it can be asked for what `probe.ts` serves, and takes some milliseconds longer to start. */
  constructor(port: number, env: Readonly<Record<string, string>>, probed = false) {
    this.#port = port;
    this.#env = env;
    this.#probed = probed;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  start(probed = this.#probed): void {
    this.#began = performance.now();
    const program = [...nodeOptions, ...(probed ? probing : []), join(root, 'src/cli/serve.js')];
    this.#process = spawn(process.execPath, program, {
      env: {
        PATH: process.env['PATH'],
        // As the image, the unit of systemd and `npm start` set them.
        MALLOC_ARENA_MAX: '2',
        MALLOC_TRIM_THRESHOLD_: '4194304',
        MALLOC_MMAP_THRESHOLD_: '1048576',
        HANDSET_PORT: String(this.#port),
        HANDSET_LOG_LEVEL: 'warn',
        ...this.#env,
      },
      stdio: ['ignore', 'ignore', 'inherit', ...(probed ? (['ipc'] as const) : [])],
    });
    this.#probe = probed ? asking(this.#process, 'the service') : null;
  }

  /** Asks the process; one that is probed and runs. */
  probe<T>(command: string): Promise<T> {
    if (this.#probe === null) throw new Error('the service is not probed, or does not run');
    return this.#probe<T>(command);
  }

  /** ms since the process was started. */
  get age(): number {
    return performance.now() - this.#began;
  }

  /** Resident memory of the process in MB; 0 where the machine does not tell. */
  get megabytes(): number {
    return megabytesOf(this.#process?.pid);
  }

  /** Milliseconds of processor that the process has used, its threads included; 0 where the machine does not tell. */
  get cpuMs(): number {
    return processorOf(this.#process?.pid);
  }

  /** Null while nobody listens. */
  ask(path: string, key?: string): Promise<Answer | null> {
    return new Promise((resolve) => {
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
      const request = get({ host: '127.0.0.1', port: this.#port, path, headers, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      request.on('error', () => resolve(null));
    });
  }

  /** ms from the start of the process until it says that it is ready. */
  async ready(): Promise<number> {
    while ((await this.ask('/health/ready'))?.status !== 200) {
      if (this.#process?.exitCode !== null) throw new Error('the service has ended');
      await sleep(2);
    }
    return this.age;
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const running = this.#process;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await ended;
  }
}
