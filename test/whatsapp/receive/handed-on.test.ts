/** Baileys is handed the sender's key of a large message, and nothing else of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proto, unpadRandomMax16 } from 'baileys';
import { startIntakes } from './intake.ts';
import { handedOn, senderKeyIn } from '../../../src/whatsapp/receive/message-reader.ts';
import { ann, group } from '../driver.people.ts';

const key = { groupId: group, axolotlSenderKeyDistributionMessage: Buffer.from('key') };
const plaintextOf = (message: proto.IMessage): Uint8Array =>
  Buffer.concat([proto.Message.encode(message).finish(), Buffer.from([1])]);
const read = (plaintext: Uint8Array): object => proto.Message.decode(unpadRandomMax16(plaintext)).toJSON();

test('handed on: a key is found among other fields, and none where there is none', () => {
  const found = senderKeyIn(proto.Message.encode({ conversation: 'x', senderKeyDistributionMessage: key }).finish());
  assert.deepEqual(read(handedOn(found)), {
    senderKeyDistributionMessage: proto.Message.SenderKeyDistributionMessage.fromObject(key).toJSON(),
  });
  for (const bytes of [
    proto.Message.encode({ conversation: 'x' }).finish(),
    Buffer.from('0aff', 'hex'),
    Buffer.of(9, 9),
  ])
    assert.equal(senderKeyIn(bytes), null);
});

test('handed on: a large message is told whole, and a small one or one of the phone is handed on as it is', async () => {
  await using rig = await startIntakes();
  const { intake, store } = rig.connect();
  const hand = async (id: string, message: proto.IMessage, attrs = {}) => {
    const ciphertext = Buffer.from(id);
    const stanza = { id, from: ann.lid, t: '1700000000', ...attrs };
    await intake.begin({ tag: 'message', attrs: stanza, content: [{ tag: 'enc', attrs: {}, content: ciphertext }] });
    const { instead, ...changes } = await intake.onPlaintext({
      ciphertext,
      plaintext: plaintextOf(message),
      jid: ann.lid,
      group: null,
    });
    await store.commit(rig.deviceId, changes);
    return instead === undefined ? null : read(instead);
  };
  const poll = { pollCreationMessage: { name: 'x'.repeat(40_000) } };
  const given = await hand('LARGE', { ...poll, senderKeyDistributionMessage: key });
  assert.deepEqual(Object.keys(given!), ['senderKeyDistributionMessage']);
  assert.equal((await rig.stores.messages.find(rig.deviceId, 'LARGE'))?.parts?.poll?.question.length, 1_024);
  assert.equal(await hand('SMALL', { conversation: 'x' }), null);
  assert.equal(await hand('PEER', poll, { category: 'peer' }), null);
});
