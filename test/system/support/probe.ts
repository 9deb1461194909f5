/** Loaded into the service as it is installed (`--import`), to ask it for its memory and its CPU time. */
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { collectAlong, serveCommands, settledHeap, settledMemory } from './child.ts';

/** Memory of the main thread, MB, without a collection before. */
export interface Heap {
  readonly pid: number;
  readonly heapUsed: number;
  readonly heapResident: number;
  readonly young: number;
  readonly buffers: number;
}

const mega = 1_048_576;

const usage = (): Heap => {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const young = getHeapSpaceStatistics().filter(({ space_name: name }) => name.startsWith('new'));
  return {
    pid: process.pid,
    heapUsed: heapUsed / mega,
    heapResident: getHeapStatistics().total_physical_size / mega,
    young: young.reduce((sum, { physical_space_size: bytes }) => sum + bytes, 0) / mega,
    buffers: arrayBuffers / mega,
  };
};

if (!isMainThread) collectAlong();
else {
  serveCommands({
    memory: () => settledMemory(),
    heap: () => settledHeap(),
    cpu: () => process.cpuUsage(),
    usage,
  });
}
