/** The service in a process of its own, as `npm start` runs it. */
import { readConfig } from '../src/config.ts';
import { type Handset, startHandset } from '../src/main.ts';
import type { ProbePace } from '../src/whatsapp/probe.ts';
import { serveCommands, settledHeap, settledMemory } from './support/child.ts';

let handset: Handset | null = null;

serveCommands({
  async start(given: { readonly probePace?: ProbePace } = {}) {
    handset = await startHandset(readConfig(), given);
    return handset.url;
  },
  memory: () => settledMemory(),
  heap: () => settledHeap(),
  cpu: () => process.cpuUsage(),
  async stop() {
    await handset?.close();
  },
});
