/** As many event streams as a user may have, on one device to which a stranger writes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'node:http';
import { ask } from '../load/ask.ts';
import type { Attack } from './attack.ts';

const streamCount = 256;
/** Between two messages of the stranger. */
const everyMs = 50;
const stranger = '4915550000002';

export const streams: Attack = {
  name: 'streams',
  // At 100 requests a minute they would take three minutes to open; opening them is not what is measured.
  settings: { HANDSET_RATE_LIMIT: '1000' },
  async prepare({ url, attacker: { key, device } }) {
    const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
    const open = (): Promise<void> =>
      new Promise((resolve, reject) => {
        const one = request(`${url}/v1/devices/${device}/events`, { agent, headers }, (response) => {
          response.resume();
          if (response.statusCode === 200) resolve();
          else reject(new Error(`a stream: ${response.statusCode}`));
        });
        one.on('error', reject);
        one.end();
      });
    await Promise.all(Array.from({ length: streamCount }, open));
  },
  async run({ controlUrl, number }, ended) {
    const agent = new Agent({ keepAlive: true });
    await ask(agent, controlUrl, '', 'POST', '/phones', { number: stranger, name: 'stranger' });
    for (let n = 0; !ended.aborted; n += 1) {
      const message = { to: number, text: `message ${n}` };
      await ask(agent, controlUrl, '', 'POST', `/phones/${stranger}/messages`, message).catch(() => undefined);
      await sleep(everyMs);
    }
    agent.destroy();
  },
};
