/** Messages that a phone writes, kind by kind, with what others read. */
import { sample } from '../../support/media.ts';

export const imageBase64 = sample('picture.png').toString('base64');
export const file = Buffer.from('any bytes').toString('base64');
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
  readonly read: object;
}

export const cases: readonly Case[] = [
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
    shown: {
      event: {
        name: 'Party',
        startsAt: '2027-01-01T20:00:00.000Z',
        endsAt: null,
        place: { name: 'Home' },
        canceled: false,
      },
    },
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
  {
    name: 'a voice message to be listened to once',
    body: { type: 'voice', audioBase64: file, viewOnce: true },
    shown: { type: 'audio', viewOnce: true, media: { voice: true } },
    read: { audioMessage: { viewOnce: true, ptt: true } },
  },
  {
    name: 'a sticker',
    body: { stickerBase64: sample('still.webp').toString('base64') },
    shown: { type: 'sticker', media: { mimetype: 'image/webp', width: 64 }, error: null },
    read: { stickerMessage: { width: 64, height: 64, isAnimated: false } },
  },
  {
    name: 'an animated sticker',
    body: { stickerBase64: sample('animated.webp').toString('base64') },
    shown: { type: 'sticker', media: { animated: true }, error: null },
    read: { stickerMessage: { isAnimated: true, width: 64 } },
  },
  {
    name: 'an invitation to a group',
    body: {
      groupInvite: {
        group: '120363000000000001@g.us',
        subject: 'Friends',
        code: 'Abc',
        expiresAt: '2027-01-01T00:00:00Z',
      },
      caption: 'come in',
    },
    shown: {
      type: 'groupInvite',
      text: 'come in',
      groupInvite: { code: 'Abc', expiresAt: '2027-01-01T00:00:00.000Z' },
    },
    read: { groupInviteMessage: { groupJid: '120363000000000001@g.us', groupName: 'Friends', caption: 'come in' } },
  },
  {
    name: 'a reply to a button',
    body: { selection: { id: 'b1', text: 'Yes' } },
    shown: { type: 'text', text: 'Yes', selection: { id: 'b1', text: 'Yes' } },
    read: { buttonsResponseMessage: { selectedButtonId: 'b1', selectedDisplayText: 'Yes' } },
  },
  {
    name: 'a reply to a list',
    body: { selection: { id: 'r1', text: 'Row', from: 'list' } },
    shown: { text: 'Row', selection: { id: 'r1' } },
    read: { listResponseMessage: { title: 'Row', singleSelectReply: { selectedRowId: 'r1' } } },
  },
  {
    name: 'a reply to a template',
    body: { selection: { id: 't1', text: 'More', from: 'template' } },
    shown: { text: 'More', selection: { id: 't1' } },
    read: { templateButtonReplyMessage: { selectedId: 't1', selectedDisplayText: 'More' } },
  },
  {
    name: 'a reply to a native flow',
    body: { selection: { id: 'f1', text: 'Go', from: 'flow' } },
    shown: { text: 'Go', selection: { id: 'f1' } },
    read: { interactiveResponseMessage: { body: { text: 'Go' } } },
  },
  {
    name: 'a product',
    body: { product: { id: 'p1', title: 'Shoes', price: 19.99, currency: 'EUR', imageBase64 } },
    shown: { type: 'product', product: { id: 'p1', title: 'Shoes', price: 19.99, currency: 'EUR' } },
    read: { productMessage: { product: { productId: 'p1', priceAmount1000: '19990', productImage: { width: 40 } } } },
  },
  {
    name: 'an order',
    body: { order: { id: 'o1', title: 'Shop', items: 2, total: 40, currency: 'EUR' }, caption: 'please' },
    shown: { type: 'order', text: 'please', order: { id: 'o1', items: 2, total: 40 } },
    read: { orderMessage: { orderId: 'o1', itemCount: 2, message: 'please', totalCurrencyCode: 'EUR' } },
  },
  {
    name: 'a request for a payment',
    body: { payment: { amount: 12.5, currency: 'BRL' }, caption: 'lunch', expiresInSeconds: 86_400 },
    shown: { type: 'payment', text: 'lunch', payment: { amount: 12.5, currency: 'BRL' }, expiresInSeconds: 86_400 },
    read: { requestPaymentMessage: { amount1000: '12500', noteMessage: { extendedTextMessage: { text: 'lunch' } } } },
  },
  {
    name: 'a call in the chat',
    body: { callLog: { outcome: 'missed', video: true } },
    shown: { type: 'callLog', callLog: { outcome: 'missed', video: true, seconds: null } },
    read: { callLogMesssage: { isVideo: true, callOutcome: 'MISSED' } },
  },
  ...['requestPhoneNumber', 'channelInvite', 'pollResult', 'statusMention', 'limitSharing'].map((system) => ({
    name: `a line of the system (${system})`,
    body: { system },
    shown: { type: 'system', system },
    read: {},
  })),
  {
    name: 'an answer to a status',
    body: { text: 'nice', quotedStatus: { id: '3EB0AA', from: '491510000001', text: 'my day' } },
    shown: { quoted: { id: '3EB0AA', from: aliceJid, type: 'text', text: 'my day', status: true } },
    read: { extendedTextMessage: { contextInfo: { remoteJid: 'status@broadcast', stanzaId: '3EB0AA' } } },
  },
];
