/** How phones name messages inside of what they encrypt: keys of edits, revokes, reactions, votes and answers, and quotes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalizeMessageContent, proto } from 'baileys';
import type { Phone } from '../../../sandbox/src/phones/phone.ts';
import { startPhones } from './phone-pair.ts';

const once = { quotedId: null, count: 1 };
const write = async (phone: Phone, to: string, text: string, quotedId: string | null = null): Promise<string> =>
  (await phone.writer.write(to, { kind: 'text', text }, { quotedId, count: 1 }))[0]!;

/** The messages that the phone has encrypted, in order. */
const contents = (phone: Phone) =>
  phone
    .snapshot()
    .sent.map(([, { bytes }]) => normalizeMessageContent(proto.Message.decode(Buffer.from(bytes, 'base64'))));

const keyIn = (content: proto.IMessage | undefined): proto.IMessageKey | null | undefined =>
  content?.protocolMessage?.key ??
  content?.reactionMessage?.key ??
  content?.secretEncryptedMessage?.targetMessageKey ??
  content?.encReactionMessage?.targetMessageKey ??
  content?.pollUpdateMessage?.pollCreationMessageKey ??
  content?.encEventResponseMessage?.eventCreationMessageKey;

/** The keys in messages about the one with this id. */
const keysAbout = (phone: Phone, id: string) =>
  contents(phone)
    .map(keyIn)
    .filter((key) => key?.id === id)
    .map((key) => [key?.remoteJid, key?.fromMe, key?.participant || null]);

const quotes = (phone: Phone) =>
  contents(phone).flatMap((content) => content?.extendedTextMessage?.contextInfo?.participant ?? []);

for (const migrated of [true, false]) {
  test(`a phone that is ${migrated ? '' : 'not '}migrated names people by ${migrated ? 'LID' : 'phone JID'}`, async () => {
    await using place = await startPhones('491510000001', '491510000002');
    const [alice, bob] = place.phones;
    bob.account.migrated = migrated;
    const addressOf = ({ account }: Phone) => (migrated ? account.lid : account.jid);
    const text = await write(bob, alice.account.jid, 'firts');
    const poll = { kind: 'poll', poll: { question: 'Lunch?', options: ['yes', 'no'], maxAnswers: 1 } } as const;
    const plan = { name: 'Party', description: null, startsAt: null, endsAt: null, place: null, canceled: false };
    const [question] = await bob.writer.write(alice.account.jid, poll, once);
    const [party] = await bob.writer.write(alice.account.jid, { kind: 'event', event: plan }, once);
    await bob.writer.edit(text, 'first');
    await bob.writer.edit(text, 'first, plain', true);
    await bob.writer.react(text, '👍');
    await bob.writer.react(text, '👍', true);
    await bob.writer.vote(question!, ['yes']);
    await bob.writer.respond(party!, 'going');
    await place.settled();
    assert.partialDeepStrictEqual(alice.view.find(text), {
      text: 'first, plain',
      reactions: [{ from: bob.account.jid, emoji: '👍' }],
    });
    await write(bob, alice.account.jid, 'see above', text);
    await bob.writer.revoke(text);
    const own = [addressOf(alice), true, null];
    assert.deepEqual(keysAbout(bob, text), [own, own, own, own, own]);
    assert.deepEqual([...keysAbout(bob, question!), ...keysAbout(bob, party!)], [own, own]);
    assert.deepEqual(quotes(bob), [addressOf(bob)]);
    await place.settled();
    assert.equal(alice.view.find(text)?.revoked, true);
  });
}

test('in a group the author of a message is named by LID, too', async () => {
  await using place = await startPhones('491510000001', '491510000002');
  const [alice, bob] = place.phones;
  const group = await alice.createGroup('Friends', [bob.account]);
  const text = await write(alice, group, 'hello');
  await place.settled();
  await bob.writer.react(text, '👍');
  await write(bob, group, 'hi', text);
  assert.deepEqual(keysAbout(bob, text), [[group, false, alice.account.lid]]);
  assert.deepEqual(quotes(bob), [alice.account.lid]);
});

test('the lenient network names people as before, by phone JID', async () => {
  await using place = await startPhones('491510000001', '491510000002');
  const [alice, bob] = place.phones;
  place.hub.setFaults({ addressing: 'lenient' });
  const text = await write(bob, alice.account.jid, 'hello');
  await bob.writer.react(text, '👍');
  assert.deepEqual(keysAbout(bob, text), [[alice.account.jid, true, null]]);
});
