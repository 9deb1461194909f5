/** Messages of every kind as an attacker would write them: bounded, told, never an exception and never lost. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { proto } from 'baileys';
import { startIntakes } from './intake.ts';
import { ann, at, fromAnn as annsStanza, me, translate, eventsIn } from '../driver.people.ts';
import { cpuMsOf } from '../../support/cpu.ts';

const fromAnn = { from: ann.lid, sender_pn: ann.phone, t: String(at / 1000) };
const recordOf = (message: proto.IMessage) => {
  const changes = translate(annsStanza, message);
  const [{ messages }, events] = [changes, eventsIn(changes)];
  assert.deepEqual([messages?.length, events.length], [1, 1]);
  // Both are written as JSON, which has no NaN and no Infinity.
  const { event } = events[0]!;
  assert.deepEqual(JSON.parse(JSON.stringify(event)), event);
  return messages![0]!;
};

for (const [degrees, expected] of [
  [Number.NaN, null],
  [Infinity, null],
  [1e308, null],
  [-90.001, null],
  [90, 90],
  [-0.5, -0.5],
] as const) {
  test(`hostile: a latitude of ${degrees}`, () => {
    const place = { degreesLatitude: degrees, degreesLongitude: -181, accuracyInMeters: 4_294_967_295 };
    const { parts, type } = recordOf({ locationMessage: place });
    const { latitude, longitude, accuracyMeters } = parts!.location!;
    assert.deepEqual([type, latitude, longitude, accuracyMeters], ['location', expected, null, null]);
  });
}

test('hostile: vCards of a megabyte, thousands of contacts and numbers', () => {
  const vcard = `BEGIN:VCARD\r\nFN:${'x'.repeat(2_000)}\r\n${'TEL:1234567\r\n'.repeat(100_000)}END:VCARD`;
  const one = recordOf({ contactMessage: { vcard } }).parts!.contacts!;
  assert.equal(one.length, 1);
  assert.equal(one[0]!.vcard.length, 65_536);
  assert.equal(one[0]!.name?.length, 1_024);
  assert.deepEqual(one[0]!.numbers, ['1234567']);
  const numbers = Array.from({ length: 1_000 }, (_, n) => `TEL:${10_000_000 + n}`).join('\n');
  const contacts = Array.from({ length: 5_000 }, () => ({ displayName: 'x', vcard: numbers }));
  const many = recordOf({ contactsArrayMessage: { contacts } }).parts!.contacts!;
  assert.equal(many.length, 257);
  assert.equal(many[0]!.numbers.length, 32);
  assert.ok(many.reduce((sum, { vcard: kept }) => sum + kept.length, 0) <= 131_072);
  assert.equal(many[256]!.vcard, '');
  assert.equal(many[256]!.numbers.length, 32, 'what is not repeated is read all the same');
  for (const odd of ['TEL:', `TEL;${'a;'.repeat(30_000)}:1`, '\\'.repeat(60_000), 'FN:\u0000', 'ORG:;;;;'])
    assert.equal(recordOf({ contactMessage: { vcard: odd } }).type, 'contact');
});

/** As it comes from the wire, in ms. */
const msToRead = (message: proto.IMessage): number => cpuMsOf(() => void recordOf(message));

test('hostile: cards that only end in marks, and lines that never end', () => {
  // Each took 8 to 21 s.
  const cards = [
    `ORG:${';'.repeat(65_000)}x`,
    `ORG;${';'.repeat(65_000)}`,
    'TEL;\u2028'.repeat(13_000),
    'TEL;\u2029'.repeat(13_000),
    `FN:${'\\'.repeat(65_000)}`,
    `${'a'.repeat(65_000)}.TEL:1`,
    `TEL:${'+ '.repeat(32_000)}`,
    '\r\n '.repeat(20_000),
  ];
  for (const vcard of cards) {
    const contacts = Array.from({ length: 257 }, () => ({ vcard }));
    const ms = msToRead({ contactsArrayMessage: { contacts } });
    assert.ok(ms < 1_000, `257 cards of ${vcard.slice(0, 8)}… took ${ms} ms`);
    const contextInfo = { stanzaId: 'Q', quotedMessage: { contactsArrayMessage: { contacts } } };
    assert.ok(msToRead({ extendedTextMessage: { text: 'x', contextInfo } }) < 1_000);
  }
  const named = recordOf({ contactMessage: { vcard: `FN:Ann\nORG:Sales;;${';'.repeat(2_000)}\nTEL:123456` } });
  assert.partialDeepStrictEqual(named.parts!.contacts![0], { name: 'Ann', organization: 'Sales', numbers: ['123456'] });
});

test('hostile: such cards in edits, comments, wrappers, and in what the phone hands over', () => {
  const card = { contactMessage: { vcard: `ORG:${';'.repeat(65_000)}x` } };
  const key = { id: 'M0', remoteJid: ann.phone };
  const resent = { webMessageInfoBytes: proto.WebMessageInfo.encode({ key, message: card }).finish() };
  const peerDataOperationResult = [{ placeholderMessageResendResponse: resent }];
  const { MESSAGE_EDIT, PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE: handedOver } = proto.Message.ProtocolMessage.Type;
  const routes: readonly (readonly [object, proto.IMessage])[] = [
    [annsStanza, { protocolMessage: { type: MESSAGE_EDIT, key, editedMessage: card } }],
    [annsStanza, { commentMessage: { message: card, targetMessageKey: key } }],
    [annsStanza, { ephemeralMessage: { message: { viewOnceMessage: { message: card } } } }],
    [
      { from: me.phone },
      {
        protocolMessage: { type: handedOver, peerDataOperationRequestResponseMessage: { peerDataOperationResult } },
      },
    ],
  ];
  for (const [attrs, message] of routes) {
    const ms = cpuMsOf(() => assert.equal(eventsIn(translate({ ...attrs }, message)).length, 1));
    assert.ok(ms < 1_000, `${Object.keys(message).join()} took ${ms} ms`);
  }
});

test('hostile: lists and quotes share one room', () => {
  const options = Array.from({ length: 100 }, () => ({ optionName: 'x'.repeat(1_024) }));
  const vcard = `FN:Ann\n${'y'.repeat(65_000)}`;
  const contextInfo = { stanzaId: 'Q', quotedMessage: { conversation: 'z'.repeat(9_999) } };
  const quoted = (message: proto.IMessage) => recordOf(message).parts!.quoted!.text;
  assert.equal(quoted({ pollCreationMessage: { name: 'x', options, contextInfo } })!.length, 4_096);
  const contacts = Array.from({ length: 5 }, () => ({ vcard }));
  const { parts } = recordOf({ contactsArrayMessage: { contacts, contextInfo } });
  assert.deepEqual([parts!.quoted!.text, parts!.contacts![4]!.name], ['', 'Ann']);
});

test('hostile: times that no store and no calendar has', () => {
  for (const t of ['1e300', '9007199254740991', '-5', 'NaN', '1700000000.0001', '0x7fffffffffffffff']) {
    const { messages } = translate({ ...annsStanza, t }, { conversation: 'x' });
    const { timestamp } = messages![0]!;
    assert.ok(Number.isSafeInteger(timestamp), t);
    assert.equal(new Date(timestamp).toISOString().length, 24, t);
  }
});

test('hostile: ids and names of writers beyond all reason', () => {
  const id = 'x'.repeat(99_999);
  const { messages } = translate({ ...annsStanza, id, notify: id }, { conversation: 'x' });
  assert.deepEqual([messages![0]!.id.length, messages![0]!.pushName!.length], [256, 1_024]);
  const contextInfo = { stanzaId: id, quotedMessage: { conversation: 'x' } };
  assert.equal(recordOf({ extendedTextMessage: { text: 'x', contextInfo } }).quotedMessageId!.length, 256);
});

test('hostile: polls with ten thousand options, and votes for all of them', async () => {
  const options = Array.from({ length: 10_000 }, (_, n) => ({ optionName: `${n} ${'x'.repeat(2_000)}` }));
  const { poll } = recordOf({ pollCreationMessage: { name: 'x'.repeat(9_999), options } }).parts!;
  assert.deepEqual([poll!.options.length, poll!.options[0]!.length, poll!.question.length], [100, 1_024, 1_024]);
  assert.equal(poll!.maxAnswers, 100);
  const most = { pollCreationMessage: { options: [{ optionName: '' }], selectableOptionsCount: 4_294_967_295 } };
  assert.deepEqual(recordOf(most).parts!.poll, { question: '', options: [''], maxAnswers: 1 });
});

test('hostile: thousands of mentions, of anybody and of nobody', () => {
  const mentionedJid = Array.from({ length: 5_000 }, (_, n) => `${1_000 + n}@lid`);
  const odd = ['', '@', 'x'.repeat(9_999), '1@g.us', 'status@broadcast', '\u0000@lid', `${'9'.repeat(999)}@lid`];
  const text = (jids: string[]) => ({ extendedTextMessage: { text: 'x', contextInfo: { mentionedJid: jids } } });
  assert.equal(recordOf(text(mentionedJid)).parts!.mentions!.length, 1_024);
  assert.ok((recordOf(text(odd)).parts?.mentions ?? []).length <= 1);
});

test('hostile: quotes in quotes, wrappers in wrappers, comments on comments', () => {
  let quote: proto.IMessage = { conversation: 'innermost' };
  for (let depth = 0; depth < 200; depth += 1)
    quote = { extendedTextMessage: { text: `${depth}`, contextInfo: { stanzaId: `Q${depth}`, quotedMessage: quote } } };
  const { parts } = recordOf(quote);
  assert.deepEqual(parts!.quoted, { id: 'Q199', from: null, type: 'text', text: '198' });
  let wrapped: proto.IMessage = { conversation: 'x' };
  for (let depth = 0; depth < 50; depth += 1) wrapped = { ephemeralMessage: { message: wrapped } };
  assert.equal(recordOf(wrapped).type, 'unknown');
  let comment: proto.IMessage = { conversation: 'x' };
  for (let depth = 0; depth < 50; depth += 1)
    comment = { commentMessage: { message: comment, targetMessageKey: { id: `C${depth}` } } };
  assert.equal(recordOf(comment).text, 'x');
});

test('hostile: bytes that nest deeper than they can be read are an unknown message with its bytes', async () => {
  await using rig = await startIntakes();
  const { decryptedBytes } = rig.connect();
  const nested = (field: number, depth: number): Buffer => {
    let bytes: Buffer = Buffer.alloc(0);
    const varint = (value: number): number[] => {
      const all: number[] = [];
      for (let left = value; ; left = Math.floor(left / 128)) {
        if (left < 128) return [...all, left];
        all.push((left % 128) + 128);
      }
    };
    for (let level = 0; level < depth; level += 1) {
      const inner = Buffer.concat([Buffer.from([10, ...varint(bytes.length)]), bytes]);
      bytes = Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(inner.length)]), inner]);
    }
    return bytes;
  };
  const bytes = nested(40, 3_000);
  await decryptedBytes({ id: 'DEEP', ...fromAnn }, bytes);
  await decryptedBytes({ id: 'CUT', ...fromAnn }, Buffer.from('0aff', 'hex'));
  const deep = await rig.stores.messages.find(rig.deviceId, 'DEEP');
  assert.equal(deep?.type, 'unknown');
  assert.ok(Buffer.from(deep.content!).equals(bytes));
  assert.equal((await rig.stores.messages.find(rig.deviceId, 'CUT'))?.type, 'unknown');
});

test('hostile: lengths, times and names beyond all reason', () => {
  const media = {
    mediaKey: Buffer.alloc(32),
    directPath: '/p',
    fileName: 'x'.repeat(99_999),
    mimetype: 'y'.repeat(9_999),
  };
  const { media: file } = recordOf({ documentMessage: media });
  assert.deepEqual([file!.fileName!.length, file!.mimetype.length], [255, 1_024]);
  const seconds = 4_294_967_295;
  const waveform = Buffer.alloc(100_000, 255);
  assert.deepEqual(recordOf({ audioMessage: { ...media, seconds, waveform } }).media!.waveform, Array(256).fill(100));
  for (const startTime of [-1, 9_007_199_254_740_991, 0]) {
    const { event } = recordOf({ eventMessage: { name: 'x'.repeat(9_999), startTime } }).parts!;
    assert.deepEqual([event!.startsAt, event!.name!.length], [null, 1_024]);
  }
  const invite = { groupJid: 'x'.repeat(9_999), inviteExpiration: -5 };
  assert.equal(recordOf({ groupInviteMessage: invite }).parts!.groupInvite!.group.length, 1_024);
  const url = `https://x/${'y'.repeat(99_999)}`;
  assert.equal(recordOf({ extendedTextMessage: { matchedText: url } }).parts!.link!.url.length, 4_096);
  const paramsJson = '['.repeat(100_000);
  assert.equal(recordOf({ interactiveResponseMessage: { nativeFlowResponseMessage: { paramsJson } } }).type, 'text');
});

test('hostile: emoji of ten kilobytes, pins and timers of nothing', () => {
  const reaction = translate(annsStanza, { reactionMessage: { key: { id: 'M0' }, text: '🎉'.repeat(2_560) } });
  const { event } = eventsIn(reaction)[0]!;
  assert.ok(event.type === 'message.updated' && 'reaction' in event.data.update);
  assert.equal(event.data.update.reaction, '🎉'.repeat(32));
  for (const nothing of [
    { pinInChatMessage: {} },
    { pinInChatMessage: { key: { id: 'M0' } } },
    { reactionMessage: {} },
  ])
    assert.deepEqual(translate(annsStanza, nothing), {});
  const timer = {
    protocolMessage: { type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING, ephemeralExpiration: 4_294_967_295 },
  };
  assert.equal(eventsIn(translate(annsStanza, timer)).length, 1);
});

test('hostile: votes for what does not exist, and secrets of the wrong length, are no votes and no failure', async () => {
  await using rig = await startIntakes();
  const { decrypted } = rig.connect();
  const vote = { encIv: randomBytes(12), encPayload: randomBytes(64) };
  for (const messageSecret of [Buffer.alloc(0), randomBytes(31), randomBytes(1_000)]) {
    const id = `P${messageSecret.length}`;
    const poll = { name: 'x', options: [{ optionName: 'y' }] };
    await decrypted({ id, ...fromAnn }, { pollCreationMessage: poll, messageContextInfo: { messageSecret } });
    await decrypted({ id: `V${id}`, ...fromAnn }, { pollUpdateMessage: { pollCreationMessageKey: { id }, vote } });
  }
  await decrypted({ id: 'V', ...fromAnn }, { pollUpdateMessage: { pollCreationMessageKey: { id: 'NONE' }, vote } });
  for (const id of ['', '\u0000', 'x'.repeat(10_000)])
    await decrypted({ id: `V${id.length}`, ...fromAnn }, { encReactionMessage: { targetMessageKey: { id }, ...vote } });
  const types = (await rig.events()).map(({ type }) => type);
  assert.deepEqual(types, ['message.received', 'message.received', 'message.received']);
  assert.deepEqual(new Set(rig.said()), new Set(['cannot decrypt an update of a message without a secret']));
});

test('hostile: messages of random bytes are told, each once', async () => {
  await using rig = await startIntakes();
  const { decryptedBytes } = rig.connect();
  // Seeded, so that a failure comes again.
  let state = createHash('sha256').update('kinds').digest();
  for (let n = 0; n < 200; n += 1) {
    state = createHash('sha256').update(state).digest();
    const [field, length] = [state[0]! % 120, state[1]! % 30];
    const head = Buffer.from([((field * 8) % 128) + 2, length]);
    await decryptedBytes({ id: `R${n}`, ...fromAnn }, Buffer.concat([head, state.subarray(2, 2 + length)]));
  }
  const { items } = await rig.stores.messages.list(rig.deviceId, { limit: 1_000, cursor: null });
  const told = (await rig.events()).filter(({ type }) => type === 'message.received');
  assert.equal(told.length, items.length);
  assert.ok(items.length > 100, `${items.length} of 200 are messages`);
});
