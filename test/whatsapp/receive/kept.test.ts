/** The inbox keeps the sender's key of a message, and nothing else of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proto, unpadRandomMax16 } from 'baileys';
import { startIntakes } from './intake.ts';
import { keptOf } from '../../../src/whatsapp/receive/message-reader.ts';
import { ann, group } from '../driver.people.ts';

const key = { groupId: group, axolotlSenderKeyDistributionMessage: Buffer.from('key') };
const plaintextOf = (message: proto.IMessage): Uint8Array =>
  Buffer.concat([proto.Message.encode(message).finish(), Buffer.from([1])]);
const read = (plaintext: Uint8Array): object => proto.Message.decode(unpadRandomMax16(plaintext)).toJSON();

const keyAlone = { senderKeyDistributionMessage: proto.Message.SenderKeyDistributionMessage.fromObject(key).toJSON() };

test('kept: a key is found among other fields and in a copy of the own phone, and none where there is none', () => {
  const message = { conversation: 'x', senderKeyDistributionMessage: key };
  for (const each of [message, { deviceSentMessage: { destinationJid: group, message } }])
    assert.deepEqual(read(keptOf(proto.Message.encode(each).finish())), keyAlone);
  for (const bytes of [
    proto.Message.encode({ conversation: 'x' }).finish(),
    Buffer.from('0aff', 'hex'),
    Buffer.of(9, 9),
  ])
    assert.deepEqual(read(keptOf(bytes)), {});
});

test('kept: of a message its key, however large it is; one of the phone whole', async () => {
  await using rig = await startIntakes();
  const { intake, store } = rig.connect();
  const hand = async (id: string, message: proto.IMessage, attrs = {}) => {
    const ciphertext = Buffer.from(id);
    const content = [{ tag: 'enc', attrs: {}, content: ciphertext }];
    const stanza = { tag: 'message', attrs: { id, from: ann.lid, t: '1700000000', ...attrs }, content };
    await intake.begin(stanza);
    const decrypted = { ciphertext, plaintext: plaintextOf(message), jid: ann.lid, group: null };
    const { instead, ...changes } = await intake.readerOf(stanza)(decrypted);
    await store.commit(rig.deviceId, changes);
    return read(instead!);
  };
  const poll = { pollCreationMessage: { name: 'x'.repeat(40_000) } };
  assert.deepEqual(await hand('LARGE', { ...poll, senderKeyDistributionMessage: key }), keyAlone);
  assert.equal((await rig.stores.messages.find(rig.deviceId, 'LARGE'))?.parts?.poll?.question.length, 1_024);
  assert.deepEqual(await hand('SMALL', { conversation: 'x' }), {});
  assert.deepEqual(await hand('PEER', { conversation: 'x' }, { category: 'peer' }), { conversation: 'x' });
});
