/** The files of a stolen data folder show no number, no text and no key. */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { openStore } from '../../src/store/open-sqlite.ts';
import { rotateSecret } from '../../src/store/admin/rotate.ts';
import { SealBroken, makeSealer } from '../../src/store/sealing/sealer.ts';
import { openTestStore } from '../support/store.ts';
import { bytes, chatA, hook, lidA, received, record } from './contract/fixture.ts';

const number = '4915112345678';
const lid = '98765432101234';

/** Every byte of every file of the store but the secret. */
const filesOf = (dataDir: string): Buffer =>
  Buffer.concat(
    readdirSync(dataDir)
      .filter((name) => name !== 'secret')
      .map((name) => readFileSync(join(dataDir, name))),
  );

describe('seal', () => {
  const sealer = makeSealer('a secret');

  it('opens what it sealed, in its context only, and nothing that was changed', () => {
    const envelope = sealer.seal(bytes('plain'), 'keys/1');
    assert.equal(Buffer.from(sealer.open(envelope, 'keys/1')).toString(), 'plain');
    assert.equal(Buffer.from(makeSealer('a secret').open(envelope, 'keys/1')).toString(), 'plain');
    assert.throws(() => sealer.open(envelope, 'keys/2'), SealBroken);
    assert.throws(() => makeSealer('another').open(envelope, 'keys/1'), SealBroken);
    for (let index = 0; index < envelope.length; index += 1) {
      const changed = Buffer.from(envelope);
      changed[index] = changed[index]! ^ 1;
      assert.throws(() => sealer.open(changed, 'keys/1'), SealBroken, `byte ${index}`);
    }
    assert.throws(() => sealer.open(envelope.subarray(0, 20), 'keys/1'), SealBroken);
  });

  it('never uses a nonce twice', () => {
    const nonces = Array.from({ length: 1000 }, () => Buffer.from(sealer.seal(bytes('x'), '')).toString('hex', 5, 17));
    assert.equal(new Set(nonces).size, 1000);
    assert.notEqual(
      Buffer.from(makeSealer('a secret').seal(bytes('x'), '')).toString('hex', 5, 17),
      Buffer.from(makeSealer('a secret').seal(bytes('x'), '')).toString('hex', 5, 17),
    );
  });

  it('looks up by a hash that depends on the secret, the device and the scope', () => {
    const hash = sealer.lookup('chat', 1, chatA);
    assert.equal(makeSealer('a secret').lookup('chat', 1, chatA), hash);
    assert.equal(hash.length, 22);
    const others = [
      sealer.lookup('chat', 2, chatA),
      sealer.lookup('order', 1, chatA),
      makeSealer('b').lookup('chat', 1, chatA),
    ];
    assert.equal(new Set([hash, ...others]).size, 4);
  });
});

describe('the hash of a look-up', () => {
  it('is HMAC with SHA-256, whatever the text', () => {
    const sealer = makeSealer('a secret');
    const key = Buffer.from(sealer.lookupKey, 'base64');
    for (const text of ['', chatA, 'größer 👍', 'x'.repeat(1_015), 'ü'.repeat(1_024), '語'.repeat(4_000), chatA]) {
      const hash = createHmac('sha256', key).update(`dedupe/7/${text}`).digest('base64url');
      assert.equal(sealer.lookup('dedupe', 7, text), hash.slice(0, 22));
    }
  });

  it('is of the adopted key, whatever was looked up before', () => {
    const sealer = makeSealer('a secret');
    const before = sealer.lookup('chat', 7, chatA);
    assert.equal(sealer.lookup('chat', 7, chatA), before);
    const key = Buffer.alloc(32, 7);
    sealer.adoptLookupKey(key.toString('base64'));
    const hash = createHmac('sha256', key).update(`chat/7/${chatA}`).digest('base64url');
    assert.equal(sealer.lookup('chat', 7, chatA), hash.slice(0, 22));
  });
});

describe('the files of the store', () => {
  it('hold nothing in the clear', async () => {
    const store = await openTestStore();
    const { stores, dataDir } = store;
    const user = await stores.users.create('owner', 5, 0);
    const { id } = await stores.devices.create(
      {
        userId: user.id,
        name: 'Phone',
        webhookEvents: ['message.received'],
        webhookUrl: `${hook.webhookUrl}?t=urltoken`,
      },
      0,
    );
    const { secret } = await stores.webhooks.primary(id);
    await stores.changes.commit(id, {
      credentials: bytes('private-noise-key'),
      keys: [{ type: 'session', id: `${number}.0`, value: bytes('private-ratchet') }],
      inbox: [{ key: 'ab', plaintext: bytes('inbox plaintext') }],
      account: { jid: chatA, lid: lidA, phoneNumber: number, name: 'Ann Example', platform: null },
      messages: [record('M1', { text: 'hello message', chatLid: lidA, content: bytes('content bytes') })],
      messageChanges: [{ messageId: 'M1', chat: lidA, text: 'edited message' }],
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
    };
    await stores.outbox.record([
      { seq: due!.seq, deviceId: id, state: 'failed', error: 'error words', response: 'echoed answer', ...rest },
    ]);
    await stores.idempotency.begin({
      deviceId: id,
      key: 'order-of-ann',
      fingerprint: 'f',
      messageId: 'm',
      runId: 'r',
      now,
    });
    const secrets = [
      number,
      lid,
      'private-',
      'inbox plaintext',
      'Ann Example',
      'Hello',
      'hello message',
      'edited message',
    ];
    const more = ['content bytes', 'error words', 'echoed answer', 'urltoken', 'order-of-ann', secret.slice(6)];
    const whileOpen = filesOf(dataDir);
    assert.ok(whileOpen.includes('owner'), 'the search sees what is in the clear');
    assert.ok(readdirSync(dataDir).includes('handset.db-wal'));
    for (const text of [...secrets, ...more]) assert.ok(!whileOpen.includes(text), text);
    await store.reopen();
    for (const text of [...secrets, ...more]) assert.ok(!filesOf(dataDir).includes(text), text);
    await store.close();
  });

  it('have idempotency keys with keyed fingerprints', async () => {
    const store = await openTestStore();
    const user = await store.stores.users.create('owner', 5, 0);
    const wanted = { userId: user.id, name: 'Phone', webhookEvents: [], webhookUrl: null };
    const { id: deviceId } = await store.stores.devices.create(wanted, 0);
    // As somebody who reads the file would make it of every code of six digits.
    const fingerprint = createHash('sha256').update('text\\0message\\x006\\x00123456').digest('hex');
    const entry = { deviceId, key: 'code', fingerprint, messageId: 'M1', runId: 'r', now: Date.now() };
    const { idempotency } = store.stores;
    await idempotency.begin(entry);
    await idempotency.finish(deviceId, 'code');
    assert.ok(!filesOf(store.dataDir).includes(fingerprint));
    const { kind } = await idempotency.begin({ ...entry, messageId: 'M2' });
    assert.equal(kind, 'done');
    await store.stores.close();
    const file = new DatabaseSync(join(store.dataDir, 'handset.db'));
    const [row] = file.prepare('select fingerprint from idempotency').all();
    assert.match(String(row?.['fingerprint']), /^[\w-]{22}$/);
    file.close();
    const again = await openStore({ dataDir: store.dataDir, secret: null });
    assert.equal((await again.idempotency.begin({ ...entry, messageId: 'M2' })).kind, 'done');
    const other = await again.idempotency.begin({ ...entry, fingerprint: 'another' });
    assert.equal(other.kind, 'mismatch');
    await again.close();
  });

  it('are for their owner alone', async () => {
    const dataDir = join(await mkdtemp(join(tmpdir(), 'handset-modes-')), 'data');
    const stores = await openStore({ dataDir, secret: null });
    await stores.users.create('owner', 1, 0);
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    const names = readdirSync(dataDir).sort();
    assert.deepEqual(names, ['generation.json', 'handset.db', 'handset.db-shm', 'handset.db-wal', 'lock', 'secret']);
    for (const name of names) assert.equal(statSync(join(dataDir, name)).mode & 0o777, 0o600, name);
    await stores.close();
    await rm(join(dataDir, '..'), { recursive: true });
  });

  it('lose the rows of a deleted device, sealed as they are', async () => {
    const store = await openTestStore();
    const { stores, dataDir } = store;
    const user = await stores.users.create('owner', 5, 0);
    const { id } = await stores.devices.create(
      { userId: user.id, name: 'Gone', webhookEvents: [], webhookUrl: null },
      0,
    );
    await stores.changes.commit(id, { messages: [record('MESSAGE-ID-IN-CLEAR')] });
    assert.ok(filesOf(dataDir).includes('MESSAGE-ID-IN-CLEAR'));
    await stores.devices.delete(id);
    assert.ok(!filesOf(dataDir).includes('MESSAGE-ID-IN-CLEAR'));
    await store.close();
  });
});

describe('the secret', () => {
  it('must be long enough, at the first start and for a rotation', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'handset-weak-'));
    const path = join(dataDir, 'handset.db');
    await assert.rejects(openStore({ dataDir, secret: 'x' }), /HANDSET_SECRET must have at least 32 characters/);
    assert.ok(!existsSync(path), 'and nothing was begun');
    const strong = 'long enough'.padEnd(32, '.');
    await (await openStore({ dataDir, secret: strong })).close();
    await assert.rejects(rotateSecret({ dataDir, secret: strong, newSecret: 'y' }), /HANDSET_NEW_SECRET must have/);
    await (await openStore({ dataDir, secret: strong })).close();
    await rm(dataDir, { recursive: true });
  });

  it('may move from its file to the configuration, and a wrong or lost one is told', async () => {
    const store = await openTestStore();
    const { dataDir } = store;
    await store.stores.users.create('owner', 5, 0);
    await store.stores.close();
    const path = join(dataDir, 'secret');
    const kept = readFileSync(path, 'utf8');
    assert.match(kept, /^[A-Za-z0-9_-]{43}\n$/);
    await assert.rejects(openStore({ dataDir, secret: 'not the one' }), /sealed with another secret/);
    rmSync(path);
    await assert.rejects(openStore({ dataDir, secret: null }), /its secret is missing: set HANDSET_SECRET or restore/);
    const moved = await openStore({ dataDir, secret: kept.trim() });
    assert.equal((await moved.users.list()).length, 1);
    await moved.close();
    writeFileSync(path, '');
    await assert.rejects(openStore({ dataDir, secret: null }), /is empty/);
    await rm(dataDir, { recursive: true });
  });
});
