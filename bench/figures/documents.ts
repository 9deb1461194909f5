/** A 100 MB document by URL: the memory used from download to upload, above that of a service that has sent a small one. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Measured, type Scale, rounded } from '../support/measured.ts';
import { peakDuring } from '../support/peak.ts';
import { Stage } from '../support/stage.ts';
import { numbersFrom } from '../../test/system/support/settings.ts';

const peer = '4915000000001';
const megabyte = randomBytes(1_048_576);

/** Responds with a file of this size. */
const answer = async (response: ServerResponse, megabytes: number): Promise<void> => {
  response.writeHead(200, { 'content-length': megabytes * megabyte.length });
  for (let sent = 0; sent < megabytes; sent += 1) if (!response.write(megabyte)) await once(response, 'drain');
  response.end();
};

/** The maximum over some documents, each in a new process. */
export const measure = async ({ short }: Scale): Promise<Measured> => {
  const server = createServer(({ url = '' }, response) => {
    answer(response, Number(url.slice(1))).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using stage = await Stage.open({ HANDSET_REQUEST_TIMEOUT: '300', HANDSET_ALLOW_PRIVATE_URLS: 'true' });
  try {
    const numbers = numbersFrom(4_916_000_000_000, 1);
    await stage.addPhones([peer, ...numbers]);
    const [device] = await stage.connectOurs(numbers);
    const send = (megabytes: number): Promise<unknown> =>
      stage.ask(`/devices/${device!}/messages/document`, { toNumber: peer, mediaUrl: `${base}/${megabytes}` });
    // Loads the code.
    await send(1);
    const peaks: number[] = [];
    for (let n = 0; n < (short ? 2 : 4); n += 1) {
      // After collecting earlier garbage.
      await stage.ours.ask('memory');
      const peak = await peakDuring(stage.ours.process.pid!, () => send(100));
      if (peak !== null) peaks.push(peak);
    }
    return { figures: peaks.length > 0 ? { documentPeakMb: rounded(Math.max(...peaks)) } : {} };
  } finally {
    server.closeAllConnections();
    server.close();
  }
};
