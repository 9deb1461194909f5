/** Locations, contacts, polls, quotes and mentions: as the phone shows them, as stock Baileys reads them, and as the log and the event tell them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { proto } from 'baileys';
import { bob, cyd, type Rig, type Shown, startRig } from './rig.ts';

interface Kind {
  readonly name: string;
  readonly path: string;
  readonly body: object;
  /** Members on the phone of the sandbox, in its words. */
  readonly shown: object;
  /** Members of what stock Baileys reads. */
  readonly read: object;
  /** Members of the log, and of the event. */
  readonly logged: object;
}

const tricky = 'Grace\nEND:VCARD\r\nTEL:+666; Hopper, "PhD"\\';

const kinds: readonly Kind[] = [
  {
    name: 'a location',
    path: 'location',
    body: { latitude: 52.5163, longitude: -13.3777, name: 'The gate', address: 'Pariser Platz' },
    shown: { type: 'location', location: { latitude: 52.5163, longitude: -13.3777, name: 'The gate', live: false } },
    read: { locationMessage: { degreesLatitude: 52.5163, degreesLongitude: -13.3777, address: 'Pariser Platz' } },
    logged: {
      type: 'location',
      text: 'The gate',
      location: {
        latitude: 52.5163,
        longitude: -13.3777,
        name: 'The gate',
        address: 'Pariser Platz',
        live: false,
        accuracyMeters: null,
      },
    },
  },
  {
    name: 'a location at the pole',
    path: 'location',
    body: { latitude: -90, longitude: 180 },
    shown: { location: { latitude: -90, longitude: 180, name: null, address: null } },
    read: { locationMessage: { degreesLatitude: -90, degreesLongitude: 180 } },
    logged: { text: null, location: { latitude: -90, longitude: 180, name: null } },
  },
  {
    name: 'a contact',
    path: 'contact',
    body: { contacts: [{ name: 'Cyd', numbers: [cyd, '4930123456'], organization: 'Dance; Co' }] },
    shown: { type: 'contact', contacts: [{ name: 'Cyd', numbers: [cyd, '4930123456'] }] },
    read: { contactMessage: { displayName: 'Cyd' } },
    logged: {
      type: 'contact',
      text: 'Cyd',
      contacts: [{ name: 'Cyd', numbers: [cyd, '4930123456'], organization: 'Dance; Co' }],
    },
  },
  {
    name: 'contacts, and a name that would be lines of the card',
    path: 'contact',
    body: {
      contacts: [
        { name: tricky, numbers: [cyd] },
        { name: 'Bob', numbers: [bob] },
      ],
    },
    shown: {
      contacts: [
        { name: tricky, numbers: [cyd] },
        { name: 'Bob', numbers: [bob] },
      ],
    },
    read: { contactsArrayMessage: { displayName: '2 contacts' } },
    logged: {
      contacts: [
        { name: tricky, numbers: [cyd], organization: null },
        { name: 'Bob', numbers: [bob] },
      ],
    },
  },
  {
    name: 'a poll with one answer',
    path: 'poll',
    body: { question: 'When?', options: ['now', 'never'] },
    shown: { type: 'poll', poll: { question: 'When?', maxAnswers: 1 } },
    read: { pollCreationMessageV3: { name: 'When?', selectableOptionsCount: 1 } },
    logged: { type: 'poll', text: 'When?', poll: { question: 'When?', options: ['now', 'never'], maxAnswers: 1 } },
  },
  {
    name: 'a poll with as many answers as there are',
    path: 'poll',
    body: { question: 'Which?', options: ['a', 'b', 'c'], maxAnswers: 3 },
    shown: { poll: { question: 'Which?', maxAnswers: 3 } },
    read: { pollCreationMessage: { name: 'Which?' } },
    logged: { poll: { question: 'Which?', options: ['a', 'b', 'c'], maxAnswers: 3 } },
  },
  {
    name: 'a mention',
    path: 'text',
    body: { message: `hello @${cyd}!`, mentions: [cyd, `${cyd}@s.whatsapp.net`] },
    shown: { text: `hello @${cyd}!`, mentions: [`${cyd}@s.whatsapp.net`] },
    read: { extendedTextMessage: { contextInfo: { mentionedJid: [`${cyd}@s.whatsapp.net`] } } },
    logged: { type: 'text', text: `hello @${cyd}!`, mentions: [{ jid: `${cyd}@s.whatsapp.net`, number: cyd }] },
  },
];

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('what a device can say', () => {
  let rig: Rig;
  before(async () => (rig = await startRig()));
  after(() => rig[Symbol.asyncDispose]());

  for (const { name, path, body, shown, read, logged } of kinds) {
    for (const chat of ['a person', 'a group'] as const) {
      it(`${name}, to ${chat}`, async () => {
        const to = chat === 'a group' ? rig.group : rig.jids.bob;
        const id = await rig.send(path, { to, ...body });
        const { lid } = await rig.installation.phones.get(cyd);
        // A group of today names people by LID, in the text as well.
        const onWire = <T>(expected: T): T => {
          if (name !== 'a mention' || chat === 'a person') return expected;
          const text = JSON.stringify(expected).replaceAll(`@${cyd}`, `@${lid.split('@')[0]}`);
          return JSON.parse(text) as T;
        };
        assert.partialDeepStrictEqual(await rig.shown(bob, id), {
          ...onWire(shown),
          chat: chat === 'a group' ? to : rig.jids.ada,
        });
        const seen = JSON.parse(JSON.stringify(await rig.content(id)));
        assert.partialDeepStrictEqual(
          seen,
          name === 'a mention' && chat === 'a group'
            ? { extendedTextMessage: { contextInfo: { mentionedJid: [lid] } } }
            : read,
        );
        assert.partialDeepStrictEqual(await rig.logged(id), { ...logged, chat: to, direction: 'out' });
        const { message, source } = await rig.told('message.sent', (data) => data.message.id === id);
        assert.partialDeepStrictEqual({ message, source }, { message: { ...logged, chat: to }, source: 'api' });
      });
    }
  }

  it("votes on its poll are told, since the poll's secret is with it", async () => {
    const id = await rig.send('poll', { toNumber: bob, question: 'Vote?', options: ['yes', 'no'] });
    await rig.shown(bob, id);
    await rig.installation.phones.request('POST', `/phones/${bob}/messages/${id}/vote`, { options: ['no'] });
    const { update } = await rig.told('message.updated', (data) => data.messageId === id && data.update.votes);
    assert.deepEqual(update.votes, [{ option: 'no' }]);
  });

  for (const chat of ['a person', 'a group'] as const) {
    it(`a quote of what was received and of what was sent, of every kind, to ${chat}`, async () => {
      const to = chat === 'a group' ? rig.group : rig.jids.bob;
      const theirs = await rig.fromBob(chat === 'a group' ? to : rig.jids.ada, { text: 'the question' });
      const ours = await rig.send('location', { to, latitude: 1, longitude: 2, name: 'Here' });
      await rig.shown(bob, ours);
      const quotes = [
        [theirs, rig.jids.bob, 'text', 'the question'],
        [ours, rig.jids.ada, 'location', null],
      ] as const;
      const answers: readonly (readonly [string, object])[] = [
        ['text', { message: 'the answer' }],
        ['media', { mediaBase64: png, mediaCaption: 'seen' }],
        ['location', { latitude: 3, longitude: 4 }],
        ['contact', { contacts: [{ name: 'Cyd', numbers: [cyd] }] }],
        ['poll', { question: 'Really?', options: ['yes', 'no'] }],
      ];
      for (const [quotedMessageId, from, type, text] of quotes) {
        for (const [path, body] of answers) {
          const id = await rig.send(path, { to, ...body, quotedMessageId });
          const { quoted } = (await rig.shown(bob, id)) as Shown & { quoted: object };
          assert.partialDeepStrictEqual(quoted, { id: quotedMessageId, from, type, ...(text && { text }) }, path);
          const logged = await rig.logged(id);
          assert.equal(logged.quotedMessageId, quotedMessageId);
          assert.partialDeepStrictEqual(logged.quoted, { id: quotedMessageId, from: { jid: from }, type });
          const [said] = Object.values(await rig.content(id)).filter(
            (each): each is { contextInfo: proto.IContextInfo } => Boolean(each?.contextInfo),
          );
          assert.equal(said?.contextInfo.stanzaId, quotedMessageId);
        }
      }
    });
  }

  it('a caption mentions', async () => {
    const id = await rig.send('media', {
      to: rig.group,
      mediaBase64: png,
      mediaCaption: `@${cyd} look`,
      mentions: [cyd],
    });
    assert.partialDeepStrictEqual(await rig.shown(bob, id), { mentions: [rig.jids.cyd] });
  });

  const elsewhere = 'quotedMessageId is not a message of this chat';
  const refusals: readonly (readonly [string, string, object, RegExp])[] = [
    ['latitude 91', 'location', { latitude: 91, longitude: 0 }, /^latitude must be a number from -90 to 90$/],
    ['no longitude', 'location', { latitude: 1 }, /^longitude is required$/],
    ['a latitude in words', 'location', { latitude: '1', longitude: 0 }, /^latitude must be a number/],
    ['a blank name', 'location', { latitude: 1, longitude: 1, name: '  ' }, /^name must be/],
    ['no contacts', 'contact', { contacts: [] }, /^contacts must be 1 to 20 contacts/],
    ['a contact without a number', 'contact', { contacts: [{ name: 'A', numbers: [] }] }, /^contacts must be/],
    ['a number that is none', 'contact', { contacts: [{ name: 'A', numbers: ['12;34567'] }] }, /^contacts must be/],
    [
      '21 contacts',
      'contact',
      { contacts: Array.from({ length: 21 }, () => ({ name: 'A', numbers: [bob] })) },
      /^contacts must be/,
    ],
    [
      'half a character',
      'contact',
      { contacts: [{ name: 'A\ud800', numbers: [bob] }] },
      /^contacts must be well-formed/,
    ],
    ['one option', 'poll', { question: 'q', options: ['a'] }, /^options must be 2 to 12 different strings/],
    ['equal options', 'poll', { question: 'q', options: ['a', 'b', 'a'] }, /^options must be 2 to 12 different/],
    [
      '13 options',
      'poll',
      { question: 'q', options: 'a b c d e f g h i j k l m'.split(' ') },
      /^options must be 2 to 12 different/,
    ],
    ['three of two', 'poll', { question: 'q', options: ['a', 'b'], maxAnswers: 3 }, /^maxAnswers must not be more/],
    ['no answers', 'poll', { question: 'q', options: ['a', 'b'], maxAnswers: 0 }, /^maxAnswers must be a whole number/],
    ['a hidden mention', 'text', { message: 'hello', mentions: [cyd] }, /@4915550003333 is not in the text; hidden/],
    ['a longer number', 'text', { message: `@${cyd}9`, mentions: [cyd] }, /hidden mentions are refused$/],
    ['a group', 'text', { message: '@120363025246125486', mentions: ['120363025246125486@g.us'] }, /^mentions must be/],
    ['51 mentions', 'text', { message: `@${cyd}`, mentions: Array(51).fill(cyd) }, /^mentions must be at most 50/],
    ['an unknown quote', 'text', { message: 'x', quotedMessageId: 'NONE' }, new RegExp(elsewhere)],
  ];
  it('refuses in words, and nothing leaves', async () => {
    const foreign = await rig.fromBob(rig.group, { text: 'in the group' });
    const held = await rig.count();
    for (const [name, path, body, words] of refusals) {
      const [status, message] = await rig.refusal('POST', `/${path}`, { toNumber: bob, ...body });
      assert.deepEqual([status, words.test(message)], [400, true], `${name}: ${message}`);
    }
    const other = { toNumber: bob, message: 'x', quotedMessageId: foreign };
    assert.deepEqual(await rig.refusal('POST', '/text', other), [400, elsewhere]);
    assert.deepEqual(await rig.count(), held);
  });

  it('one idempotency key makes one message, and another body under it is refused', async () => {
    const body = { toNumber: bob, question: 'Once?', options: ['a', 'b'] };
    const id = await rig.send('poll', body, 'poll-1');
    assert.equal(await rig.send('poll', body, 'poll-1'), id);
    const other = await rig.call('POST', '/poll', { ...body, options: ['a', 'c'] }, 'poll-1');
    assert.equal(other.status, 400);
  });
});
