/** A thread that debugs the main one: a breakpoint at the start of each function, removed where it has been hit, gives the order of first calls. */
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

/** A position as the debugger counts: lines and columns from 0. */
const locationOf = (url: string, offset: number) => {
  const before = textOf(url).slice(0, offset).split('\n');
  return { scriptId: scripts.get(url)!, lineNumber: before.length - 1, columnNumber: before.at(-1)!.length };
};

/** The functions of each breakpoint: of two that begin with the same statement it is one. */
const waiting = new Map<string, number[]>();
const places = new Map<string, string>();
const order: number[] = [];

const setBreakpoint = async ({ url, start, end }: Ran, at: number): Promise<void> => {
  // A function that opens with its keyword or name has its scope from the parenthesis on.
  const parenthesis = textOf(url).indexOf('(', start);
  const from = /^(async\s+)?(function|static\b|get\b|set\b|\*|[#\w]+\s*[(<])/.test(textOf(url).slice(start, start + 60))
    ? parenthesis
    : start;
  const { locations } = await session.post('Debugger.getPossibleBreakpoints', {
    start: locationOf(url, from),
    end: locationOf(url, end),
    restrictToFunction: true,
  });
  const [location] = locations;
  if (location === undefined) return;
  const place = `${location.scriptId}:${location.lineNumber}:${location.columnNumber}`;
  const known = places.get(place);
  if (known !== undefined) return void waiting.get(known)?.push(at);
  const { breakpointId } = await session.post('Debugger.setBreakpoint', { location });
  places.set(place, breakpointId);
  waiting.set(breakpointId, [at]);
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
  for (const id of waiting.keys()) await remove(id);
  places.clear();
  return order.splice(0);
};

session.on('Debugger.paused', ({ params: { hitBreakpoints } }) => void hit(hitBreakpoints ?? []));

parentPort!.on('message', async (functions: readonly Ran[] | null) => {
  if (functions === null) return parentPort!.postMessage(await finish());
  // What runs meanwhile belongs to something else.
  await session.post('Debugger.setBreakpointsActive', { active: false });
  for (const [at, ran] of functions.entries()) await setBreakpoint(ran, at);
  await session.post('Debugger.setBreakpointsActive', { active: true });
  parentPort!.postMessage('ready');
});
// After the listener above, which keeps the thread alive meanwhile.
await session.post('Debugger.enable');
parentPort!.postMessage('ready');
