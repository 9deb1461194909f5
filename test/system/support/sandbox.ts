/** The sandbox network in a process of its own. */
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { serveCommands, settledMemory } from './child.ts';

let sandbox: Awaited<ReturnType<typeof startSandbox>> | null = null;

serveCommands({
  /** `lenient` where stock Baileys sockets take part, which write to the address that they are given. */
  async start(addressing?: 'lenient') {
    sandbox = await startSandbox({ port: 0, ...(addressing !== undefined && { addressing }) });
    const { socketUrl, rootKey, mediaCa, controlUrl } = sandbox;
    return { socketUrl, rootKey, mediaCa, controlUrl };
  },
  memory: () => settledMemory(),
  async cpu() {
    return process.cpuUsage();
  },
});
