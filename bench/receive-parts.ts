/**
 * `node bench/receive-parts.ts`: what the store and the webhooks take of a received message, in CPU microseconds: its rows, the signed post to a
 * receiver in a process of its own, and the record of it. 20 devices, 8 chats each, 3 messages at a time in each chat.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { systemClock } from '../src/clock.ts';
import type { Account } from '../src/domain/session-state.ts';
import type { Stores } from '../src/domain/stores.ts';
import { makeOutbound } from '../src/outbound.ts';
import { makeDispatcher } from '../src/webhooks/dispatcher.ts';
import { messageDataOf } from '../src/whatsapp/translate/record.ts';
import { acceptedRecord } from '../test/support/accepted.ts';
import { openTestStore } from '../test/support/store.ts';
import { startChild } from './support/child.ts';
import { inRounds } from './support/cpu-rounds.ts';
import { numbersFrom } from './support/stage.ts';

const account: Account = {
  jid: '4916@s.whatsapp.net',
  lid: null,
  phoneNumber: '4916',
  name: 'Ann',
  platform: 'android',
};
const writers = numbersFrom(4_915_582_000_000, 8);
const together = 3;
const bursts = 5;

/** As the driver writes what has come together in one chat. */
const receive = async ({ credentials }: Stores, deviceId: number, number: string): Promise<void> => {
  const at = Date.now();
  const chat = `${number}@s.whatsapp.net`;
  const records = Array.from({ length: together }, () => {
    const id = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
    const recipient = { kind: 'number', jid: chat, number } as const;
    const record = acceptedRecord({ id, recipient, content: { kind: 'text', text: 'burst' } }, account, at);
    return { ...record, direction: 'in' as const, content: Buffer.alloc(40, 1) };
  });
  await credentials.commit(deviceId, {
    keys: [{ type: 'session', id: chat, value: Buffer.alloc(600, 1) }],
    inbox: records.map(({ id }) => ({ key: `${chat} ${id}`, plaintext: Buffer.alloc(40, 1) })),
    messages: records,
    events: records.map((record) => ({
      at,
      orderKey: chat,
      dedupeKey: `message.received ${chat} ${record.id}`,
      event: { type: 'message.received', data: { message: messageDataOf(record) } },
    })),
  });
};

const receiver = startChild('webhooks/receiver.ts');
const webhookUrl = await receiver.ask<string>('start');
const store = await openTestStore();
const { stores } = store;
const outbound = makeOutbound({ allowPrivateUrls: true, userAgent: 'Handset/bench' });
const dispatcher = makeDispatcher({ ...stores, outbound, clock: systemClock, log: pino({ level: 'silent' }) });
stores.onEvents(() => dispatcher.wake());
dispatcher.start();
const { id: userId } = await stores.users.create('bench', 100, Date.now());
const ids: number[] = [];
for (let device = 0; device < 20; device += 1) {
  const made = { userId, name: `${device}`, webhookUrl, webhookEvents: ['message.received'] as const };
  ids.push((await stores.devices.create(made, Date.now())).id);
}
const count = bursts * ids.length * writers.length * together;
await inRounds('store and webhooks, all threads, a message', { count, main: false }, async () => {
  const heard = receiver.ask('heard', count);
  for (let burst = 0; burst < bursts; burst += 1) {
    await Promise.all(ids.flatMap((id) => writers.map((number) => receive(stores, id, number))));
    await sleep(100);
  }
  await heard;
});
await dispatcher.stop();
await outbound.close();
await store.close();
await receiver.stop();
