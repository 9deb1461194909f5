/** Clients that ask for large pages and never read: six connections, each of which asks again and again. */
import { connect } from 'node:net';
import { seedLargeMessages } from './pages.ts';
import type { Attack } from './attack.ts';

export const unread: Attack = {
  name: 'unread',
  seed: seedLargeMessages,
  async run({ url, attacker: { key, device } }, ended) {
    const head = [
      `GET /v1/devices/${device}/messages?limit=1000 HTTP/1.1`,
      'Host: attack',
      `Authorization: Bearer ${key}`,
      '',
      '',
    ].join('\r\n');
    const { hostname, port } = new URL(url);
    for (let n = 0; n < 6; n += 1) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(head.repeat(10));
      ended.addEventListener('abort', () => socket.destroy());
    }
    await new Promise((resolve) => ended.addEventListener('abort', resolve));
  },
};
