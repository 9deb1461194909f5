/** Data in every sealed column, and the proof that all of it can be read. */
import assert from 'node:assert/strict';
import type { Stores } from '../../../src/domain/stores.ts';
import { bytes, chatA, hook, lidA, received, record, textOf } from '../contract/fixture.ts';
import { logOf } from '../../support/event-log.ts';

/** Something in every sealed column. */
export const fill = async (stores: Stores): Promise<number> => {
  const user = await stores.users.create('owner', 5, 0);
  const device = { userId: user.id, name: 'Phone', webhookEvents: ['message.received'] as const, ...hook };
  const { id } = await stores.devices.create(device, 0);
  await stores.webhooks.rotateSecret(await stores.webhooks.primary(id), Date.now() + 1000);
  await stores.changes.commit(id, {
    credentials: bytes('credentials'),
    keys: Array.from({ length: 450 }, (_, index) => ({
      type: 'session',
      id: `key.${index}`,
      value: bytes(`v${index}`),
    })),
    inbox: [{ key: 'ab', plaintext: bytes('inbox plaintext') }],
    account: { jid: chatA, lid: lidA, phoneNumber: '4915112345678', name: 'Ann', platform: null },
    messages: [record('M1', { text: 'hello', chatLid: lidA, content: bytes('content') })],
    facts: [received('M1')],
  });
  const now = Date.now();
  const [due] = await stores.outbox.claim({ now, leaseUntil: now + 1, limit: 1, exceptWebhooks: [] });
  const rest = {
    webhookId: due!.webhookId,
    isPrimary: true,
    attempts: 1,
    nextAttemptAt: null,
    at: now,
    status: 500,
    durationMs: 1,
    response: 'answer',
  };
  await stores.outbox.record([{ seq: due!.seq, deviceId: id, state: 'failed', error: 'words', ...rest }]);
  return id;
};

/** All of it can be read, and found by its look-up. */
export const check = async (stores: Stores, id: number): Promise<void> => {
  assert.equal(textOf(await stores.credentials.loadCredentials(id)), 'credentials');
  assert.equal(textOf((await stores.credentials.readKeys(id, 'session', ['key.449'])).get('key.449')), 'v449');
  assert.equal((await stores.credentials.listKeys(id)).length, 450);
  assert.equal(textOf(await stores.credentials.readInbox(id, 'ab')), 'inbox plaintext');
  const [message] = (await stores.messages.list(id, { limit: 9, cursor: null, chat: lidA })).items;
  assert.deepEqual([message?.text, textOf(message?.content)], ['hello', 'content']);
  assert.equal((await logOf(stores.events, id)).length, 1);
  const repeated = await stores.changes.commit(id, {
    facts: [received('M1')],
  });
  assert.deepEqual(repeated, [], 'what was told is still known');
  const { items } = await stores.outbox.list(id, { limit: 9, cursor: null });
  assert.deepEqual([items[0]?.lastError, items[0]?.lastResponse], ['words', 'answer']);
  const device = await stores.devices.find(id);
  assert.deepEqual([device?.webhookUrl, device?.account?.name], [hook.webhookUrl, 'Ann']);
  const webhook = await stores.webhooks.primary(id);
  assert.match(webhook.secret, /^whsec_/);
  assert.match(webhook.previousSecret ?? '', /^whsec_/);
};
