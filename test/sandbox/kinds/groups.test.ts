/** Messages about messages in a group, where each names its author: revokes of administrators, votes, pins, quotes, and events that change. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { proto } from 'baileys';
import type { Phone } from '../../../sandbox/src/phones/phone.ts';
import { eventually } from '../../support/wait.ts';
import { type Kinds, numbers, startKinds } from './rig.ts';

let rig: Kinds;
let carol: Phone;
let group: string;
const third = '491510000003';

before(async () => {
  rig = await startKinds();
  carol = rig.sandbox.phones.create(third, 'Carol');
  group = await rig.bob.createGroup('Friends', [rig.alice.account, carol.account]);
});
after(() => rig[Symbol.asyncDispose]());

/** Writes to the group; waits until every phone and the companion have it. */
const write = async (number: string, body: Record<string, unknown>): Promise<string> => {
  const [id] = await rig.control.write(number, { to: group, ...body });
  await rig.companion.received(id!);
  for (const phone of [rig.alice, rig.bob, carol]) await eventually('the message', () => phone.view.find(id!));
  return id!;
};

const act = (number: string, id: string, what: string, body?: object): Promise<unknown> =>
  rig.control.request('POST', `/phones/${number}/messages/${id}/${what}`, body);

test('an administrator revokes what another member wrote, and nobody else can', async () => {
  const id = await write(third, { text: 'spam' });
  await assert.rejects(act(numbers.alice, id, 'revoke'), /409 .*an administrator of its group/);
  await act(numbers.bob, id, 'revoke');
  for (const phone of [rig.alice, rig.bob, carol]) {
    await eventually('the revoke', () => phone.view.find(id)?.revoked);
  }
  const revoke = await eventually('the revoke at the companion', () =>
    rig.companion.messages.find(({ message }) => message?.protocolMessage?.key?.id === id),
  );
  const { key, type } = revoke.message!.protocolMessage!;
  assert.equal(type, proto.Message.ProtocolMessage.Type.REVOKE);
  // The lenient network speaks of people by phone JID.
  assert.deepEqual([key?.fromMe, key?.participant], [false, carol.account.jid]);
});

test('a revoke of a member who is no administrator changes nothing', async () => {
  const id = await write(numbers.bob, { text: 'stays' });
  const key = { remoteJid: group, fromMe: false, id, participant: rig.bob.account.lid };
  await rig.control.write(third, { to: group, message: { protocolMessage: { key, type: 'REVOKE' } } });
  const next = await write(third, { text: 'next' });
  assert.ok(rig.bob.view.find(next));
  assert.equal(rig.bob.view.find(id)?.revoked, false);
});

test('votes, pins and quotes name the author', async () => {
  const id = await write(third, { poll: { question: 'Lunch?', options: ['yes', 'no'] } });
  await act(numbers.alice, id, 'vote', { options: ['no'] });
  await act(numbers.bob, id, 'vote', { options: ['no'] });
  const votes = await eventually('both votes', () => {
    const found = carol.view.find(id)?.poll?.votes;
    return found?.[1]?.from.length === 2 ? found : null;
  });
  assert.deepEqual(
    votes.map(({ option, from }) => [option, from.toSorted()]),
    [
      ['yes', []],
      ['no', [rig.alice.account.jid, rig.bob.account.jid].toSorted()],
    ],
  );
  await act(numbers.bob, id, 'pin', { pinned: true, seconds: 86_400 });
  const pinned = await eventually('the pin', () => carol.view.find(id)?.pinned);
  assert.deepEqual(pinned, { from: rig.bob.account.jid, seconds: 86_400 });
  const answer = await write(numbers.bob, { text: 'no', quotedMessageId: id });
  const { contextInfo } = (await rig.content(answer)).extendedTextMessage!;
  assert.equal(contextInfo?.participant, carol.account.jid);
  assert.equal(contextInfo?.quotedMessage?.pollCreationMessageV3?.name, 'Lunch?');
});

test('an event is changed and cancelled by its author, sealed', async () => {
  const event = { name: 'Party', startsAt: '2027-01-01T20:00:00.000Z' };
  const id = await write(third, { event });
  await act(third, id, 'edit', { event: { ...event, place: 'Garden', canceled: true } });
  const changed = await eventually('the change', () => {
    const found = rig.bob.view.find(id);
    return found?.edited ? found : null;
  });
  assert.partialDeepStrictEqual(changed.event, { name: 'Party', place: { name: 'Garden' }, canceled: true });
  await assert.rejects(act(numbers.bob, id, 'edit', { event }), /409/);
  await assert.rejects(act(third, id, 'edit', {}), /400 .*either text/);
});
