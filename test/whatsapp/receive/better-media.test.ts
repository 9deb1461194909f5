/** Images and videos in HD: the message that was sent in standard quality gets the better media, and there is no second one. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { proto } from 'baileys';
import sharp from 'sharp';
import type { DeviceEvent } from '../../../src/domain/event.ts';
import { ann, at, me } from '../driver.people.ts';
import { startRig } from '../driver.support.ts';
import { startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { startIntakes } from './intake.ts';

const { AssociationType } = proto.MessageAssociation;
const fromAnn = { from: ann.lid, sender_pn: ann.phone, t: String(at / 1000) };
const hashOf = (name: string) => createHash('sha256').update(name).digest();
const hexOf = (name: string) => hashOf(name).toString('hex');

const image = (name: string, more: proto.Message.IImageMessage = {}): proto.IMessage => ({
  imageMessage: {
    url: 'https://mmg.whatsapp.net/x',
    directPath: `/${name}`,
    mediaKey: hashOf(`key of ${name}`),
    mimetype: 'image/jpeg',
    fileSha256: hashOf(name),
    fileEncSha256: hashOf(`${name} encrypted`),
    ...more,
  },
});
const standard = image('SD', { width: 800, caption: 'look', contextInfo: { stanzaId: 'M0' } });

const associated = (message: proto.IMessage, associationType: number = AssociationType.HD_IMAGE_DUAL_UPLOAD) => ({
  associatedChildMessage: { message },
  messageContextInfo: { messageAssociation: { associationType, parentMessageKey: { id: 'M1', remoteJid: me.lid } } },
});
const better = associated(image('HD', { width: 4000 }));

const draw = (width: number) =>
  sharp({ create: { width, height: width, channels: 3, background: '#337' } })
    .png()
    .toBuffer();

const mediaIn = (events: readonly DeviceEvent[]) =>
  events.flatMap((event) =>
    event.type === 'message.updated' && 'media' in event.data.update
      ? [[event.data.messageId, event.data.update.media.sha256]]
      : [],
  );
const received = (events: readonly DeviceEvent[]) =>
  events.flatMap((event) => (event.type === 'message.received' ? [event.data.message] : []));

test('driver: a phone sends an image in HD, which is downloaded as the one message that there is', async () => {
  await using rig = await startRig();
  const [anns, bobs] = ['4915200000051', '4915200000052'];
  await rig.phones.add(bobs, 'Bob');
  const { deviceId, watched } = await rig.linked(anns, 'Ann');
  const [small, large] = [await draw(40), await draw(400)];
  for (const [from, to] of [
    [bobs, anns],
    [anns, bobs],
  ] as const) {
    const [id, hd] = await rig.phones.write(from, {
      to,
      imageBase64: small.toString('base64'),
      hdBase64: large.toString('base64'),
      caption: 'a wall',
    });
    const { data } = await rig.event(
      deviceId,
      'message.updated',
      (event) => event.data.messageId === id && 'media' in event.data.update,
    );
    assert.partialDeepStrictEqual(data.update, { media: { width: 400, height: 400 } });
    assert.equal(await rig.stores.messages.find(deviceId, hd!), null);
    const record = (await rig.stores.messages.find(deviceId, id!, undefined, true))!;
    assert.partialDeepStrictEqual(record, { text: 'a wall', media: { width: 400 } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of await watched.session.downloadMedia(record, 5_000)) chunks.push(chunk);
    assert.deepEqual(Buffer.concat(chunks), large);
  }
});

test('driver: the media alone is replaced, whatever the network repeats', async () => {
  await using rig = await startIntakes();
  const { decrypted } = rig.connect();
  await decrypted({ id: 'M1', ...fromAnn }, standard);
  for (const id of ['H1', 'H1', 'H2']) await decrypted({ id, ...fromAnn }, better);
  const events = await rig.events();
  assert.deepEqual(mediaIn(events), [['M1', hexOf('HD')]]);
  assert.deepEqual(
    received(events).map(({ id }) => id),
    ['M1'],
  );
  const found = await rig.stores.messages.find(rig.deviceId, 'M1', undefined, true);
  assert.partialDeepStrictEqual(found, { text: 'look', quotedMessageId: 'M0', media: { width: 4000 } });
  const { imageMessage } = proto.Message.decode(found!.content!);
  assert.partialDeepStrictEqual(
    [imageMessage?.caption, imageMessage?.directPath, imageMessage?.contextInfo?.stanzaId],
    ['look', '/HD', 'M0'],
  );
});

test('driver: a video, and the form of Baileys, without a wrapper', async () => {
  await using rig = await startIntakes();
  const { decrypted } = rig.connect();
  await decrypted({ id: 'M1', ...fromAnn }, { videoMessage: standard.imageMessage as proto.Message.IVideoMessage });
  const { messageContextInfo } = associated({}, AssociationType.HD_VIDEO_DUAL_UPLOAD);
  const videoMessage = image('HD').imageMessage as proto.Message.IVideoMessage;
  await decrypted({ id: 'H1', ...fromAnn }, { videoMessage, messageContextInfo });
  assert.deepEqual(mediaIn(await rig.events()), [['M1', hexOf('HD')]]);
});

test('driver: one that comes before its message, or its content, is told by itself, and then changes it', async () => {
  for (const isTold of [false, true]) {
    await using rig = await startIntakes();
    const early = rig.connect();
    if (isTold) await early.intake.placeholders.take({ tag: 'message', attrs: { id: 'M1', ...fromAnn } });
    await early.decrypted({ id: 'H1', ...fromAnn }, better);
    const [hd] = received(await rig.events()).filter(({ id }) => id === 'H1');
    assert.deepEqual([hd?.type, hd?.hdOf], ['image', { messageId: 'M1' }]);
    const later = rig.connect();
    await later.decrypted({ id: 'M1', ...fromAnn }, standard);
    assert.deepEqual(mediaIn(await rig.events()), [['M1', hexOf('HD')]]);
    assert.partialDeepStrictEqual(await rig.stores.messages.find(rig.deviceId, 'M1'), {
      text: 'look',
      media: { width: 4000 },
    });
  }
});

test('driver: one to be opened once does not wait for its message, as nothing of it is kept', async () => {
  await using rig = await startIntakes();
  const { decrypted } = rig.connect();
  await decrypted({ id: 'H1', ...fromAnn }, associated(image('HD', { viewOnce: true })));
  const keys = await rig.stores.credentials.readKeys(rig.deviceId, 'waiting-updates', ['all']);
  assert.ok(![...keys.values()].some((value) => Buffer.from(value).includes('H1')));
});

test("driver: somebody else's message, another kind or a text is not changed, and nothing is lost", async () => {
  await using rig = await startIntakes();
  const { decrypted } = rig.connect();
  const bob = '4915200000077@s.whatsapp.net';
  const group = '120363000000000009@g.us';
  const inGroup = (participant: string) => ({ from: group, participant, t: fromAnn.t });
  await decrypted({ id: 'M1', ...inGroup(ann.phone) }, standard);
  await decrypted({ id: 'H1', ...inGroup(bob) }, better);
  await decrypted({ id: 'H2', ...inGroup(ann.phone) }, associated({ videoMessage: { mimetype: 'video/mp4' } }));
  await decrypted({ id: 'M1', ...fromAnn }, { conversation: 'a text' });
  await decrypted({ id: 'H3', ...fromAnn }, better);
  const events = await rig.events();
  assert.deepEqual(mediaIn(events), []);
  assert.deepEqual(
    received(events).map(({ id }) => id),
    ['M1', 'H1', 'H2', 'M1', 'H3'],
  );
  assert.partialDeepStrictEqual(await rig.stores.messages.find(rig.deviceId, 'M1', group), { media: { width: 800 } });
});

test('driver: of a deleted message nothing comes back', async () => {
  await using rig = await startIntakes();
  const { decrypted } = rig.connect();
  await decrypted({ id: 'M1', ...fromAnn }, standard);
  const { REVOKE } = proto.Message.ProtocolMessage.Type;
  await decrypted(
    { id: 'R1', ...fromAnn },
    { protocolMessage: { type: REVOKE, key: { id: 'M1', remoteJid: me.lid } } },
  );
  await decrypted({ id: 'H1', ...fromAnn }, better);
  assert.deepEqual(
    (await rig.events()).map(({ type }) => type),
    ['message.received', 'message.deleted'],
  );
});

test('the history has one message, too', async () => {
  await using installation = await startInstallation();
  const { phones, api } = installation;
  const [anns, bobs] = ['4915200000053', '4915200000054'];
  await phones.add(anns, 'Ann');
  await phones.add(bobs, 'Bob');
  const [imageBase64, hdBase64] = (await Promise.all([draw(40), draw(400)])).map((bytes) => bytes.toString('base64'));
  const [messageId, hd] = await phones.write(bobs, { to: anns, imageBase64, hdBase64 });
  await eventually('both on the phone', async () => (await phones.messages(anns)).length === 2);
  const { device } = (await api.post('/devices')).body;
  await api.put(`/devices/${device.id}/settings`, { history: 'recent' });
  await phones.scan(anns, (await api.get(`/devices/${device.id}`)).body.device.qr);
  const width = async () =>
    (await api.get(`/devices/${device.id}/messages/${messageId}`)).body.message?.media?.width as unknown;
  await eventually('the better media', async () => (await width()) === 400);
  assert.equal((await api.get(`/devices/${device.id}/messages/${hd}`)).status, 404);
});
