/** Changes of messages and chats by phones: votes, pins, comments, timers, albums; and bytes that no app would write. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { proto } from 'baileys';
import sharp from 'sharp';
import { eventually } from '../../support/wait.ts';
import { type Kinds, numbers, plain, startKinds } from './rig.ts';

let rig: Kinds;
before(async () => {
  rig = await startKinds();
});
after(() => rig[Symbol.asyncDispose]());

const { alice, bob } = numbers;
const aliceJid = `${alice}@s.whatsapp.net`;
const bobJid = `${bob}@s.whatsapp.net`;

test('a vote counts once, is replaced, and is taken back', async () => {
  const [id] = await rig.write({ poll: { question: 'Days?', options: ['Mo', 'Tu', 'We'], maxAnswers: 2 } });
  const vote = (options: readonly string[]) =>
    rig.control.request<{ message: { poll: { votes: object } } }>('POST', `/phones/491510000001/messages/${id}/vote`, {
      options,
    });
  const tally = (Mo: string[], Tu: string[], We: string[]) =>
    Object.entries({ Mo, Tu, We }).map(([option, from]) => ({ option, from }));
  await rig.shown(id!);
  assert.deepEqual((await vote(['Mo', 'Tu'])).message.poll.votes, tally([aliceJid], [aliceJid], []));
  assert.deepEqual((await vote(['We'])).message.poll.votes, tally([], [], [aliceJid]));
  assert.deepEqual((await vote([])).message.poll.votes, tally([], [], []));
  await assert.rejects(vote(['Mo', 'Tu', 'We']), /409 .*at most 2/);
  await assert.rejects(vote(['Su']), /409 .*no option Su/);
});

test('a pin is shown with who set it, and is taken away', async () => {
  const [id] = await rig.write({ text: 'important' });
  await rig.shown(id!);
  const path = `/phones/${bob}/messages/${id}/pin`;
  await rig.control.request('POST', path, { pinned: true, seconds: 86_400 });
  const pinned = await eventually('the pin', () => rig.alice.view.find(id!)?.pinned);
  assert.deepEqual(pinned, { from: bobJid, seconds: 86_400 });
  await eventually('the pin at the companion', () =>
    rig.companion.messages.find(({ message }) => message?.pinInChatMessage?.key?.id === id),
  );
  await rig.control.request('POST', path, { pinned: false });
  await eventually('the end of the pin', () => rig.alice.view.find(id!)?.pinned === null);
});

test('a comment is sealed under the secret of its message', async () => {
  const [id] = await rig.write({ text: 'news' });
  await rig.shown(id!);
  await rig.control.request('POST', `/phones/${alice}/messages/${id}/comment`, { text: 'well said' });
  const comments = await eventually('the comment', () => rig.bob.view.find(id!)?.comments);
  assert.deepEqual(comments, [{ from: aliceJid, text: 'well said' }]);
});

test('the timer of a chat is set on both sides, and messages are written under it', async () => {
  const path = `/phones/${bob}/chats/${alice}`;
  const timer = async (seconds: number): Promise<void> => {
    const { chat } = await rig.control.request<{ chat: object }>('PATCH', path, { expiresInSeconds: seconds });
    assert.partialDeepStrictEqual(chat, { expiresInSeconds: seconds || null });
  };
  await timer(86_400);
  const line = await eventually('the line', () => rig.alice.view.after(0).find(({ system }) => system === 'timer'));
  assert.partialDeepStrictEqual(line, { type: 'system', from: bobJid, expiresInSeconds: 86_400 });
  const { message } = await rig.companion.received(line.id);
  assert.equal(message?.protocolMessage?.ephemeralExpiration, 86_400);
  const [id] = await rig.write({ text: 'under it' });
  assert.equal((await rig.content(id!)).extendedTextMessage?.contextInfo?.expiration, 86_400);
  const [answer] = await rig.control.write(alice, { to: bob, text: 'also under it' });
  const shown = await eventually('the answer', () => rig.bob.view.find(answer!));
  assert.equal(shown.expiresInSeconds, 86_400);
  await timer(0);
  const [stays] = await rig.write({ text: 'stays' });
  assert.equal((await rig.content(stays!)).conversation, 'stays');
});

test('a live location moves on the other phone, and stands still on linked devices', async () => {
  const [id] = await rig.write({ location: { latitude: 1, longitude: 2, name: 'Bus', live: true } });
  await rig.shown(id!);
  const path = `/phones/${bob}/messages/${id}/move`;
  await rig.control.request('POST', path, { latitude: 1.5, longitude: 2.5, accuracyMeters: 5 });
  await eventually('the move', () => rig.alice.view.find(id!)?.location?.latitude === 1.5);
  assert.partialDeepStrictEqual(rig.bob.view.find(id!)?.location, { longitude: 2.5, accuracyMeters: 5, name: null });
  await rig.write({ text: 'arrived' });
  const positions = rig.companion.messages.flatMap(({ message }) => message?.liveLocationMessage ?? []);
  assert.deepEqual(
    positions.map(({ degreesLatitude }) => degreesLatitude),
    [1],
  );
  const [place] = await rig.write({ location: { latitude: 1, longitude: 2 } });
  await assert.rejects(
    rig.control.request('POST', `/phones/${bob}/messages/${place}/move`, { latitude: 1, longitude: 1 }),
    /409 .*only an own live location/,
  );
});

test('an album is a message that counts its parts, and each part names it', async () => {
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#2b7' } })
    .png()
    .toBuffer();
  const imageBase64 = bytes.toString('base64');
  const [album, first, second, ...more] = await rig.write({
    album: [{ imageBase64, caption: 'one' }, { imageBase64 }, { videoBase64: 'AAAA' }],
  });
  assert.equal(more.length, 1);
  assert.partialDeepStrictEqual(await rig.shown(album!), { type: 'album', album: { images: 2, videos: 1 } });
  assert.partialDeepStrictEqual(await rig.shown(first!), { type: 'image', albumId: album, image: { caption: 'one' } });
  const { message } = await rig.companion.received(second!);
  const { messageAssociation } = message?.messageContextInfo ?? {};
  assert.equal(messageAssociation?.parentMessageKey?.id, album);
  assert.equal(messageAssociation?.associationType, proto.MessageAssociation.AssociationType.MEDIA_ALBUM);
  const { message: frame } = await rig.companion.received(album!);
  assert.partialDeepStrictEqual(plain(frame!), { albumMessage: { expectedImageCount: 2, expectedVideoCount: 1 } });
});

test('a message that the phone hands over again keeps what is around it', async () => {
  const body = { text: 'hello', referral: { sourceId: '1202100', clickId: 'ARAkLk' }, withheld: 'waiting' };
  const [id] = await rig.control.write(bob, { to: alice, ...body });
  assert.partialDeepStrictEqual(await rig.shown(id!), { text: 'hello', referral: { clickId: 'ARAkLk' } });
  const { key } = await eventually('the stanza', () => rig.companion.messages.find((each) => each.key.id === id));
  await rig.companion.socket.sendPeerDataOperationMessage({
    placeholderMessageResendRequest: [{ messageKey: key }],
    peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
  });
  const { extendedTextMessage } = await rig.content(id!);
  assert.equal(extendedTextMessage?.text, 'hello');
  assert.equal(extendedTextMessage?.contextInfo?.externalAdReply?.ctwaClid, 'ARAkLk');
});

test('fields of the protobuf and bytes go out as they are, to the own companions too', async () => {
  const [id] = await rig.write({
    message: { listMessage: { title: 'Menu', description: 'Choose', listType: 'SINGLE_SELECT' } },
  });
  assert.partialDeepStrictEqual(await rig.shown(id!), { type: 'text', text: 'Choose' });
  assert.partialDeepStrictEqual(plain(await rig.content(id!)), { listMessage: { listType: 'SINGLE_SELECT' } });
  // Field 2000 is not in the protobufs.
  const text = Buffer.from(proto.Message.encode({ conversation: 'newer' }).finish());
  const newer = Buffer.concat([text, Buffer.from([0x82, 0x7d, 0x01, 0x78])]).toString('base64');
  const [future] = await rig.write({ protobuf: newer });
  assert.equal((await rig.content(future!)).conversation, 'newer');
  const [own] = await rig.control.write(alice, { to: bob, protobuf: newer });
  assert.equal((await rig.content(own!)).conversation, 'newer');
});

test('what nobody can read is sent and kept off the screens', async () => {
  const failures = rig.sandbox.phones.counters().decryptFailures;
  const [id] = await rig.control.write(bob, { to: alice, protobuf: Buffer.from([0x0a, 0xff]).toString('base64') });
  await eventually('the failure', () => rig.sandbox.phones.counters().decryptFailures > failures);
  assert.equal(rig.bob.view.find(id!), null);
  assert.equal(rig.alice.view.find(id!), null);
});

test('the lines of an order are told to whoever has its token', async () => {
  const lines = [{ id: 'p1', name: 'Cake', quantity: 2, price: 19.99 }];
  const order = { id: 'o1', items: 2, lines, total: 39.98, currency: 'EUR' };
  const [id] = await rig.write({ order });
  const said = await eventually('the order at the companion', () =>
    rig.companion.messages.find(({ key }) => key?.id === id),
  );
  const { token } = said.message!.orderMessage!;
  const { socket } = rig.companion;
  assert.deepEqual(await socket.getOrderDetails('o1', token!), {
    price: { total: 39_980, currency: 'EUR' },
    products: [{ id: 'p1', name: 'Cake', imageUrl: undefined, price: 19_990, currency: 'EUR', quantity: 2 }],
  });
  await assert.rejects(socket.getOrderDetails('o2', token!), /item-not-found/);
  await assert.rejects(socket.getOrderDetails('o1', 'guessed'), /item-not-found/);
});
