/** The service in its own process, with traps; `mortal.ts` is the other end. */
import { serveCommands } from '../../system/support/child.ts';
import { readConfig } from '../../../src/config.ts';
import { makeLog } from '../../../src/log.ts';
import { startHandset } from '../../../src/main.ts';
import { type Trap, Traps } from './traps.ts';
import { firstPreKeys } from '../phones.ts';
import { type Turns, watchTurns } from '../turns.ts';

let heldNow = 0;
let turns: Turns | null = null;
const traps = new Traps((held) => {
  heldNow = held;
});

// A trap set from the start.
const first = process.env['TEST_TRAP'];
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the test
if (first !== undefined) traps.add(JSON.parse(first) as Trap);

serveCommands({
  async start() {
    const watchStores = traps.around.bind(traps);
    return (await startHandset(readConfig(), { log: makeLog('silent'), watchStores, firstPreKeys })).url;
  },
  trap: (trap: Trap) => traps.add(trap),
  held: () => heldNow,
  longestTurnMs: () => (turns ??= watchTurns()).longestMs(),
});
