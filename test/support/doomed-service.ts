/** The service in a process of its own that can be told where to be killed; the other end is in `mortal.ts`. */
import { serveCommands } from '../../bench/support/child.ts';
import { readConfig } from '../../src/config.ts';
import { makeLog } from '../../src/log.ts';
import { startHandset } from '../../src/main.ts';
import { type Doom, doomed } from './doom.ts';

let set: ((doom: Doom) => void) | null = null;

serveCommands({
  async start() {
    const { url } = await startHandset(readConfig(), {
      log: makeLog('silent'),
      watchStores(stores) {
        const trap = doomed(stores);
        set = (doom) => trap.set(doom);
        return trap.stores;
      },
    });
    return url;
  },
  doom(doom: Doom) {
    set?.(doom);
  },
});
