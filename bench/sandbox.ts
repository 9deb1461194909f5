/** The sandbox network in a process of its own. */
import { startSandbox } from '../src/sandbox/sandbox.ts';
import { serveCommands, settledMemory } from './support/child.ts';

let sandbox: Awaited<ReturnType<typeof startSandbox>> | null = null;

serveCommands({
  async start() {
    sandbox = await startSandbox({ port: 0 });
    const { socketUrl, rootKey, mediaCa, controlUrl } = sandbox;
    return { socketUrl, rootKey, mediaCa, controlUrl };
  },
  memory: () => settledMemory(),
  async cpu() {
    return process.cpuUsage();
  },
});
