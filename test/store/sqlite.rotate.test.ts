/** Rotation of the secret at rest: all of it, verified, and finished after a cut at any step. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import type { Stores } from '../../src/domain/stores.ts';
import { openStore } from '../../src/store/open.ts';
import { sealedTables } from '../../src/store/reseal.ts';
import { rotateSecret } from '../../src/store/rotate.ts';
import { makeSeal } from '../../src/store/seal.ts';
import { openTestStore } from '../support/store.ts';
import { bytes, chatA, hook, lidA, received, record, textOf } from './contract/fixture.ts';

/** Something in every sealed column. */
const fill = async (stores: Stores): Promise<number> => {
  const user = await stores.users.create('owner', 5, 0);
  const device = { userId: user.id, name: 'Phone', webhookEvents: ['message.received'] as const, ...hook };
  const { id } = await stores.devices.create(device, 0);
  await stores.webhooks.get(id);
  await stores.webhooks.rotateSecret(id, Date.now() + 1000);
  await stores.credentials.commit(id, {
    credentials: bytes('credentials'),
    keys: Array.from({ length: 450 }, (_, index) => ({
      type: 'session',
      id: `key.${index}`,
      value: bytes(`v${index}`),
    })),
    inbox: [{ key: 'ab', plaintext: bytes('inbox plaintext') }],
    account: { jid: chatA, lid: lidA, phoneNumber: '4915112345678', name: 'Ann', platform: null },
    messages: [record('M1', { text: 'hello', chatLid: lidA, content: bytes('content') })],
    events: [received('M1', chatA, { dedupeKey: `${chatA}/M1` })],
  });
  const now = Date.now();
  const [due] = await stores.outbox.claim({ now, leaseUntil: now + 1, limit: 1, exceptDevices: [] });
  const rest = { attempts: 1, nextAttemptAt: null, at: now, status: 500, durationMs: 1, response: 'answer' };
  await stores.outbox.record([{ id: due!.id, deviceId: id, state: 'failed', error: 'words', ...rest }]);
  return id;
};

/** All of it can be read, and found by its look-up. */
const check = async (stores: Stores, id: number): Promise<void> => {
  assert.equal(textOf(await stores.credentials.loadCredentials(id)), 'credentials');
  assert.equal(textOf((await stores.credentials.readKeys(id, 'session', ['key.449'])).get('key.449')), 'v449');
  assert.equal((await stores.credentials.listKeys(id)).length, 450);
  assert.equal(textOf(await stores.credentials.readInbox(id, 'ab')), 'inbox plaintext');
  const [message] = (await stores.messages.list(id, { limit: 9, cursor: null, chat: lidA })).items;
  assert.deepEqual([message?.text, textOf(message?.content)], ['hello', 'content']);
  assert.equal((await stores.events.listAfter(id, null, 9)).length, 1);
  const repeated = await stores.credentials.commit(id, {
    events: [received('M1', chatA, { dedupeKey: `${chatA}/M1` })],
  });
  assert.deepEqual(repeated, [], 'what was told is still known');
  const { items } = await stores.outbox.list(id, { limit: 9, cursor: null });
  assert.deepEqual([items[0]?.lastError, items[0]?.lastResponse], ['words', 'answer']);
  const device = await stores.devices.find(id);
  assert.deepEqual([device?.webhookUrl, device?.account?.name], [hook.webhookUrl, 'Ann']);
  const webhook = await stores.webhooks.get(id);
  assert.match(webhook.secret, /^whsec_/);
  assert.match(webhook.previousSecret ?? '', /^whsec_/);
};

const secretOf = (dataDir: string): string => readFileSync(join(dataDir, 'secret'), 'utf8').trim();

describe('rotation of the secret', () => {
  it('knows every sealed column of the schema', async () => {
    const store = await openTestStore();
    const database = new DatabaseSync(join(store.dataDir, 'handset.db'), { readOnly: true });
    const found = database
      .prepare(
        `select t.name || '.' || c.name as name from sqlite_master t, pragma_table_info(t.name) c
         where t.type = 'table' and lower(c.type) = 'blob' order by 1`,
      )
      .all()
      .map(({ name }) => name);
    database.close();
    const known = sealedTables.flatMap(({ name, columns }) =>
      Object.keys(columns).map((column) => `${name}.${column}`),
    );
    // Marks are handled by themselves, hashes are not sealed, and the times of rates are no secret.
    const others = ['api_keys.hash', 'meta.value', 'rates.times'].filter((name) => found.includes(name));
    assert.deepEqual(found, [...known, ...others].sort());
    await store.close();
  });

  it('seals everything anew, twice, and the old secret opens nothing', async () => {
    const store = await openTestStore();
    const { dataDir } = store;
    const id = await fill(store.stores);
    await assert.rejects(rotateSecret({ dataDir, secret: null, newSecret: null }), /in use by another Handset process/);
    await store.stores.close();
    for (let round = 0; round < 2; round += 1) {
      const former = secretOf(dataDir);
      const { resealed, verified } = await rotateSecret({ dataDir, secret: null, newSecret: null });
      assert.ok(resealed > 458 && verified === resealed, `${resealed} ${verified}`);
      assert.notEqual(secretOf(dataDir), former);
      assert.equal(statSync(join(dataDir, 'secret')).mode & 0o777, 0o600);
      assert.deepEqual(readdirSync(dataDir).sort(), ['handset.db', 'lock', 'secret']);
      const keyId = Buffer.from(makeSeal(former).seal(bytes(''), '')).subarray(0, 5);
      assert.ok(!readFileSync(join(dataDir, 'handset.db')).includes(keyId), 'no envelope of the old secret is left');
      await assert.rejects(openStore({ dataDir, secret: former }), /sealed with another secret/);
      await check(await store.reopen(), id);
      const { items } = await store.stores.audit.list({ limit: 1, cursor: null });
      assert.deepEqual([items[0]?.action, items[0]?.detail], ['secret.rotated', { values: verified }]);
      await store.stores.close();
    }
    await rm(dataDir, { recursive: true });
  });

  it('moves the secret out of the folder, and between secrets of the environment', async () => {
    const store = await openTestStore();
    const { dataDir } = store;
    const id = await fill(store.stores);
    await store.stores.close();
    await rotateSecret({ dataDir, secret: null, newSecret: 'the first of the environment' });
    assert.ok(!existsSync(join(dataDir, 'secret')));
    await assert.rejects(
      rotateSecret({ dataDir, secret: 'the first of the environment', newSecret: null }),
      /set HANDSET_NEW_SECRET/,
    );
    await assert.rejects(
      rotateSecret({ dataDir, secret: 'a wrong one', newSecret: 'x' }),
      /sealed with another secret/,
    );
    await rotateSecret({ dataDir, secret: 'the first of the environment', newSecret: 'the second' });
    const stores = await openStore({ dataDir, secret: 'the second' });
    await check(stores, id);
    await stores.close();
    await rm(dataDir, { recursive: true });
  });

  for (const last of ['prepared', 'resealed', 'marked', 'replaced'] as const) {
    it(`is finished by a second run when the first one is cut off after "${last}"`, async () => {
      const store = await openTestStore();
      const { dataDir } = store;
      const id = await fill(store.stores);
      await store.stores.close();
      const cut = (name: string): void => {
        if (name === last) throw new Error('the power is out');
      };
      await assert.rejects(rotateSecret({ dataDir, secret: null, newSecret: null, step: cut }), /the power is out/);
      await assert.rejects(
        openStore({ dataDir, secret: null }),
        /unfinished: run "handset rotate-secret" to finish it/,
      );
      await rotateSecret({ dataDir, secret: null, newSecret: null });
      assert.ok(!existsSync(join(dataDir, 'secret.next')));
      await check(await store.reopen(), id);
      await store.close();
    });
  }

  it('does not mix two rotations', async () => {
    const store = await openTestStore();
    const { dataDir } = store;
    await fill(store.stores);
    await store.stores.close();
    const cut = (): void => {
      throw new Error('the power is out');
    };
    await assert.rejects(rotateSecret({ dataDir, secret: null, newSecret: 'one', step: cut }), /the power is out/);
    await assert.rejects(rotateSecret({ dataDir, secret: null, newSecret: 'two' }), /run it again with that/);
    await rotateSecret({ dataDir, secret: null, newSecret: 'one' });
    await (await openStore({ dataDir, secret: 'one' })).close();
    await rm(dataDir, { recursive: true });
  });
});
