/** A process in which something fails that nobody waits for. */
import { setImmediate } from 'node:timers/promises';
import { makeLog } from '../../../src/log.ts';
import { logUnhandledRejections } from '../../../src/whatsapp/library/process.ts';

const log = makeLog('error');
if (process.argv.includes('--told')) for (let time = 0; time < 2; time += 1) logUnhandledRejections(log);
void Promise.reject(new Error('no call of 4915200000001'));
await setImmediate();
await setImmediate();
process.stdout.write('still there\n');
