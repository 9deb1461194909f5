/** Uploads to nodes that share a database: by way of another node, in flat memory, and with a node that is killed meanwhile. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ada, bob, linkDevice, untilOpen } from '../flows/steps.ts';
import { rawClient, requestHead } from '../http/raw.ts';
import { startCluster, type TestNode } from '../support/cluster.ts';
import { eventually } from '../support/wait.ts';

const mb = 1_048_576;

/** Bytes that do not repeat within a piece, made as they are asked for. */
function* noise(bytes: number): Generator<Uint8Array> {
  for (let at = 0, n = 0; at < bytes; at += mb, n += 1) {
    yield createHash('shake256', { outputLength: Math.min(mb, bytes - at) })
      .update(String(n))
      .digest();
  }
}

/** Files without a name that a node has open in its data folder. */
const openFiles = async ({ child }: TestNode, folder: string): Promise<number> => {
  const fds = `/proc/${child.process.pid}/fd`;
  const links = await Promise.all((await readdir(fds)).map((name) => readlink(join(fds, name)).catch(() => '')));
  return links.filter((link) => link.startsWith(join(folder, 'uploads'))).length;
};

test('a file that comes to another node arrives in flat memory, and a killed node leaves nothing of it', async () => {
  const folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'handset-uploads-'))));
  await using cluster = await startCluster(0, { HANDSET_MAX_MEDIA_MB: '30' }, true);
  const [owner, other] = [
    await cluster.add({ HANDSET_DATA_DIR: folders[0]! }),
    await cluster.add({ HANDSET_DATA_DIR: folders[1]! }),
  ];
  const { phones } = cluster;
  await phones.add(ada, 'Ada');
  await phones.add(bob, 'Bob');
  const id = await linkDevice({ api: owner.api, phones });
  const upload = async (node: TestNode, bytes: number): Promise<{ id: string; bytes: number }> => {
    const answer = await node.api.fetch(`/devices/${id}/files`, {
      method: 'POST',
      body: ReadableStream.from(noise(bytes)),
      duplex: 'half',
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return JSON.parse(text).file;
  };
  const send = (node: TestNode, fileId: string) =>
    node.api.post(`/devices/${id}/messages/document`, { toNumber: bob, fileId, fileName: 'backup.bin' });
  const arrived = async (name: string) =>
    eventually(name, async () =>
      (await phones.messages(bob)).find((message) => JSON.stringify(message).includes(name)),
    );

  // What a first file brings with it, such as code.
  assert.equal((await send(other, (await upload(other, 2 * mb)).id)).status, 200);
  const idle = await Promise.all([owner, other].map((node) => node.child.ask<number>('memory')));
  const peaks = [0, 0];
  const sentAll = new AbortController();
  const watch = (async () => {
    while (!sentAll.signal.aborted) {
      const now = await Promise.all([owner, other].map((node) => node.child.ask<number>('resident')));
      now.forEach((bytes, index) => (peaks[index] = Math.max(peaks[index]!, bytes)));
      await pause(100);
    }
  })();
  const file = await upload(other, 30 * mb);
  assert.equal(file.bytes, 30 * mb);
  assert.deepEqual([await openFiles(owner, folders[0]!), await openFiles(other, folders[1]!)], [2, 0], 'at the owner');
  const sent = await send(other, file.id);
  sentAll.abort();
  await watch;
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const hash = createHash('sha256');
  for (const piece of noise(30 * mb)) hash.update(piece);
  assert.ok(JSON.stringify(await arrived(sent.body.messageId)).includes(hash.digest('hex')));
  const growth = peaks.map((peak, index) => Math.round((peak - idle[index]!) / mb));
  assert.ok(
    growth.every((most) => most < 45),
    `flat memory: ${growth.join(' and ')} MB`,
  );

  using client = await rawClient(Number(new URL(owner.url).port));
  client.write(requestHead('POST', `/v1/devices/${id}/files`, owner.api.key!, [`Content-Length: ${20 * mb}`]));
  client.write(new Uint8Array(5 * mb));
  await eventually('it comes in', async () => (await openFiles(owner, folders[0]!)) === 3);
  await owner.kill();
  assert.deepEqual(await readdir(join(folders[0]!, 'uploads')).catch(() => []), [], 'nothing of the killed node');
  await untilOpen({ api: other.api, phones }, id);
  const gone = await send(other, file.id);
  assert.deepEqual([gone.status, gone.headers.get('handset-reason')], [400, 'file_unknown']);
  const again = await upload(other, mb);
  assert.equal((await send(other, again.id)).status, 200);
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});
