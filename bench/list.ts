/** `node bench/list.ts`: what the list of 1,000 linked devices takes of the main thread, by HTTP and over the store, in CPU microseconds. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startHttp } from '../test/http/harness.ts';
import { inRounds } from './support/cpu-rounds.ts';
import { Requests } from './support/requests.ts';
import { numbersFrom } from './support/stage.ts';

const devices = 1_000;
const lists = 31;

/** In a process of its own: what a client costs is no part of it. */
const beClient = (url: string, secret: string): void => {
  const requests = new Requests();
  process.on('message', () => {
    const ask = async (): Promise<void> => {
      for (let list = 0; list < lists; list += 1) await requests.ask('GET', url, undefined, secret);
      process.send!('done');
    };
    void ask();
  });
};

const measure = async (): Promise<void> => {
  await using http = await startHttp({ rateLimit: 1_000_000 });
  const { users } = http.service;
  const { id: userId } = await users.createUser('many', devices);
  const { secret } = await users.createKey(userId, { name: 'bench', expiresAt: null });
  const kinds = ['message.received', 'message.sent', 'message.updated'] as const;
  for (const phoneNumber of numbersFrom(4_915_700_000_000, devices)) {
    const made = { userId, name: phoneNumber, webhookUrl: 'https://example.com/hook', webhookEvents: kinds };
    const { id } = await http.stores.devices.create(made, Date.now());
    const account = { jid: `${phoneNumber}@s.whatsapp.net`, lid: null, phoneNumber, name: null, platform: 'android' };
    await http.stores.credentials.commit(id, { account });
  }
  const client = fork(import.meta.filename, [`${http.url}/v1/devices?limit=${devices}`, secret]);
  await inRounds(`the list of ${devices} devices`, { count: lists, main: true }, async () => {
    const done = once(client, 'message');
    client.send('go');
    await done;
  });
  client.disconnect();
};

const [, , url, secret] = process.argv;
if (url !== undefined && secret !== undefined) beClient(url, secret);
else await measure();
