/** Messages that come again when neither their key nor the inbox has them any more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BinaryNode, proto } from 'baileys';
import { startIntakes } from './intake.ts';
import { ann, at } from '../driver.people.ts';
import { emptyMessage } from '../../../src/whatsapp/receive/message-reader.ts';
import { encrypt, establish, memoryStore, ourParty, stockParty } from '../signal/support.ts';

test('driver: a replay under an old counter is done, tells nothing, and is no failure', async () => {
  await using rig = await startIntakes();
  const { intake } = rig.connect();
  const store = memoryStore();
  const { onPlaintext, onUndecryptable } = intake;
  const [ours, stock] = [ourParty('9001@lid', { store, onPlaintext, onUndecryptable }), stockParty(ann.lid)];
  await establish(stock, ours);
  const plaintext = Buffer.concat([proto.Message.encode({ conversation: 'hello' }).finish(), emptyMessage]);
  const { type, ciphertext: sealed } = await encrypt(stock, ours, plaintext.toString('latin1'));
  const receive = async (): Promise<Uint8Array> => {
    const ciphertext = Buffer.from(sealed);
    const enc: BinaryNode = { tag: 'enc', attrs: { type }, content: ciphertext };
    const attrs = { id: 'M1', from: ann.lid, t: String(at / 1000) };
    await intake.begin({ tag: 'message', attrs, content: [enc] });
    return ours.repository.decryptMessage({ jid: ann.lid, type, ciphertext });
  };
  assert.deepEqual(Buffer.from(await receive()), plaintext);
  const told = () => store.commits.flatMap(({ events = [] }) => events.map(({ event }) => event.type));
  assert.deepEqual(told(), ['message.received']);
  store.inbox.clear();
  const commits = store.commits.length;
  assert.deepEqual(Buffer.from(await receive()), Buffer.from(emptyMessage));
  assert.equal(store.commits.length, commits);
  assert.deepEqual(told(), ['message.received']);
  assert.deepEqual(await rig.events(), [], 'nor is it told as undecryptable');
  assert.deepEqual(ours.failures, []);
});
