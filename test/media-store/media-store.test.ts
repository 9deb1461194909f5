/** The places of kept media, against real ones: a folder, a full disk, and a bucket of a server that checks signatures. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readConfig } from '../../src/config.ts';
import {
  type KeptFiles,
  type KeptName,
  MediaFileMissing,
  MediaStoreUnavailable,
} from '../../src/domain/messages/kept-media.ts';
import { folderFiles } from '../../src/media-store/folder.ts';
import { openMediaStore, tryMediaStore } from '../../src/media-store/open.ts';
import { s3Files } from '../../src/media-store/s3.ts';
import { makeDisk } from '../support/disk.ts';
import { startBucket } from '../support/s3/s3.ts';

const put = async (files: KeptFiles, name: KeptName, bytes: Uint8Array): Promise<void> => {
  const draft = await files.create(name, bytes.length);
  for (let at = 0; at < bytes.length; at += 65_536) await draft.write(bytes.subarray(at, at + 65_536));
  await draft.keep();
};

const read = async (files: KeptFiles, name: KeptName, from: number, to: number): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of await files.read(name, from, to)) pieces.push(piece);
  return Buffer.concat(pieces);
};

const run = (...command: readonly [string, ...string[]]): boolean =>
  spawnSync(command[0], command.slice(1), { stdio: 'ignore' }).status === 0;

const folderFor = async (t: TestContext): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'handset-kept-'));
  t.after(async () => {
    run('umount', path);
    await rm(path, { recursive: true, force: true });
  });
  return path;
};

/** The behaviour of every place. */
const behaves = async (files: KeptFiles): Promise<void> => {
  const name = { deviceId: 7, file: randomUUID() };
  const bytes = randomBytes(700_001);
  await put(files, name, bytes);
  assert.ok((await read(files, name, 0, bytes.length)).equals(bytes));
  for (const [from, to] of [
    [0, 16],
    [16, 48],
    [262_000, 524_300],
    [700_000, 700_001],
  ] as const) {
    assert.ok((await read(files, name, from, to)).equals(bytes.subarray(from, to)), `${from} to ${to}`);
  }
  const dropped = { deviceId: 7, file: randomUUID() };
  const draft = await files.create(dropped, 10);
  await draft.write(Buffer.from('half of it'));
  await draft.drop();
  await assert.rejects(() => files.read(dropped, 0, 1), MediaFileMissing);
  await put(files, name, bytes.subarray(0, 100));
  assert.equal((await read(files, name, 0, 100)).length, 100, 'what comes again takes its place');
  await files.remove(name);
  await files.remove(name);
  await assert.rejects(() => files.read(name, 0, 1), MediaFileMissing);
  await tryMediaStore(files);
};

describe('a folder', () => {
  it('has what was kept, and nothing else', async (t) => {
    const path = await folderFor(t);
    const files = folderFiles({ path, flush: true });
    await behaves(files);
    assert.deepEqual(await readdir(join(path, '7')), []);
    const name = { deviceId: 8, file: randomUUID() };
    await mkdir(join(path, '8'));
    await writeFile(join(path, '8', `${name.file}.part`), 'what a killed process has left');
    await put(files, name, Buffer.from('whole'));
    assert.deepEqual(await readdir(join(path, '8')), [name.file]);
    await truncate(join(path, '8', name.file), 3);
    await assert.rejects(() => files.read(name, 0, 5), MediaFileMissing);
  });

  it('leaves room to the database on a small disk, and says so', async (t) => {
    const disk = await folderFor(t);
    if (!run('mount', '-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', disk)) return t.skip('this user may not mount a disk');
    const files = folderFiles({ path: disk, flush: true });
    const name = { deviceId: 1, file: randomUUID() };
    await assert.rejects(() => files.create(name, 40_000_000), /MB are left on the disk of .*: make room/);
    // Of a length that nobody has told.
    const draft = await files.create(name, 0);
    const fill = async (): Promise<void> => {
      for (let n = 0; n < 64; n += 1) await draft.write(Buffer.alloc(1_048_576, n));
    };
    await assert.rejects(fill, MediaStoreUnavailable);
    await draft.drop();
    await writeFile(join(disk, 'database'), Buffer.alloc(4_000_000));
    await put(files, name, Buffer.alloc(1_000_000));
  });
});

describe('a disk that keeps no name before its folder is flushed', () => {
  const module = JSON.stringify(new URL('../../src/media-store/folder.ts', import.meta.url).href);
  const keepOne = (path: string): string => `
    const { folderFiles } = await import(${module});
    const files = folderFiles({ path: ${JSON.stringify(path)}, flush: true });
    const draft = await files.create({ deviceId: 7, file: 'a' }, 1);
    await draft.write(Buffer.from('x'));
    await draft.keep();`;
  for (const [what, below, names] of [
    ['the folder of a device', '.', ['7']],
    ['the folder of all media', 'media', ['media']],
  ] as const) {
    it(`has ${what} after a power cut`, async (t) => {
      const disk = await makeDisk();
      if (disk === null) return t.skip('no C compiler');
      t.after(() => disk.remove());
      disk.order({});
      const child = spawnSync(process.execPath, ['--input-type=module', '-e', keepOne(join(disk.dataDir, below))], {
        env: { ...process.env, ...disk.env },
        encoding: 'utf8',
      });
      assert.equal(child.status, 0, child.stderr);
      disk.losePower();
      assert.deepEqual(await readdir(disk.dataDir), names);
    });
  }
});

describe('a bucket', () => {
  it('has what was kept, by signed requests alone', async (t) => {
    await using server = await startBucket();
    const folder = await folderFor(t);
    const { endpoint, bucket, keys } = server;
    const place = { endpoint, bucket, prefix: 'handset/one/', region: 'eu-central-1', folder };
    const files = s3Files({ ...place, ...keys });
    await behaves(files);
    assert.deepEqual(await readdir(folder), [], 'no draft is left');
    const other = s3Files({ ...place, ...keys, secretAccessKey: 'another' });
    const name = { deviceId: 1, file: randomUUID() };
    await assert.rejects(() => put(other, name, Buffer.from('x')), /HTTP 403 \(SignatureDoesNotMatch\)/);
    const none = s3Files({ ...place, ...keys, bucket: 'no-such-bucket' });
    await assert.rejects(() => put(none, name, Buffer.from('x')), /HTTP 404 \(NoSuchBucket\)/);
    await put(files, name, randomBytes(5));
    assert.deepEqual(await server.objects(), [name.file]);
    await server.stop();
    await assert.rejects(() => files.read(name, 0, 5), MediaStoreUnavailable);
    await server.start();
    assert.equal((await read(files, name, 0, 5)).length, 5);
    await Promise.all([files, other, none].map((each) => each.close()));
  });
});

describe('the settings', () => {
  const keys = { HANDSET_S3_ACCESS_KEY_ID: 'id', HANDSET_S3_SECRET_ACCESS_KEY: 'never shown' };

  it('name a bucket or a folder', () => {
    assert.equal(readConfig({}).mediaStore, null);
    assert.deepEqual(readConfig({ HANDSET_MEDIA_STORE: '/srv/media' }).mediaStore, {
      kind: 'folder',
      path: '/srv/media',
    });
    const place = { HANDSET_MEDIA_STORE: 's3://bucket/a/b/', HANDSET_S3_ENDPOINT: 'http://minio:9000/', ...keys };
    const credentials = { accessKeyId: 'id', secretAccessKey: 'never shown' };
    const bucket = { kind: 's3', bucket: 'bucket', prefix: 'a/b/', region: 'us-east-1', ...credentials };
    assert.deepEqual(readConfig(place).mediaStore, { ...bucket, endpoint: 'http://minio:9000' });
    const shared = { dataDir: '/nowhere', databaseUrl: 'postgres://x', durability: 'power' } as const;
    assert.equal(openMediaStore({ ...shared, mediaStore: null }), null);
  });

  for (const [env, words] of [
    [{ HANDSET_MEDIA_STORE: 'gs://bucket' }, /HANDSET_MEDIA_STORE must be s3:.* it is "gs:/],
    [{ HANDSET_MEDIA_STORE: 'media' }, /absolute path/],
    [{ HANDSET_MEDIA_STORE: 's3://B', ...keys }, /HANDSET_MEDIA_STORE must be s3:/],
    [{ HANDSET_MEDIA_STORE: 's3://bucket/../other', ...keys }, /HANDSET_MEDIA_STORE must be s3:/],
    [
      { HANDSET_MEDIA_STORE: 's3://bucket' },
      /HANDSET_S3_ACCESS_KEY_ID must be set where HANDSET_MEDIA_STORE is a bucket/,
    ],
    [{ HANDSET_MEDIA_STORE: 's3://bucket', HANDSET_S3_ENDPOINT: 'minio:9000', ...keys }, /HANDSET_S3_ENDPOINT must be/],
    [{ HANDSET_MEDIA_STORE: 's3://bucket', HANDSET_S3_REGION: 'a b', ...keys }, /HANDSET_S3_REGION must be/],
  ] as const) {
    it(`are refused in words: ${JSON.stringify(Object.values(env))}`, () => {
      assert.throws(() => readConfig(env), words);
    });
  }
});
