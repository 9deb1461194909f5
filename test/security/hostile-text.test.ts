/** Texts that are cheap to write and dear to read, in each place of a message that is read: nobody waits for them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proto } from 'baileys';
import { readChunk } from '../../src/whatsapp/chats/history/chunk.ts';
import { watchTurns } from '../support/turns.ts';
import { eventsIn, fromAnn, group, Type } from '../whatsapp/driver.people.ts';
import { isSlower } from './hostile/cpu-time.ts';
import { harmless, hostiles, longest } from './hostile/strings.ts';
import { messageOf } from './hostile/message-fields.ts';
import { encoded, filledWith, kinds, readOf, type Shape, translated } from './hostile/message-kinds.ts';

const read = (bytes: Uint8Array): void => {
  const { messages = [], annotations, ...changes } = translated(proto.Message.decode(bytes), bytes);
  // As it is stored and told; the content is stored as bytes.
  JSON.stringify([messages.map((message) => ({ ...message, content: null })), eventsIn(changes), annotations]);
};

/** Kinds of which no text is read. */
const withoutTexts: readonly string[] = [
  'albumMessage',
  'declinePaymentRequestMessage',
  'cancelPaymentRequestMessage',
  'paymentInviteMessage',
  'callLogMesssage',
  'requestPhoneNumberMessage',
  'scheduledCallEditMessage',
  'statusMentionMessage',
  'groupStatusMentionMessage',
  'limitSharingMessage',
  'statusNotificationMessage',
  'statusAddYours',
  'statusStickerInteractionMessage',
  'secretEncryptedMessage',
];

test('hostile text: the places of each kind that are read are found', () => {
  const found = [...kinds].filter(([, shape]) => readOf(shape).length === 0).map(([field]) => field);
  assert.deepEqual(found, withoutTexts);
  assert.deepEqual(readOf(kinds.get('contactMessage')!), ['contactMessage.displayName', 'contactMessage.vcard']);
  assert.ok(readOf(kinds.get('extendedTextMessage')!).length > 12);
});

/** Length of texts that are many at once. */
const shorter = 16_384;

/** Runs with which the message takes longer than with a harmless text. */
const slowOf = (name: string, bytesWith: (text: string) => Uint8Array, length = longest, head?: string): string[] => {
  const like = bytesWith(harmless.text(length, head));
  const slow = hostiles.filter(({ text }) => {
    const bytes = bytesWith(text(length, head));
    return isSlower(
      () => read(bytes),
      () => read(like),
    );
  });
  return slow.map((run) => `${name} of ${run.name}`);
};

/** Heads of a run where they mean something: names of lines in cards, pairs of JSON; else links. */
const headsOf = (place: string): readonly (string | undefined)[] => {
  if (place.endsWith('.vcard')) return ['ORG:', 'FN:', 'item1.TEL;'];
  return place.endsWith('Json') ? ['{"id":"'] : [undefined];
};

const slowPlacesOf = (shape: Shape, places: readonly string[]): readonly string[] =>
  places.flatMap((place) =>
    headsOf(place).flatMap((head) => slowOf(place, (text) => filledWith(shape, places, [place], text), longest, head)),
  );

test('hostile text: each kind of message, each of its texts and all of them, quoted, and as an edit', () => {
  const slow: string[] = [];
  for (const [field, shape] of kinds) {
    const places = readOf(shape);
    if (places.length === 0) continue;
    slow.push(...slowPlacesOf(shape, places));
    const withAll = (text: string): Uint8Array => filledWith(shape, places, places, text);
    const message = (text: string): proto.IMessage => proto.Message.decode(withAll(text));
    const quoted = (text: string): proto.IMessage => ({
      extendedTextMessage: { text: 'x', contextInfo: { stanzaId: 'Q', quotedMessage: message(text) } },
    });
    const edit = (text: string): proto.IMessage => ({
      protocolMessage: { type: Type.MESSAGE_EDIT, key: { id: 'M0' }, editedMessage: message(text) },
    });
    if (places.length > 1) slow.push(...slowOf(`all texts of ${field}`, withAll, shorter));
    slow.push(...slowOf(`a quote of ${field}`, (text) => encoded(quoted(text)), shorter));
    slow.push(...slowOf(`an edit to ${field}`, (text) => encoded(edit(text)), shorter));
  }
  assert.deepEqual(slow, []);
});

test('hostile text: protocol messages of each type', () => {
  const types = Object.values(Type).filter((type) => typeof type === 'number');
  const shapes = types.map((type): Shape => (fill) => ({
    protocolMessage: { ...messageOf('protocolMessage', fill).protocolMessage, type },
  }));
  assert.deepEqual(
    shapes.flatMap((shape) => slowPlacesOf(shape, readOf(shape))),
    [],
  );
});

test('hostile text: what stands outside of the ciphertext', () => {
  const names = ['id', 'from', 'participant', 'recipient', 'sender_pn', 'sender_lid', 'participant_pn', 'notify', 't'];
  const message = proto.Message.fromObject({ conversation: 'x' });
  const bytes = encoded(message);
  const readWith = (attrs: object) => (): void => void translated(message, bytes, attrs);
  const slow = [fromAnn.from, group].flatMap((from) =>
    names.flatMap((name) => {
      const attrs = { from, participant: fromAnn.from };
      const like = readWith({ ...attrs, [name]: harmless.text(longest) });
      return hostiles
        .filter(({ text }) => isSlower(readWith({ ...attrs, [name]: text(longest) }), like))
        .map((run) => `${name} of ${run.name}`);
    }),
  );
  assert.deepEqual(slow, []);
});

test('hostile text: names and addresses in a chunk of history', async () => {
  using turns = watchTurns();
  const chunkWith = (text: string): Uint8Array =>
    proto.HistorySync.encode({
      syncType: proto.HistorySync.HistorySyncType.RECENT,
      conversations: ['id', 'name', 'displayName', 'pnJid', 'lidJid', 'accountLid'].map((place) => ({
        id: '4915112345678@s.whatsapp.net',
        [place]: text,
      })),
      pushnames: [{ id: text, pushname: text }],
      phoneNumberToLidMappings: [{ pnJid: text, lidJid: text }],
    }).finish();
  const longestTurn = async (bytes: Uint8Array): Promise<number> => {
    turns.longestMs();
    await readChunk(bytes);
    return turns.longestMs();
  };
  const like = await longestTurn(chunkWith(harmless.text(longest)));
  const slow: string[] = [];
  for (const { name, text } of hostiles) {
    const bytes = chunkWith(text(longest));
    const first = await longestTurn(bytes);
    if (first > like + 50 && (await longestTurn(bytes)) > like + 50) slow.push(name);
  }
  assert.deepEqual(slow, []);
});
