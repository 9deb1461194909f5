/** Fetches of kept media, on the real store and a real folder: each file once, however the news of it comes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import type { CommittedEvent } from '../../src/domain/event.ts';
import { noMediaDetails } from '../../src/domain/messages/parts.ts';
import type { NetworkSession } from '../../src/domain/network.ts';
import type { Stores } from '../../src/domain/stores.ts';
import { folderFiles } from '../../src/media-store/folder.ts';
import { MediaFetcher } from '../../src/service/media/fetcher.ts';
import type { DeviceRuntime } from '../../src/service/sessions/device-runtime.ts';
import { record } from '../store/contract/fixture.ts';
import { eventually } from '../support/wait.ts';
import { setStage } from './stage.ts';

const count = 8;
const media = { mimetype: 'image/png', bytes: 5, sha256: null, fileName: null, url: 'x', ...noMediaDetails };

test('each file is fetched once, however often its message is told while it is looked up', async (t) => {
  const stage = await setStage(t);
  const folder = await mkdtemp(join(tmpdir(), 'handset-keeper-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { stores } = stage.store;
  const { id, session } = await stage.connected();
  await stores.devices.update(id, { settings: { media: 'kept' } });
  const messages = Array.from({ length: count }, (_, n) =>
    record(`m${n}`, { type: 'image', media, content: new TextEncoder().encode('content'), state: 'delivered' }),
  );
  await stores.changes.commit(id, { messages });
  const fetched: string[] = [];
  Object.assign(session, {
    fetchMedia: async (...[message, , { write }]: Parameters<NetworkSession['fetchMedia']>) => {
      fetched.push(message.id);
      await write(new TextEncoder().encode('bytes'));
      return 5;
    },
  });
  // News of a message comes at every moment after a row has been read.
  let tell: (events: readonly CommittedEvent[]) => void = () => undefined;
  const news = [{ deviceId: id, event: { type: 'history.loaded' } }] as unknown as readonly CommittedEvent[];
  const keptMedia: Stores['keptMedia'] = {
    ...stores.keptMedia,
    async next(...given) {
      const row = await stores.keptMedia.next(...given);
      if (row === null) return row;
      void (async () => {
        for (let tick = 0; tick < 10; tick += 1) {
          await Promise.resolve();
          tell(news);
        }
      })();
      return row;
    },
  };
  const onEvents: Stores['onEvents'] = (listen) => {
    tell = listen;
    return () => undefined;
  };
  const runtime = {
    id,
    userId: 1,
    disposed: false,
    settings: { media: 'kept' },
    networkSession: session,
  } as unknown as DeviceRuntime;
  const keeper = new MediaFetcher({
    stores: { keptMedia, onEvents },
    files: folderFiles({ path: folder, flush: true }),
    runtimes: { all: () => [runtime], find: () => runtime },
    clock: stage.clock,
    log: pino({ level: 'silent' }),
  });
  keeper.start();
  t.after(() => keeper.stop());
  await eventually('all files', () => keeper.stats.kept === count || new Set(fetched).size < fetched.length);
  assert.deepEqual(
    fetched.toSorted(),
    messages.map((message) => message.id),
  );
  assert.deepEqual(await stores.keptMedia.counts(100), { waiting: 0, failed: 0 });
  assert.equal((await readdir(join(folder, String(id)))).length, count);
});

test('files that hardly come hold up no other user, and are given up to be fetched again', async (t) => {
  const stage = await setStage(t);
  const folder = await mkdtemp(join(tmpdir(), 'handset-keeper-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { stores } = stage.store;
  let under = 0;
  /** A byte, and then nothing. */
  const slow: NetworkSession['fetchMedia'] = async (_message, _wait, { write, signal }) => {
    under += 1;
    await write(Uint8Array.of(1));
    await once(signal, 'abort');
    under -= 1;
    throw signal.reason;
  };
  const quick: NetworkSession['fetchMedia'] = async (_message, _wait, { write }) => {
    await write(new TextEncoder().encode('bytes'));
    return 5;
  };
  const runtimes = new Map<number, DeviceRuntime>();
  const addDevices = async (name: string, devices: number, fetchMedia: NetworkSession['fetchMedia']) => {
    const { id: userId } = await stores.users.create(name, 10, stage.clock.now());
    for (let n = 0; n < devices; n += 1) {
      const device = { userId, name, webhookUrl: null, webhookEvents: [] };
      const { id } = await stores.devices.create(device, stage.clock.now());
      await stores.devices.update(id, { settings: { media: 'kept' } });
      const messages = Array.from({ length: 3 }, (_, m) =>
        record(`${name}${n}m${m}`, { type: 'image', media, content: new Uint8Array(8), state: 'delivered' }),
      );
      await stores.changes.commit(id, { messages });
      const settings = { media: 'kept' };
      const parts = { id, userId, disposed: false, settings, networkSession: { fetchMedia } };
      runtimes.set(id, parts as unknown as DeviceRuntime);
    }
  };
  await addDevices('slow', 5, slow);
  await addDevices('quick', 1, quick);
  const keeper = new MediaFetcher({
    stores: { keptMedia: stores.keptMedia, onEvents: () => () => undefined },
    files: folderFiles({ path: folder, flush: true }),
    runtimes: { all: () => [...runtimes.values()], find: (id) => runtimes.get(id) ?? null },
    clock: stage.clock,
    log: pino({ level: 'silent' }),
  });
  keeper.start();
  t.after(() => keeper.stop());
  await eventually('the files of the other user', () => keeper.stats.kept === 3);
  await eventually('two of the slow ones', () => under === 2);
  await stage.clock.advance(30_001);
  await eventually('to give them up', () => keeper.stats.retried >= 2);
});
