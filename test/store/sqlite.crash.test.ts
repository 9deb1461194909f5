/** kill -9 in the middle of writing: what was acknowledged is there, no step is half there, and the folder is free again. */
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import type { Stores } from '../../src/domain/stores.ts';
import { openStore } from '../../src/store/open-sqlite.ts';
import { preloaded } from '../system/support/child.ts';
import { hook, received } from './contract/fixture.ts';
import { stepOf } from './support/writer-steps.ts';

const secret = 'the secret of the crash test, long enough';
const writer = join(import.meta.dirname, 'support', 'writer.ts');

type Child = ChildProcessByStdio<null, Readable, null>;

const start = (dataDir: string, mode: string): Child =>
  spawn(process.execPath, [...preloaded, writer, dataDir, mode], { stdio: ['ignore', 'pipe', 'inherit'] });

/** Reads lines until `enough` says so, and kills the process in that moment; all lines that had left it. */
const killAfter = async (child: Child, enough: (line: string) => boolean): Promise<readonly string[]> => {
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (enough(line)) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return lines;
};

const withFolder = async (run: (dataDir: string) => Promise<void>): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-crash-'));
  try {
    await run(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
};

/** The last step that was acknowledged, by device. */
const acknowledged = (lines: readonly string[]): Map<number, number> => {
  const steps = new Map<number, number>();
  for (const line of lines) {
    const [word, id, step] = line.split(' ');
    if (word === 'done') steps.set(Number(id), Number(step));
  }
  return steps;
};

const assertWhole = async (stores: Stores, steps: ReadonlyMap<number, number>): Promise<void> => {
  for (const [deviceId, step] of steps) {
    const found = await stepOf(stores, deviceId);
    // More may be there: what was committed and not yet told.
    assert.ok(found >= step, `device ${deviceId}: acknowledged ${step}, found ${found}`);
  }
};

describe('a store whose process was killed', () => {
  for (const after of [1, 150, 700]) {
    it(`has each of ${after} acknowledged steps, and none by half`, () =>
      withFolder(async (dataDir) => {
        let count = 0;
        const lines = await killAfter(start(dataDir, 'write'), (line) => line.startsWith('done') && ++count >= after);
        const steps = acknowledged(lines);
        assert.ok(steps.size > 0);
        const stores = await openStore({ dataDir, secret });
        await assertWhole(stores, steps);
        await stores.close();
      }));
  }

  it('gives what it had claimed to the next one at once', () =>
    withFolder(async (dataDir) => {
      const first = await openStore({ dataDir, secret });
      const user = await first.users.create('owner', 1, 0);
      const { id } = await first.devices.create(
        { userId: user.id, name: 'x', webhookEvents: ['message.received'], ...hook },
        0,
      );
      await first.changes.commit(id, { facts: [received('A1'), received('A2')] });
      const claim = { now: Date.now() + 1, leaseUntil: Date.now() + 3_600_000, limit: 9, exceptWebhooks: [] };
      const due = await first.outbox.claim(claim);
      await first.close();
      const second = await openStore({ dataDir, secret });
      assert.deepEqual(await second.outbox.claim(claim), due);
      await second.close();
    }));

  it('finishes the removal of a device that it had begun', () =>
    withFolder(async (dataDir) => {
      const first = await openStore({ dataDir, secret });
      const user = await first.users.create('owner', 1, 0);
      const { id } = await first.devices.create({ userId: user.id, name: 'x', webhookEvents: [], webhookUrl: null }, 0);
      await first.changes.commit(id, { facts: [received('A1')] });
      const removal = assert.rejects(first.devices.delete(id), /closed/);
      await first.close();
      await removal;
      const second = await openStore({ dataDir, secret });
      assert.equal(await second.devices.find(id), null);
      assert.deepEqual((await second.events.listAfter(id, { limit: 9, cursor: null })).items, []);
      await second.users.delete(user.id);
      await second.close();
    }));
});

describe('a folder that is in use', () => {
  it('is refused to a second process by name, until the first one is gone, even by kill -9', () =>
    withFolder(async (dataDir) => {
      const owner = start(dataDir, 'hold');
      const lines = createInterface(owner.stdout)[Symbol.asyncIterator]();
      assert.equal((await lines.next()).value, 'open');
      await assert.rejects(
        openStore({ dataDir, secret }),
        new RegExp(`${dataDir} is in use by another Handset process \\(pid ${owner.pid}\\)`),
      );
      const second = await killAfter(start(dataDir, 'hold'), () => true);
      assert.match(second[0] ?? '', /^refused The data folder .* is in use by another Handset process/);
      owner.kill('SIGKILL');
      await once(owner, 'exit');
      const stores = await openStore({ dataDir, secret });
      await assert.rejects(openStore({ dataDir, secret }), new RegExp(`pid ${process.pid}`));
      const third = await killAfter(start(dataDir, 'hold'), () => true);
      assert.match(third[0] ?? '', /^refused/, 'a refused opening in the same process leaves the lock as it is');
      await stores.close();
    }));
});
