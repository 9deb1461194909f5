/** Files that the media host has dropped, against the sandbox: its phones upload them again. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '../../support/wait.ts';
import { imageOf, type Rig, startRig, type Watched } from '../driver.support.ts';

const anns = '4915200000061';
const bobs = '4915200000062';
const bytes = randomBytes(3_000);
const file = { documentBase64: bytes.toString('base64'), fileName: 'a.bin' };
const noLonger = 'The network no longer has this media';
const later = { name: 'NotFound', message: `${noLonger}; the phone was asked to upload it again, try later` };

const startFiles = async () => {
  const rig = await startRig();
  await rig.phones.add(bobs, 'Bob');
  const { deviceId, watched } = await rig.linked(anns, 'Ann');
  /** The message as it is stored then. */
  const download = async (id: string, { session }: Watched = watched, waitMs = 15_000): Promise<Buffer> => {
    const message = await rig.stores.messages.find(deviceId, id);
    return Buffer.concat(await Array.fromAsync(await session.downloadMedia(message!, waitMs)));
  };
  return {
    rig,
    deviceId,
    watched,
    download,
    async written(from: string, to: string, message: Record<string, unknown> = file): Promise<string> {
      const [id] = await rig.phones.write(from, { to, ...message });
      await eventually('the message', () => rig.stores.messages.find(deviceId, id!));
      await eventually('it on the own phone, which opens the file first', async () =>
        (await rig.phones.messages(anns)).some((shown) => shown.id === id),
      );
      return id!;
    },
    expire: (id: string, deleted = false) =>
      rig.phones.request('POST', `/phones/${anns}/messages/${id}/expire-media`, { deleted }),
    online: (online: boolean) => rig.phones.behave(anns, { online }),
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
};

const groupOf = async ({ phones }: Rig, addressingMode: 'lid' | 'pn'): Promise<string> => {
  const wanted = { subject: 'Files', owner: bobs, participants: [anns], addressingMode };
  return (await phones.request<{ jid: string }>('POST', '/groups', wanted)).jid;
};

test('driver: expired media of a person, of groups and of the account itself comes from the phone, and its path is kept', async () => {
  await using place = await startFiles();
  const { rig, written, expire, download, online } = place;
  const groups = [await groupOf(rig, 'lid'), await groupOf(rig, 'pn')];
  const ids = [await written(bobs, anns), await written(anns, bobs), await written(anns, anns)];
  for (const group of groups) ids.push(await written(bobs, group), await written(anns, group));
  for (const id of ids) {
    await expire(id);
    assert.deepEqual(await download(id), bytes);
    await online(false);
    assert.deepEqual(await download(id, place.watched, 0), bytes);
    await online(true);
  }
});

test('driver: expired media of an account that has not migrated, and that of a message sent by the device', async () => {
  await using place = await startFiles();
  const { rig, written, expire, download, watched } = place;
  await rig.phones.behave(anns, { migrated: false });
  const id = await written(bobs, anns);
  await expire(id);
  assert.deepEqual(await download(id), bytes);
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const image = await imageOf(rig.network, png);
  const { record } = await rig.send(watched, bobs, image);
  await eventually('the copy on the phone', async () =>
    (await rig.phones.messages(anns)).some((message) => message.id === record.id),
  );
  await expire(record.id);
  assert.deepEqual(await download(record.id), Buffer.from(png));
});

test('driver: media that the phone has deleted, too, is gone in words', async () => {
  await using place = await startFiles();
  const id = await place.written(bobs, anns);
  await place.expire(id, true);
  const gone = { name: 'NotFound', message: `${noLonger}, and neither has the phone` };
  await assert.rejects(place.download(id), gone);
  // The phone is asked once a minute at most: its answer holds meanwhile.
  await place.expire(id, false);
  await assert.rejects(place.download(id), gone);
});

test('driver: a phone that is offline answers later, to a connection that did not ask', async () => {
  await using place = await startFiles();
  const { rig, deviceId, watched, download, expire, online, written } = place;
  const id = await written(bobs, anns);
  await expire(id);
  await online(false);
  await assert.rejects(download(id, watched, 50), later);
  await watched.session.close();
  await online(true);
  const before = (await rig.stores.messages.find(deviceId, id))!.content!;
  const again = rig.connect(deviceId);
  await again.opened();
  await eventually('the new path', async () => {
    const { content } = (await rig.stores.messages.find(deviceId, id))!;
    return Buffer.compare(content!, before) !== 0;
  });
  assert.deepEqual(await download(id, again, 0), bytes);
});

test('driver: downloads of one file ask once, and all get it', async () => {
  await using place = await startFiles();
  const { expire, download, online, written, watched } = place;
  const id = await written(bobs, anns);
  await expire(id);
  await online(false);
  const downloads = [1, 2, 3].map(() => download(id));
  await assert.rejects(download(id, watched, 0), later);
  await online(true);
  for (const got of await Promise.all(downloads)) assert.deepEqual(got, bytes);
  // The next upload is gone as well: the phone was asked a moment ago.
  await expire(id);
  await assert.rejects(download(id), later);
});

test('driver: the end of the connection ends the waiting for the phone', async () => {
  await using place = await startFiles();
  const id = await place.written(bobs, anns);
  await place.expire(id);
  await place.online(false);
  const waiting = assert.rejects(place.download(id), later);
  await eventually('the request to wait for the phone', async () => {
    const { pending } = (await place.rig.phones.stats()) as { pending: Record<string, number> };
    // What is for the device, and not the phone, has a number behind a colon.
    return Object.entries(pending).some(([to, count]) => !to.includes(':') && count > 0);
  });
  await place.watched.session.close();
  await waiting;
});
