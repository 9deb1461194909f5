/** The service in a process of its own, as `npm start` runs it. */
import { readConfig } from '../src/config.ts';
import { type Handset, startHandset } from '../src/main.ts';
import { serveCommands, settledMemory } from './support/child.ts';

let handset: Handset | null = null;

serveCommands({
  async start() {
    handset = await startHandset(readConfig());
    return handset.url;
  },
  memory: () => settledMemory(),
  cpu: () => process.cpuUsage(),
  async stop() {
    await handset?.close();
  },
});
