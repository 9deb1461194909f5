/** Backups while the store is written to, and their restoration: sound, sealed, and without ratchets that have gone on. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { backupFolder, restoreFolder } from '../../src/store/admin/backup.ts';
import { openStore } from '../../src/store/open-sqlite.ts';
import { openTestStore } from '../support/store.ts';
import { eventually } from '../support/wait.ts';
import { bytes, chatA, received, record, textOf } from './contract/fixture.ts';
import { logOf } from '../support/event-log.ts';

const everything = { limit: 1000, cursor: null };

const secretOf = (dataDir: string): string => readFileSync(join(dataDir, 'secret'), 'utf8').trim();

describe('a backup', () => {
  it('made while others write is one moment of the store, sealed, and restores it elsewhere', async () => {
    const store = await openTestStore();
    const { stores, dataDir } = store;
    const user = await stores.users.create('owner', 5, 0);
    const wish = { userId: user.id, name: 'Phone', webhookEvents: [], webhookUrl: null };
    const { id } = await stores.devices.create(wish, 0);
    const account = { jid: chatA, lid: null, phoneNumber: '4915112345678', name: 'Ann', platform: null };
    const keys = ['session', 'sender-key', 'pre-key'].map((type) => ({ type, id: 'x', value: bytes(type) }));
    await stores.changes.commit(id, { credentials: bytes('credentials'), keys, account });
    const writing = new AbortController();
    const written: string[] = [];
    const writer = (async () => {
      for (let n = 0; !writing.signal.aborted; n += 1) {
        // Both in one transaction: a copy has both or neither.
        await stores.changes.commit(id, { messages: [record(`M${n}`)], facts: [received(`M${n}`)] });
        written.push(`M${n}`);
      }
    })();
    const folder = await mkdtemp(join(tmpdir(), 'handset-backup-'));
    const file = join(folder, 'copy.db');
    await eventually('something to save', () => written.length >= 3);
    const before = written.length;
    const size = await backupFolder(dataDir, file);
    writing.abort();
    await writer;
    assert.equal(statSync(file).size, size);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['copy.db'], 'nothing is left beside it');
    assert.ok(!readFileSync(file).includes('4915112345678'), 'it is sealed as the store is');
    await assert.rejects(backupFolder(dataDir, file), /exists already/);
    await assert.rejects(restoreFolder(dataDir, file, null), /in use by another Handset process/);

    const target = join(folder, 'elsewhere');
    await assert.rejects(restoreFolder(target, file, null), /its secret is missing/);
    await assert.rejects(restoreFolder(target, file, 'a wrong one'), /sealed with another secret/);
    const secret = secretOf(dataDir);
    const { verified, former } = await restoreFolder(target, file, secret);
    assert.ok(verified >= 6 && former === null);
    const restored = await openStore({ dataDir: target, secret });
    const messages = (await restored.messages.list(id, everything)).items.map((message) => message.id);
    const events = await logOf(restored.events, id);
    assert.equal(messages.length, events.length, 'one moment');
    assert.ok(messages.length >= before && messages.length <= written.length);
    assert.equal(textOf(await restored.credentials.loadCredentials(id)), 'credentials');
    assert.deepEqual((await restored.devices.find(id))?.account, account);
    const left = (await restored.credentials.listKeys(id)).map(({ type }) => type);
    assert.deepEqual(left, ['pre-key', 'restored'], 'no ratchet is used twice, and the driver is told');
    const { items } = await restored.audit.list(everything);
    assert.equal(items[0]?.action, 'backup.restored');
    await restored.close();
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('replaces what is there, which is kept, and a broken one changes nothing', async () => {
    const store = await openTestStore();
    const { dataDir } = store;
    await store.stores.users.create('early', 5, 0);
    const file = join(dataDir, 'copy.db');
    await backupFolder(dataDir, file);
    await store.stores.users.create('late', 5, 0);
    await store.stores.close();
    const broken = join(dataDir, 'broken.db');
    for (const content of [Buffer.from('no database'), readFileSync(file).subarray(0, 5000), Buffer.alloc(0)]) {
      writeFileSync(broken, content);
      await assert.rejects(restoreFolder(dataDir, broken, null), /no sound backup/);
    }
    await assert.rejects(restoreFolder(dataDir, join(dataDir, 'none.db'), null), /There is no file/);
    const names = async (): Promise<string[]> => (await store.stores.users.list()).map(({ name }) => name);
    await store.reopen();
    assert.deepEqual(await names(), ['early', 'late']);
    await store.stores.close();
    const { former } = await restoreFolder(dataDir, file, null);
    await store.reopen();
    assert.deepEqual(await names(), ['early']);
    await store.stores.close();
    assert.ok(former !== null && existsSync(former) && !existsSync(join(dataDir, 'restore.tmp')));
    await restoreFolder(dataDir, former, null);
    await store.reopen();
    assert.deepEqual(await names(), ['early', 'late']);
    await store.close();
  });
});
