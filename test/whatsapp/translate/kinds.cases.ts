/** Messages of each kind, with the parts that they have. */
import type { proto } from 'baileys';
import type { MessageParts, MessageType } from '../../../src/domain/messages/parts.ts';
import { ann, group } from '../driver.people.ts';

const annInPerson = { jid: ann.phone, number: '4922200002', lid: ann.lid };
const place = { name: null, address: null, live: false, accuracyMeters: null };
const vcard = [
  'BEGIN:VCARD',
  'VERSION:3.0',
  'FN:Bob Builder',
  'ORG:Handset;Sales',
  'item1.TEL;waid=4915112345678:+49 151 123\r\n 45678',
  'TEL;TYPE=work:+49 (30) 555-0',
  'END:VCARD',
].join('\r\n');

export const said: readonly (readonly [string, proto.IMessage, MessageType, Partial<MessageParts>])[] = [
  [
    'a place',
    {
      locationMessage: {
        degreesLatitude: 52.5,
        degreesLongitude: 13.4,
        name: 'Office',
        address: 'Berlin',
        accuracyInMeters: 12,
      },
    },
    'location',
    {
      location: {
        latitude: 52.5,
        longitude: 13.4,
        name: 'Office',
        address: 'Berlin',
        live: false,
        accuracyMeters: 12,
      },
    },
  ],
  [
    'a place that moves',
    { liveLocationMessage: { degreesLatitude: -1, degreesLongitude: 2 } },
    'location',
    { location: { ...place, latitude: -1, longitude: 2, live: true } },
  ],
  [
    'a contact',
    { contactMessage: { displayName: 'Bob', vcard } },
    'contact',
    { contacts: [{ name: 'Bob', numbers: ['4915112345678', '49305550'], organization: 'Handset, Sales', vcard }] },
  ],
  [
    'contacts',
    { contactsArrayMessage: { contacts: [{ vcard: 'FN:Ann\\, A.' }, { displayName: 'Bob' }] } },
    'contact',
    {
      contacts: [
        { name: 'Ann, A.', numbers: [], organization: null, vcard: 'FN:Ann\\, A.' },
        { name: 'Bob', numbers: [], organization: null, vcard: '' },
      ],
    },
  ],
  [
    'a poll',
    { pollCreationMessageV3: { name: 'Lunch?', options: [{ optionName: 'yes' }, { optionName: 'no' }] } },
    'poll',
    { poll: { question: 'Lunch?', options: ['yes', 'no'], maxAnswers: 2 } },
  ],
  [
    'a poll with one answer',
    { pollCreationMessage: { name: 'Lunch?', options: [{ optionName: 'yes' }], selectableOptionsCount: 1 } },
    'poll',
    { poll: { question: 'Lunch?', options: ['yes'], maxAnswers: 1 } },
  ],
  [
    'an event',
    {
      eventMessage: {
        name: 'Party',
        description: 'Bring cake',
        startTime: 1_700_000_000,
        location: { name: 'Garden', degreesLatitude: 1, degreesLongitude: 2 },
      },
    },
    'event',
    {
      event: {
        name: 'Party',
        description: 'Bring cake',
        startsAt: 1_700_000_000_000,
        endsAt: null,
        place: { ...place, name: 'Garden', latitude: 1, longitude: 2 },
        canceled: false,
      },
    },
  ],
  [
    'a scheduled call',
    { scheduledCallCreationMessage: { title: 'Weekly', scheduledTimestampMs: 1_700_000_000_000 } },
    'event',
    {
      event: {
        name: 'Weekly',
        description: null,
        startsAt: 1_700_000_000_000,
        endsAt: null,
        place: null,
        canceled: false,
      },
    },
  ],
  [
    'an invitation to a group',
    {
      groupInviteMessage: {
        groupJid: group,
        groupName: 'Team',
        inviteCode: 'AbC',
        inviteExpiration: 1_700_000_000,
      },
    },
    'groupInvite',
    { groupInvite: { group, subject: 'Team', code: 'AbC', expiresAt: 1_700_000_000_000 } },
  ],
  [
    'a reply to a button',
    { buttonsResponseMessage: { selectedButtonId: 'b1', selectedDisplayText: 'Yes' } },
    'text',
    { selection: { id: 'b1', text: 'Yes' } },
  ],
  [
    'a reply to a list',
    { listResponseMessage: { title: 'Red', singleSelectReply: { selectedRowId: 'r2' } } },
    'text',
    { selection: { id: 'r2', text: 'Red' } },
  ],
  [
    'a reply to a template',
    { templateButtonReplyMessage: { selectedId: 't3', selectedDisplayText: 'Go' } },
    'text',
    { selection: { id: 't3', text: 'Go' } },
  ],
  [
    'a reply to a flow',
    {
      interactiveResponseMessage: {
        body: { text: 'Done' },
        nativeFlowResponseMessage: { paramsJson: '{"id":"f4"}' },
      },
    },
    'text',
    { selection: { id: 'f4', text: 'Done' } },
  ],
  [
    'a link',
    {
      extendedTextMessage: {
        text: 'see https://example.com',
        matchedText: 'https://example.com',
        title: 'Example',
        description: 'A domain',
      },
    },
    'text',
    { link: { url: 'https://example.com', title: 'Example', description: 'A domain' } },
  ],
  [
    'the timer, a forward and mentions',
    {
      extendedTextMessage: {
        text: 'hi @9002',
        contextInfo: {
          expiration: 86_400,
          isForwarded: true,
          forwardingScore: 127,
          mentionedJid: [ann.lid, ann.phone, 'nobody'],
        },
      },
    },
    'text',
    { expiresInSeconds: 86_400, forwarded: { times: 127 }, mentions: [annInPerson] },
  ],
  [
    'a reply',
    {
      extendedTextMessage: {
        text: 'yes',
        contextInfo: {
          stanzaId: 'Q1',
          participant: ann.lid,
          quotedMessage: { imageMessage: { caption: 'look' } },
        },
      },
    },
    'text',
    { quoted: { id: 'Q1', from: annInPerson, type: 'image', text: 'look' } },
  ],
  ['a comment', { commentMessage: { message: { conversation: 'nice' }, targetMessageKey: { id: 'P1' } } }, 'text', {}],
  [
    'an advertisement',
    {
      extendedTextMessage: {
        text: 'hi',
        contextInfo: {
          externalAdReply: {
            sourceType: 'ad',
            sourceId: '120',
            sourceUrl: 'https://fb.me/x',
            title: 'Sale',
            body: 'Now',
            mediaUrl: 'https://cdn/x',
            ctwaClid: 'Ab',
          },
        },
      },
    },
    'text',
    {
      referral: {
        sourceType: 'ad',
        sourceId: '120',
        sourceUrl: 'https://fb.me/x',
        title: 'Sale',
        body: 'Now',
        mediaUrl: 'https://cdn/x',
        clickId: 'Ab',
      },
    },
  ],
  ['an album', { albumMessage: { expectedImageCount: 2 } }, 'album', {}],
  [
    'an order',
    {
      orderMessage: {
        orderTitle: 'Cake',
        orderId: 'o1',
        itemCount: 2,
        totalAmount1000: 39_990,
        totalCurrencyCode: 'EUR',
      },
    },
    'order',
    { order: { id: 'o1', itemCount: 2, items: null, total: 39.99, currency: 'EUR' } },
  ],
  [
    'a product',
    { productMessage: { product: { title: 'Cake', priceAmount1000: 19_990, currencyCode: 'euros' } } },
    'product',
    { product: { id: null, name: 'Cake', description: null, price: 19.99, currency: null, url: null } },
  ],
  ['a payment', { requestPaymentMessage: { noteMessage: { conversation: 'rent' } } }, 'payment', {}],
  ['a call', { callLogMesssage: { isVideo: true } }, 'callLog', {}],
];
