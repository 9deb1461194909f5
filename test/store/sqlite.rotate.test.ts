/** Rotation of the secret at rest: all of it, verified, and finished after a cut at any step. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { openStore } from '../../src/store/open-sqlite.ts';
import { sealedTables } from '../../src/store/admin/sealed-tables.ts';
import { rotateSecret } from '../../src/store/admin/rotate.ts';
import { makeSealer } from '../../src/store/sealing/sealer.ts';
import { openTestStore } from '../support/store.ts';
import { bytes } from './contract/fixture.ts';
import { check, fill } from './support/sealed.ts';

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
    const known = sealedTables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`));
    // Marks are handled by themselves, hashes are not sealed, and the times of rates are no secret.
    const others = ['api_keys.hash', 'meta.value', 'rates.times', 'sign_ins.hash'].filter((name) =>
      found.includes(name),
    );
    assert.deepEqual(found, [...known, ...others].sort());
    await store.close();
  });

  it('seals everything anew, twice, and the old secret opens nothing', async () => {
    const store = await openTestStore();
    const { dataDir } = store;
    const id = await fill(store.stores);
    const revision = { revision: 1_043_857_760, firstSeenAt: 5 };
    await store.stores.clientRevisions.keep('whatsapp', revision);
    await assert.rejects(rotateSecret({ dataDir, secret: null, newSecret: null }), /in use by another Handset process/);
    await store.stores.close();
    for (let round = 0; round < 2; round += 1) {
      const former = secretOf(dataDir);
      const { resealed, verified } = await rotateSecret({ dataDir, secret: null, newSecret: null });
      assert.ok(resealed > 458 && verified === resealed, `${resealed} ${verified}`);
      assert.notEqual(secretOf(dataDir), former);
      assert.equal(statSync(join(dataDir, 'secret')).mode & 0o777, 0o600);
      assert.deepEqual(readdirSync(dataDir).sort(), ['generation.json', 'handset.db', 'lock', 'secret']);
      const keyId = Buffer.from(makeSealer(former).seal(bytes(''), '')).subarray(0, 5);
      assert.ok(!readFileSync(join(dataDir, 'handset.db')).includes(keyId), 'no envelope of the old secret is left');
      await assert.rejects(openStore({ dataDir, secret: former }), /sealed with another secret/);
      await check(await store.reopen(), id);
      assert.deepEqual(await store.stores.clientRevisions.load('whatsapp'), revision);
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
    await rotateSecret({ dataDir, secret: null, newSecret: 'the first of the environment, long enough' });
    assert.ok(!existsSync(join(dataDir, 'secret')));
    await assert.rejects(
      rotateSecret({ dataDir, secret: 'the first of the environment, long enough', newSecret: null }),
      /set HANDSET_NEW_SECRET/,
    );
    await assert.rejects(
      rotateSecret({ dataDir, secret: 'a wrong one', newSecret: 'x'.repeat(32) }),
      /sealed with another secret/,
    );
    await rotateSecret({
      dataDir,
      secret: 'the first of the environment, long enough',
      newSecret: 'the second of the environment, long enough',
    });
    const stores = await openStore({ dataDir, secret: 'the second of the environment, long enough' });
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
    await assert.rejects(
      rotateSecret({ dataDir, secret: null, newSecret: 'one'.padEnd(32, '.'), step: cut }),
      /the power is out/,
    );
    await assert.rejects(
      rotateSecret({ dataDir, secret: null, newSecret: 'two'.padEnd(32, '.') }),
      /run it again with that/,
    );
    await rotateSecret({ dataDir, secret: null, newSecret: 'one'.padEnd(32, '.') });
    await (await openStore({ dataDir, secret: 'one'.padEnd(32, '.') })).close();
    await rm(dataDir, { recursive: true });
  });
});
