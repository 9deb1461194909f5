/** Loaded into the service as it is installed (`--import`), to ask it for its memory and its CPU time. */
import { isMainThread } from 'node:worker_threads';
import { collectAlong, serveCommands, settledHeap, settledMemory } from './child.ts';

if (!isMainThread) collectAlong();
else {
  serveCommands({
    memory: () => settledMemory(),
    heap: () => settledHeap(),
    cpu: () => process.cpuUsage(),
  });
}
