/** The service in a process that records its own calls: precise coverage of `src`, and the order of first calls from its tracer thread. */
/* oxlint-disable unicorn/require-post-message-target-origin -- threads have no origins */
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { readConfig } from '../../src/config.ts';
import { startHandset } from '../../src/main.ts';
import { serveCommands } from '../../test/system/support/child.ts';

/** A function that ran, by its position. */
export interface Ran {
  readonly url: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly calls: number;
}

const sources = new URL('../../src/', import.meta.url).href;
const session = new Session();
let tracer: Worker;

/** Waits for the next message of the tracer. */
const told = <T>(): Promise<T> => new Promise((resolve) => void tracer.once('message', resolve));

serveCommands({
  async start() {
    session.connect();
    await session.post('Profiler.enable');
    // Before the first function is compiled, as V8 does not count earlier calls.
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    const { url } = await startHandset(readConfig());
    tracer = new Worker(join(import.meta.dirname, 'tracer.ts'));
    await told();
    return url;
  },
  /** Functions of `src` called since the last call. Module bodies are left out. */
  async take(): Promise<Ran[]> {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.startsWith(sources))
      .flatMap(({ url, functions }) =>
        functions.flatMap(({ functionName: name, ranges: [range] }) =>
          range === undefined || range.count === 0 || range.startOffset === 0
            ? []
            : [{ url, name, start: range.startOffset, end: range.endOffset, calls: range.count }],
        ),
      );
  },
  /** Breaks at the first call of each of these from now on. */
  async trace(functions: readonly Ran[]) {
    const ready = told();
    tracer.postMessage(functions);
    await ready;
  },
  /** Indexes into the argument of `trace`, in the order of first calls. */
  async traced(): Promise<number[]> {
    const order = told<number[]>();
    tracer.postMessage(null);
    return order;
  },
});
