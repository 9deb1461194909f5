/** Each kind of message that a phone writes: another phone shows it, and stock Baileys reads the same. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { proto } from 'baileys';
import sharp from 'sharp';
import { type Kinds, startKinds } from './rig.ts';

let rig: Kinds;
before(async () => {
  rig = await startKinds();
});
after(() => rig[Symbol.asyncDispose]());

const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#2b7' } })
  .png()
  .toBuffer();
const imageBase64 = picture.toString('base64');
const file = Buffer.from('any bytes').toString('base64');
const aliceJid = '491510000001@s.whatsapp.net';
const referral = {
  sourceType: 'ad',
  sourceId: '120210000000',
  sourceUrl: 'https://fb.me/abc',
  title: 'Shoes',
  body: 'All sizes',
  mediaUrl: 'https://example.com/shoes.jpg',
  clickId: 'ARAkLk',
};

interface Case {
  readonly name: string;
  readonly body: Record<string, unknown>;
  /** Members on the other phone. */
  readonly shown: Record<string, unknown>;
  /** Members that stock Baileys reads. */
  readonly read: proto.IMessage;
}

const cases: readonly Case[] = [
  {
    name: 'a place',
    body: { type: 'location', location: { latitude: 52.5, longitude: 13.4, name: 'Gate', address: 'Berlin' } },
    shown: { type: 'location', location: { latitude: 52.5, name: 'Gate', address: 'Berlin', live: false } },
    read: { locationMessage: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: 'Gate', address: 'Berlin' } },
  },
  {
    name: 'a live location',
    body: { location: { latitude: 1, longitude: 2, live: true, accuracyMeters: 12 } },
    shown: { type: 'location', location: { live: true, accuracyMeters: 12 } },
    read: { liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2, accuracyInMeters: 12 } },
  },
  {
    name: 'a contact',
    body: { contacts: [{ name: 'Carol', numbers: ['491510000003'], organization: 'Example' }] },
    shown: { type: 'contact', contacts: [{ name: 'Carol', numbers: ['491510000003'], organization: 'Example' }] },
    read: { contactMessage: { displayName: 'Carol' } },
  },
  {
    name: 'several contacts',
    body: {
      type: 'contact',
      contacts: [
        { name: 'Carol', numbers: ['491510000003', '491510000004'] },
        { name: 'Dan', numbers: ['491510000005'] },
      ],
    },
    shown: { contacts: [{ numbers: ['491510000003', '491510000004'] }, { name: 'Dan', organization: null }] },
    read: { contactsArrayMessage: { contacts: [{ displayName: 'Carol' }, { displayName: 'Dan' }] } },
  },
  {
    name: 'a poll with one answer',
    body: { poll: { question: 'Lunch?', options: ['yes', 'no'] } },
    shown: { poll: { question: 'Lunch?', options: ['yes', 'no'], maxAnswers: 1 } },
    read: { pollCreationMessageV3: { name: 'Lunch?', selectableOptionsCount: 1 } },
  },
  {
    name: 'a poll with several answers',
    body: { type: 'poll', poll: { question: 'Days?', options: ['Mo', 'Tu', 'We'], maxAnswers: 2 } },
    shown: { poll: { maxAnswers: 2 } },
    read: { pollCreationMessage: { name: 'Days?', selectableOptionsCount: 2 } },
  },
  {
    name: 'an event',
    body: { event: { name: 'Party', description: 'All come', startsAt: '2027-01-01T20:00:00Z', place: 'Home' } },
    shown: { event: { name: 'Party', startsAt: '2027-01-01T20:00:00.000Z', endsAt: null, canceled: false } },
    read: { eventMessage: { name: 'Party', description: 'All come', location: { name: 'Home' } } },
  },
  {
    name: 'a link preview',
    body: { text: 'see https://example.com', link: { url: 'https://example.com', title: 'Example' } },
    shown: { type: 'text', text: 'see https://example.com', link: { title: 'Example', description: null } },
    read: { extendedTextMessage: { matchedText: 'https://example.com', title: 'Example' } },
  },
  {
    name: 'a mention',
    body: { text: 'hello @491510000001', mentions: ['491510000001'] },
    shown: { mentions: [aliceJid] },
    read: { extendedTextMessage: { text: 'hello @491510000001' } },
  },
  {
    name: 'a forwarded text',
    body: { text: 'read this', forwarded: 127 },
    shown: { forwarded: { times: 127 } },
    read: { extendedTextMessage: { contextInfo: { isForwarded: true, forwardingScore: 127 } } },
  },
  {
    name: 'a forwarded post of a channel',
    body: { imageBase64, forwarded: 1, channel: { jid: '120363000000000000@newsletter', name: 'News', messageId: 7 } },
    shown: { channel: { jid: '120363000000000000@newsletter', name: 'News', messageId: 7 } },
    read: { imageMessage: { contextInfo: { forwardedNewsletterMessageInfo: { newsletterName: 'News' } } } },
  },
  {
    name: 'a message that disappears',
    body: { text: 'soon gone', expiresInSeconds: 86_400 },
    shown: { expiresInSeconds: 86_400 },
    read: { extendedTextMessage: { contextInfo: { expiration: 86_400 } } },
  },
  {
    name: 'the first message after an advertisement',
    body: { text: 'hello', referral },
    shown: { referral },
    read: {
      extendedTextMessage: { contextInfo: { externalAdReply: { sourceId: '120210000000', ctwaClid: 'ARAkLk' } } },
    },
  },
  {
    name: 'a voice message',
    body: { type: 'voice', audioBase64: file, seconds: 3, waveform: [0, 50, 100] },
    shown: { type: 'audio', media: { voice: true, seconds: 3, waveform: [0, 50, 100] }, error: null },
    read: { audioMessage: { ptt: true, seconds: 3, mimetype: 'audio/ogg; codecs=opus' } },
  },
  {
    name: 'a GIF',
    body: { type: 'gif', videoBase64: file, width: 320, height: 200 },
    shown: { type: 'video', media: { gif: true, width: 320, height: 200 }, error: null },
    read: { videoMessage: { gifPlayback: true, width: 320 } },
  },
  {
    name: 'a video note',
    body: { type: 'videoNote', videoBase64: file, seconds: 5 },
    shown: { type: 'video', media: { note: true, seconds: 5 }, error: null },
    read: { ptvMessage: { seconds: 5 } },
  },
  {
    name: 'a document with a caption',
    body: { documentBase64: file, fileName: 'a.pdf', caption: 'the contract' },
    shown: { type: 'document', media: { fileName: 'a.pdf', caption: 'the contract' }, error: null },
    read: { documentMessage: { fileName: 'a.pdf', caption: 'the contract' } },
  },
  {
    name: 'an image to be looked at once',
    body: { imageBase64, viewOnce: true },
    shown: { type: 'image', viewOnce: true, error: null },
    read: { imageMessage: { viewOnce: true } },
  },
];

for (const { name, body, shown, read } of cases) {
  test(`${name} arrives as it was written`, async () => {
    const [id] = await rig.write(body);
    assert.partialDeepStrictEqual(await rig.shown(id!), shown);
    assert.partialDeepStrictEqual(JSON.parse(JSON.stringify(await rig.content(id!))), read);
    assert.partialDeepStrictEqual(rig.bob.view.find(id!), { ...shown, fromMe: true });
  });
}

test('an answer quotes what is on the phone, whichever kind it is', async () => {
  const [place] = await rig.write({ location: { latitude: 1, longitude: 2, name: 'Gate' } });
  const [id] = await rig.write({ text: 'there', quotedMessageId: place });
  const from = rig.bob.account.jid;
  assert.partialDeepStrictEqual(await rig.shown(id!), {
    quotedId: place,
    quoted: { id: place, from, type: 'location', text: null },
  });
  const { extendedTextMessage: read } = await rig.content(id!);
  assert.equal(read?.contextInfo?.quotedMessage?.locationMessage?.name, 'Gate');
});

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

test('a body that cannot be a message is refused in words', async () => {
  const to = '491510000001';
  const refusals: readonly (readonly [object, RegExp])[] = [
    [{ to, type: 'location', text: 'x' }, /type is location, so location must be given, not text/],
    [{ to, type: 'letter', text: 'x' }, /type must be one of text, image/],
    [{ to, location: { latitude: 91, longitude: 0 } }, /latitude must be a number from -90 to 90/],
    [{ to, location: { latitude: 1, longitude: 0, high: 3 } }, /high is unknown in location/],
    [{ to, contacts: [] }, /contacts must be an array of 1 to/],
    [{ to, contacts: [{ name: 'A', numbers: ['x'] }] }, /numbers\[0\] must be a phone number/],
    [{ to, poll: { question: 'x', options: ['a', 'a'] } }, /options must differ/],
    [{ to, poll: { question: 'x', options: ['a', 'b'], maxAnswers: 3 } }, /maxAnswers must be 2 at most/],
    [{ to, event: { name: 'x', startsAt: 'noon' } }, /startsAt must be a time in ISO 8601/],
    [{ to, text: 'x', seconds: 3 }, /seconds goes with videos and recordings only/],
    [{ to, text: 'x', viewOnce: true }, /viewOnce goes with images/],
    [{ to, text: 'x', link: { url: 'https://example.com' } }, /link.url must be in the text/],
    [{ to, text: 'x', forwarded: 0 }, /forwarded must be a whole number/],
    [{ to, audioBase64: file, waveform: [1] }, /waveform goes with voice messages only/],
  ];
  for (const [body, words] of refusals) assert.match(await rig.refused(body), words);
  assert.match(await rig.refused({ to, text: 'x', mentions: ['4900000'] }, 404), /mentions: there is no account/);
});
