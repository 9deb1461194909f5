/** A thread that debugs the main one: a breakpoint at the start of each function, removed when hit, yields the order of first calls. */
/* oxlint-disable unicorn/require-post-message-target-origin -- threads have no origins */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { parentPort } from 'node:worker_threads';
import type { Ran } from './service.ts';

const session = new Session();
session.connectToMainThread();
const scripts = new Map<string, string>();
session.on('Debugger.scriptParsed', ({ params: { url, scriptId } }) => void scripts.set(url, scriptId));

const texts = new Map<string, string>();
const textOf = (url: string): string => {
  const text = texts.get(url) ?? readFileSync(fileURLToPath(url), 'utf8');
  texts.set(url, text);
  return text;
};

/** Debugger position: lines and columns from 0. */
const locationOf = (url: string, offset: number) => {
  const before = textOf(url).slice(0, offset).split('\n');
  return { scriptId: scripts.get(url)!, lineNumber: before.length - 1, columnNumber: before.at(-1)!.length };
};

/** Functions by breakpoint; two that begin with the same statement share one. */
const waiting = new Map<string, readonly number[]>();
const order: number[] = [];

/** The first position in the function where the debugger can stop, outside of nested functions. */
const firstStop = async ({ url, start, end }: Ran) => {
  // The scope of a function that starts with a keyword or name begins at its parenthesis.
  const named = /^(async\s+)?(function|static\b|get\b|set\b|\*|[#\w]+\s*[(<])/.test(
    textOf(url).slice(start, start + 60),
  );
  const { locations } = await session.post('Debugger.getPossibleBreakpoints', {
    start: locationOf(url, named ? textOf(url).indexOf('(', start) : start),
    end: locationOf(url, end),
    restrictToFunction: true,
  });
  return locations[0];
};

const setBreakpoints = async (functions: readonly Ran[]): Promise<void> => {
  const stops = (await Promise.all(functions.map(firstStop))).map((location, at) => ({ location, at }));
  const places = Map.groupBy(stops, ({ location }) => JSON.stringify(location));
  const set = async (same: typeof stops): Promise<void> => {
    const [{ location } = {}] = same;
    if (location === undefined) return;
    const { breakpointId } = await session.post('Debugger.setBreakpoint', { location });
    waiting.set(
      breakpointId,
      same.map(({ at }) => at),
    );
  };
  await Promise.all([...places.values()].map(set));
};

const remove = async (id: string): Promise<void> => {
  waiting.delete(id);
  await session.post('Debugger.removeBreakpoint', { breakpointId: id });
};

const hit = async (ids: readonly string[]): Promise<void> => {
  for (const id of ids) {
    order.push(...(waiting.get(id) ?? []));
    await remove(id);
  }
  await session.post('Debugger.resume');
};

const finish = async (): Promise<number[]> => {
  await Promise.all([...waiting.keys()].map(remove));
  return order.splice(0);
};

session.on('Debugger.paused', ({ params: { hitBreakpoints } }) => void hit(hitBreakpoints ?? []));

parentPort!.on('message', async (functions: readonly Ran[] | null) => {
  if (functions === null) return parentPort!.postMessage(await finish());
  // Anything that runs meanwhile is unrelated.
  await session.post('Debugger.setBreakpointsActive', { active: false });
  await setBreakpoints(functions);
  await session.post('Debugger.setBreakpointsActive', { active: true });
  parentPort!.postMessage('ready');
});
// After adding the listener above, which keeps the thread alive.
await session.post('Debugger.enable');
parentPort!.postMessage('ready');
