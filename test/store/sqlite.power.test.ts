/** The power is cut, or a flush fails: what was acknowledged, and what was read, is there afterwards. */
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type TestContext, describe, it } from 'node:test';
import { openStore } from '../../src/store/open-sqlite.ts';
import { type Disk, type Orders, makeDisk } from '../support/disk.ts';
import { logOf } from '../support/event-log.ts';
import { sized } from '../system/support/length.ts';
import { preloaded } from '../system/support/child.ts';
import { stepOf, writerOf } from './support/writer-steps.ts';

const secret = 'the secret of the crash test, long enough';
const writer = join(import.meta.dirname, 'support', 'writer.ts');

/** As `test/store/support/writer.ts` says them: the last step of each device that was acknowledged or read. */
type Report = ReadonlyMap<number, number>;

/** Runs a writer until it is dead, or `enough` of its lines have come; then it is killed. */
const runWriter = async (
  { dataDir, env }: Disk,
  mode: 'write' | 'read' | 'go on',
  enough: (line: string, count: number) => boolean = () => false,
  durability: 'power' | 'process' = 'power',
): Promise<Report> => {
  const child: ChildProcessByStdio<null, Readable, null> = spawn(
    process.execPath,
    [...preloaded, writer, dataDir, mode, durability],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const told = new Map<number, number>();
  let count = 0;
  for await (const line of createInterface(child.stdout)) {
    const [word, id, step] = line.split(' ');
    if (word === 'done') told.set(Number(id), Number(step));
    count += 1;
    if (enough(line, count)) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return told;
};

const assertThere = async (dataDir: string, told: Report): Promise<void> => {
  const stores = await openStore({ dataDir, secret });
  for (const [deviceId, step] of told) {
    const found = await stepOf(stores, deviceId);
    assert.ok(found >= step, `device ${deviceId}: told ${step}, found ${found}`);
  }
  await stores.close();
};

const diskOf = async (t: TestContext): Promise<Disk | null> => {
  const disk = await makeDisk();
  if (disk === null) t.skip('no C compiler');
  else t.after(() => disk.remove());
  return disk;
};

describe('a power cut', () => {
  const cuts = sized([1, 12, 60], [1, 4, 8, 12, 30, 60]).flatMap((flush): Required<Pick<Orders, 'cutAt'>>[] => [
    { cutAt: { flush, when: 'before' } },
    { cutAt: { flush, when: 'after' } },
  ]);
  it('before or after a flush takes nothing that was acknowledged', async (t) => {
    const disk = await diskOf(t);
    if (disk === null) return;
    let most = 0;
    for (const cut of cuts) {
      disk.erase();
      disk.order(cut);
      const told = await runWriter(disk, 'write');
      disk.losePower();
      await assertThere(disk.dataDir, told);
      most = Math.max(most, ...told.values());
    }
    assert.ok(most > 1, 'some cuts came after acknowledgements');
  });

  it('takes nothing that was read after a kill, flushed or not', async (t) => {
    const disk = await diskOf(t);
    if (disk === null) return;
    // Without flushes: all of it is in the hands of the operating system when the process is killed.
    await runWriter(disk, 'write', (_line, count) => count > 100, 'process');
    const read = await runWriter(disk, 'read', (line) => line === 'end');
    assert.ok(Math.max(...read.values()) > 1);
    disk.losePower();
    await assertThere(disk.dataDir, read);
  });

  it('may take claims and records of deliveries, which cost no flush, and takes nothing that came before them', async (t) => {
    const disk = await diskOf(t);
    if (disk === null) return;
    const child = spawn(process.execPath, [...preloaded, writer, disk.dataDir, 'deliver', 'power'], {
      env: { ...process.env, ...disk.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let [told, delivered, flushes] = [0, 0, 0];
    for await (const line of createInterface(child.stdout)) {
      const [word, first, second] = line.split(' ');
      if (word === 'done') [told, flushes] = [Number(second), disk.flushes];
      if (word === 'delivered') {
        assert.equal(first, '1');
        assert.equal(disk.flushes, flushes);
        delivered += 1;
      }
      if (delivered === 20) child.kill('SIGKILL');
      else if (word === 'done' || word === 'delivered') child.stdin.write('on');
    }
    if (child.signalCode === null) await once(child, 'exit');
    disk.losePower();
    const stores = await openStore({ dataDir: disk.dataDir, secret });
    const [deviceId] = (await writerOf(stores)).deviceIds as [number];
    assert.equal(await stepOf(stores, deviceId), told);
    const { items } = await stores.outbox.list(deviceId, { limit: 100, cursor: null, state: 'pending' });
    assert.deepEqual(
      items.map(({ eventId }) => eventId),
      [(await logOf(stores.events, deviceId)).at(-1)!.id],
      'the last record is gone, and with it nothing else: that event is posted again',
    );
    await stores.close();
  });

  it('may take the last commits with HANDSET_DURABILITY=process, and never half of one', async (t) => {
    const disk = await diskOf(t);
    if (disk === null) return;
    const told = await runWriter(disk, 'write', (_line, count) => count > 100, 'process');
    await assertThere(disk.dataDir, told);
    disk.losePower();
    // All of it may be gone: who starts again without it has to say so.
    await rm(join(disk.dataDir, 'generation.json'), { force: true });
    const stores = await openStore({ dataDir: disk.dataDir, secret });
    for (const id of (await writerOf(stores)).deviceIds) await stepOf(stores, id);
    await stores.close();
  });
});

describe('a flush that failed', () => {
  for (const failing of ['flushes', 'writes', 'both'] as const) {
    it(`is not made good by the next one that succeeds: ${failing}`, async (t) => {
      const disk = await diskOf(t);
      if (disk === null) return;
      await runWriter(disk, 'write', (line, count) => {
        // Its commits fail from here on, and it ends.
        if (count === 60) disk.order({ failing });
        return line.startsWith('refused') || count === 3000;
      });
      disk.order({});
      // The next process finds in the file what never came to the disk.
      const read = await runWriter(disk, 'go on', (line) => line === 'end');
      assert.ok(Math.max(...read.values()) > 1);
      disk.losePower();
      await assertThere(disk.dataDir, read);
    });
  }
});
