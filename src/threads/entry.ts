/** The first module of a thread of sessions: what it loads next is found compiled. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';
import type { ThreadData } from './contract.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `session-thread.ts` starts it
const data = workerData as ThreadData;
if (data.compileCache !== undefined) enableCompileCache(data.compileCache);
const { runThread } = await import('./thread.ts');
runThread(data);
// A thread may be stopped without a chance to do it at its end.
flushCompileCache();
