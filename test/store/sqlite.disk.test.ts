/** A disk that is full or read-only: clear errors, no corruption, and it goes on by itself afterwards. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, describe, it } from 'node:test';
import { pino } from 'pino';
import { openStore } from '../../src/store/open-sqlite.ts';
import { diskErrorOf, inOurTerms } from '../../src/store/sqlite/disk-errors.ts';
import { eventually } from '../support/wait.ts';
import { record, textOf } from './contract/fixture.ts';

const run = (...command: readonly [string, ...string[]]): boolean =>
  spawnSync(command[0], command.slice(1), { stdio: 'ignore' }).status === 0;

/** A disk of so many MB, or null where this machine does not let us make one. */
const smallDisk = async (t: TestContext, size: number): Promise<string | null> => {
  const path = await mkdtemp(join(tmpdir(), 'handset-disk-'));
  t.after(async () => {
    run('umount', path);
    await rm(path, { recursive: true });
  });
  if (run('mount', '-t', 'tmpfs', '-o', `size=${size}m,mode=0700`, 'tmpfs', path)) return path;
  t.skip('this user may not mount a disk');
  return null;
};

const big = (id: string) => record(id, { content: new Uint8Array(200_000) });

describe('a disk that is full', () => {
  it('fails what is written, keeps what was, and goes on when there is room', async (t) => {
    const disk = await smallDisk(t, 8);
    if (disk === null) return;
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const dataDir = join(disk, 'data');
    const stores = await openStore({ dataDir, secret: null, log });
    const user = await stores.users.create('owner', 5, 0);
    const wish = { userId: user.id, name: 'Phone', webhookEvents: [], webhookUrl: null };
    const { id } = await stores.devices.create(wish, 0);
    // What fills the disk is somebody else's.
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(4 * 1_048_576));
    const kept: string[] = [];
    const fill = async (): Promise<unknown> => {
      for (let n = 0; n < 100; n += 1) {
        try {
          await stores.changes.commit(id, { messages: [big(`M${n}`)] });
          kept.push(`M${n}`);
        } catch (error) {
          return error;
        }
      }
      return null;
    };
    const failure = await fill();
    assert.equal(diskErrorOf(failure), 'the disk is full; make room');
    assert.ok(kept.length > 2);
    const many = Array.from({ length: 50 }, (_, n) => stores.changes.commit(id, { messages: [big(`N${n}`)] }));
    assert.ok((await Promise.allSettled(many)).some(({ status }) => status === 'rejected'));
    const rest = join(disk, 'rest');
    assert.throws(() => writeFileSync(rest, Buffer.alloc(4 * 1_048_576)), { code: 'ENOSPC' });
    // Until not even a page fits: what was freed by a rollback is used again first.
    await eventually('it says that it is not ready', async () => !(await stores.ping()));
    const said = lines.filter((line) => line.includes('the disk is full; make room'));
    assert.equal(said.length, 1, 'one line for all of it');
    const page = { limit: 1000, cursor: null };
    const found = (await stores.messages.list(id, page)).items.map((message) => message.id);
    assert.ok(
      kept.every((message) => found.includes(message)),
      'what was there can be read',
    );
    rmSync(ballast);
    rmSync(rest);
    assert.equal(await stores.ping(), true);
    await stores.changes.commit(id, { credentials: Buffer.from('after'), messages: [record('LAST')] });
    assert.equal(textOf(await stores.credentials.loadCredentials(id)), 'after');
    await stores.close();
    const database = new DatabaseSync(join(dataDir, 'handset.db'));
    assert.equal(database.prepare('pragma integrity_check').get()?.['integrity_check'], 'ok');
    database.close();
    const again = await openStore({ dataDir, secret: null });
    const ids = (await again.messages.list(id, page)).items.map((message) => message.id);
    assert.ok([...kept, 'LAST'].every((message) => ids.includes(message)));
    await again.close();
  });

  it('is told at the start, and so is one that is read-only', async (t) => {
    const disk = await smallDisk(t, 4);
    if (disk === null) return;
    const dataDir = join(disk, 'data');
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(4 * 1_048_576 - 8192));
    await assert.rejects(
      openStore({ dataDir, secret: null }),
      /data folder .*data cannot be used: the disk is full; make room/,
    );
    rmSync(join(disk, 'ballast'));
    await (await openStore({ dataDir, secret: null })).close();
    assert.ok(run('mount', '-o', 'remount,ro', disk));
    await assert.rejects(
      openStore({ dataDir, secret: null }),
      /data folder .*data cannot be used: (it is read-only|a file)/,
    );
    assert.ok(run('mount', '-o', 'remount,rw', disk));
    await (await openStore({ dataDir, secret: null })).close();
  });
});

describe('words', () => {
  it('is told from what is not the disk', () => {
    const error = (fields: object): Error => Object.assign(new Error('x'), fields);
    assert.equal(diskErrorOf(error({ errcode: 13 })), 'the disk is full; make room');
    assert.equal(diskErrorOf(error({ errcode: 778 })), 'the disk does not work', 'an extended code');
    assert.equal(diskErrorOf(error({ code: 'EROFS' })), 'it is read-only');
    assert.equal(diskErrorOf(inOurTerms(error({ errcode: 5 }))), 'another program has locked it');
    for (const other of [error({ errcode: 19 }), error({ code: 'ENOENT' }), new Error('x'), 'x']) {
      assert.equal(diskErrorOf(other), null);
    }
  });
});
