/** Each kind of message that stock Baileys can make, as a phone shows it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AnyMessageContent, generateWAMessageContent, type MiscMessageGenerationOptions, proto } from 'baileys';
import { sample } from '../../support/media.ts';
import { eventually } from '../../support/wait.ts';
import { type Kinds, numbers, startKinds } from './rig.ts';

let rig: Kinds;
before(async () => {
  rig = await startKinds();
});
after(() => rig[Symbol.asyncDispose]());

const picture = sample('still.webp');
const bytes = Buffer.from('any bytes');
const aliceJid = `${numbers.alice}@s.whatsapp.net`;
const bobJid = `${numbers.bob}@s.whatsapp.net`;
const vcard =
  'BEGIN:VCARD\nVERSION:3.0\nFN:Carol\nORG:Example;\nitem1.TEL;waid=491510000003:+49 151 0000003\nEND:VCARD';

interface Case {
  readonly name: string;
  readonly content: AnyMessageContent;
  readonly options?: MiscMessageGenerationOptions;
  readonly shown: object;
}

const cases: readonly Case[] = [
  {
    name: 'a place',
    content: { location: { degreesLatitude: 1, degreesLongitude: 2, name: 'Gate', address: 'Berlin' } },
    shown: { type: 'location', location: { latitude: 1, longitude: 2, name: 'Gate', address: 'Berlin', live: false } },
  },
  {
    name: 'a contact',
    content: { contacts: { contacts: [{ displayName: 'Carol', vcard }] } },
    shown: { type: 'contact', contacts: [{ name: 'Carol', numbers: ['491510000003'], organization: 'Example' }] },
  },
  {
    name: 'several contacts',
    content: { contacts: { displayName: 'both', contacts: [{ displayName: 'Carol', vcard }, { vcard }] } },
    shown: { contacts: [{ name: 'Carol' }, { name: 'Carol' }] },
  },
  {
    name: 'a poll with one answer',
    content: { poll: { name: 'Lunch?', values: ['yes', 'no'], selectableCount: 1 } },
    shown: { type: 'poll', poll: { question: 'Lunch?', options: ['yes', 'no'], maxAnswers: 1 } },
  },
  {
    name: 'a poll with any number of answers',
    content: { poll: { name: 'Days?', values: ['Mo', 'Tu', 'We'] } },
    shown: { poll: { maxAnswers: 3 } },
  },
  {
    name: 'an event',
    content: {
      event: {
        name: 'Party',
        startDate: new Date('2027-01-01T20:00:00Z'),
        location: { name: 'Home' },
        description: 'all',
      },
    },
    shown: {
      type: 'event',
      event: { name: 'Party', description: 'all', startsAt: '2027-01-01T20:00:00.000Z', place: { name: 'Home' } },
    },
  },
  {
    name: 'a sticker',
    content: { sticker: picture, isAnimated: true },
    shown: { type: 'sticker', media: { animated: true, bytes: picture.length }, error: null },
  },
  {
    name: 'a voice message',
    content: { audio: bytes, ptt: true, seconds: 3, mimetype: 'audio/ogg; codecs=opus' },
    shown: { type: 'audio', media: { voice: true, seconds: 3, bytes: bytes.length }, error: null },
  },
  {
    name: 'a GIF',
    content: { video: bytes, gifPlayback: true, caption: 'ha' },
    shown: { type: 'video', media: { gif: true, caption: 'ha' }, error: null },
  },
  {
    name: 'a video note',
    content: { video: bytes, ptv: true },
    shown: { type: 'video', media: { note: true }, error: null },
  },
  {
    name: 'a document with a caption',
    content: { document: bytes, mimetype: 'application/pdf', fileName: 'a.pdf', caption: 'the contract' },
    shown: { type: 'document', media: { fileName: 'a.pdf', caption: 'the contract', mimetype: 'application/pdf' } },
  },
  {
    name: 'an image to be looked at once',
    content: { image: picture, viewOnce: true },
    shown: { type: 'image', viewOnce: true, image: { width: 64 }, error: null },
  },
  {
    name: 'a product',
    content: {
      product: { productImage: picture, productId: 'p1', title: 'Shoes', priceAmount1000: 19_990, currencyCode: 'EUR' },
      businessOwnerJid: aliceJid,
    },
    shown: {
      type: 'product',
      product: { id: 'p1', title: 'Shoes', price: 19.99, currency: 'EUR', business: aliceJid },
    },
  },
  {
    name: 'a reply to a button',
    content: { type: 'plain', buttonReply: { displayText: 'Yes', id: 'b1', index: 0 } },
    shown: { type: 'text', text: 'Yes', selection: { id: 'b1', text: 'Yes' } },
  },
  {
    name: 'a reply to a template',
    content: { type: 'template', buttonReply: { displayText: 'More', id: 't1', index: 1 } },
    shown: { text: 'More', selection: { id: 't1' } },
  },
  {
    name: 'a reply to a list',
    content: { listReply: { title: 'Row', singleSelectReply: { selectedRowId: 'r1' } } },
    shown: { text: 'Row', selection: { id: 'r1' } },
  },
  {
    name: 'a link preview',
    content: {
      text: 'see https://example.com',
      linkPreview: { 'canonical-url': 'https://example.com', 'matched-text': 'https://example.com', title: 'Example' },
    },
    shown: { type: 'text', link: { url: 'https://example.com', title: 'Example', description: null } },
  },
  {
    name: 'a mention',
    content: { text: `hello @${numbers.bob}`, mentions: [bobJid] },
    shown: { type: 'text', mentions: [bobJid] },
  },
  {
    name: 'a message under a timer',
    content: { text: 'soon gone' },
    options: { ephemeralExpiration: 86_400 },
    shown: { type: 'text', text: 'soon gone', expiresInSeconds: 86_400 },
  },
  { name: 'a request for the number', content: { requestPhoneNumber: true }, shown: { type: 'system' } },
];

for (const { name, content, options, shown } of cases) {
  test(`${name} is shown as stock Baileys wrote it`, async () => {
    assert.partialDeepStrictEqual(await rig.send(content, options), shown);
  });
}

test('an invitation to a group is shown as stock Baileys wrote it', async () => {
  const groupInvite = {
    inviteCode: 'Abc',
    inviteExpiration: 1_800_000_000,
    text: 'come in',
    jid: '120363000000000001@g.us',
    subject: 'Friends',
  };
  // A socket would ask for the picture of the group first.
  const content = await generateWAMessageContent({ groupInvite }, { upload: rig.companion.socket.waUploadToServer });
  const id = await rig.companion.socket.relayMessage(bobJid, content, { messageId: '3EB0CAFE' });
  assert.partialDeepStrictEqual(await eventually('the invitation', () => rig.bob.view.find(id)), {
    type: 'groupInvite',
    text: 'come in',
    groupInvite: { group: '120363000000000001@g.us', subject: 'Friends', expiresAt: '2027-01-15T08:00:00.000Z' },
  });
});

test('a quote and a forward are shown with what they are about', async () => {
  const [id] = await rig.write({ location: { latitude: 1, longitude: 2, name: 'Gate' } });
  const original = await rig.companion.received(id!);
  assert.partialDeepStrictEqual(await rig.send({ text: 'where?' }, { quoted: original }), {
    quoted: { id, from: bobJid, type: 'location', status: false },
  });
  assert.partialDeepStrictEqual(await rig.send({ forward: original, force: true }), {
    type: 'location',
    location: { name: 'Gate' },
    forwarded: { times: 1 },
  });
});

test('reactions, edits, pins and revokes change what was shown', async () => {
  const { id } = await rig.send({ text: 'firts' });
  const key = { remoteJid: bobJid, fromMe: true, id };
  const holds = (members: object) =>
    eventually(`the change ${JSON.stringify(members)}`, () => {
      try {
        assert.partialDeepStrictEqual(rig.bob.view.find(id), members);
        return true;
      } catch {
        return false;
      }
    });
  const { socket } = rig.companion;
  await socket.sendMessage(bobJid, { react: { key, text: '👍' } });
  await holds({ reactions: [{ from: aliceJid, emoji: '👍' }] });
  await socket.sendMessage(bobJid, { text: 'first', edit: key });
  await holds({ text: 'first', edited: true });
  await socket.sendMessage(bobJid, { pin: key, type: proto.PinInChat.Type.PIN_FOR_ALL, time: 86_400 });
  await holds({ pinned: { from: aliceJid, seconds: 86_400 } });
  await socket.sendMessage(bobJid, { delete: key });
  await holds({ revoked: true, text: null });
});

test('an album is followed by its parts', async () => {
  const { id } = await rig.send({ album: { expectedImageCount: 1, expectedVideoCount: 1 } });
  const albumParentKey = { remoteJid: bobJid, fromMe: true, id };
  assert.partialDeepStrictEqual(await rig.send({ image: picture, albumParentKey }), { type: 'image', albumId: id });
  assert.partialDeepStrictEqual(await rig.send({ video: bytes, albumParentKey }), { type: 'video', albumId: id });
  assert.partialDeepStrictEqual(rig.bob.view.find(id), { type: 'album', album: { images: 1, videos: 1 } });
});

test('a timer that Baileys sets applies to what the phone writes', async () => {
  await rig.companion.socket.sendMessage(bobJid, { disappearingMessagesInChat: 604_800 });
  const line = await eventually('the line', () => rig.bob.view.after(0).find(({ system }) => system === 'timer'));
  assert.partialDeepStrictEqual(line, { type: 'system', from: aliceJid, expiresInSeconds: 604_800 });
  const [id] = await rig.write({ text: 'under it' });
  assert.equal((await rig.shown(id!)).expiresInSeconds, 604_800);
});
