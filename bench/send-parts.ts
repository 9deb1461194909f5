/**
 * `node bench/send-parts.ts`: what the two largest parts of a text cost by themselves, in CPU microseconds: HTTP and the service over a network that
 * accepts at once, and what the store writes for a text. Five rounds each: the first ones show what the compiler takes.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Account } from '../src/domain/session-state.ts';
import type { Stores } from '../src/domain/stores.ts';
import { messageDataOf } from '../src/whatsapp/translate/record.ts';
import { startHttp } from '../test/http/harness.ts';
import { acceptedRecord } from '../test/support/accepted.ts';
import { openTestStore } from '../test/support/store.ts';
import { inLines } from './support/compare.ts';
import { inRounds } from './support/cpu-rounds.ts';

const toNumber = '4915000000001';
const chat = `${toNumber}@s.whatsapp.net`;
const account: Account = {
  jid: '4916@s.whatsapp.net',
  lid: null,
  phoneNumber: '4916',
  name: 'Ann',
  platform: 'android',
};
const textOf = (id: string) =>
  ({ id, recipient: { kind: 'number', jid: chat, number: toNumber }, content: { kind: 'text', text: id } }) as const;

/** In a process of its own: what a client costs is no part of it. */
const beClient = (url: string, secret: string): void => {
  const dispatcher = new Agent({ connections: 64 });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` };
  const send = async (_line: number, left: number): Promise<void> => {
    const body = JSON.stringify({ toNumber, message: `text ${left}` });
    const answer = await request(url, { dispatcher, method: 'POST', headers, body });
    if (answer.statusCode !== 200) throw new Error(await answer.body.text());
    await answer.body.dump();
  };
  process.on('message', (count: number) => void inLines(count, 32, send).then(() => process.send!('done')));
};

const overHttp = async (): Promise<void> => {
  const count = 4_000;
  await using http = await startHttp({ rateLimit: 1_000_000 });
  const { network, service, userId } = http;
  const connect = network.connect.bind(network);
  network.connect = (options, listener) => ({
    ...connect(options, listener),
    async send(message, onTaken) {
      onTaken?.();
      await turn();
      return { record: acceptedRecord(message, account, Date.now()) };
    },
  });
  const id = await http.linked();
  const { secret } = await service.users.createKey(userId, { name: 'bench', expiresAt: null });
  const client = fork(import.meta.filename, [`${http.url}/v1/devices/${id}/messages/text`, secret]);
  await inRounds('HTTP and the service, main thread, a text', { count, main: true }, async () => {
    const done = once(client, 'message');
    client.send(count);
    await done;
  });
  client.disconnect();
};

/** The three transactions of a text, as the driver asks for them; those that wait at the same time share theirs. */
const writeTexts = async ({ credentials }: Stores, deviceId: number, count: number): Promise<void> => {
  const at = Date.now();
  const records = Array.from({ length: count }, () =>
    acceptedRecord(textOf(`3EB0${randomBytes(9).toString('hex').toUpperCase()}`), account, at),
  );
  const pending = { state: 'pending', acceptedAt: null, content: randomBytes(90) } as const;
  const keys = ['a', 'b'].map((id) => ({ type: 'session', id, value: randomBytes(900) }));
  await credentials.commit(deviceId, { keys, messages: records.map((record) => ({ ...record, ...pending })) });
  const told = { at, orderKey: chat };
  await Promise.all(
    records.map((record) =>
      credentials.commit(deviceId, {
        messageChanges: [{ messageId: record.id, chat, step: { state: 'accepted', at } }],
        events: [
          {
            ...told,
            event: { type: 'message.sent', data: { message: messageDataOf(record), source: 'api' } },
            dedupeKey: `message.sent ${chat} ${record.id}`,
          },
        ],
        sent: 1,
      }),
    ),
  );
  const place = { chat, chatNumber: toNumber, chatLid: null, update: { status: 'delivered' } } as const;
  await credentials.commit(deviceId, {
    messageChanges: records.map(({ id }) => ({ messageId: id, chat, step: { state: 'delivered', at } })),
    events: records.map(({ id }) => ({
      ...told,
      event: { type: 'message.updated', data: { messageId: id, ...place } },
      dedupeKey: `message.updated ${id} delivered`,
    })),
  });
};

const intoStore = async (): Promise<void> => {
  const store = await openTestStore();
  const { devices, users } = store.stores;
  const { id: userId } = await users.create('bench', 100, Date.now());
  const made = Array.from({ length: 20 }, (_, index) =>
    devices.create({ userId, name: `${index}`, webhookUrl: null, webhookEvents: [] }, Date.now()),
  );
  const ids = (await Promise.all(made)).map(({ id }) => id);
  await inRounds('the store, all threads, 20 devices, a text', { count: 40 * 20 * 4, main: false }, async () => {
    for (let burst = 0; burst < 40; burst += 1) await Promise.all(ids.map((id) => writeTexts(store.stores, id, 4)));
  });
  await store.close();
};

const [, , url, secret] = process.argv;
if (url !== undefined && secret !== undefined) beClient(url, secret);
else {
  await overHttp();
  await intoStore();
}
