/** Phones on the network of today, and a stock Baileys client among them: it speaks LID only where it is told to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type BinaryNode, proto } from 'baileys';
import { phonesOf } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { Companion } from '../companion.ts';

const once = { quotedId: null, count: 1 };

const start = async () => {
  const sandbox = await startSandbox({ addressing: 'strict' });
  const companion = new Companion(sandbox);
  const [alice, bob] = [sandbox.phones.create('491510000001', 'Alice'), sandbox.phones.create('491510000002', 'Bob')];
  return {
    sandbox,
    companion,
    alice,
    bob,
    control: phonesOf(sandbox.controlUrl),
    async [Symbol.asyncDispose]() {
      await companion[Symbol.asyncDispose]();
      await sandbox.close();
    },
  };
};

type Place = Awaited<ReturnType<typeof start>>;

/** The stanza of this tag and id, as the companion gets it. */
const stanzas = ({ companion }: Place, tag: string): BinaryNode[] => {
  const seen: BinaryNode[] = [];
  companion.socket.ws.on(`CB:${tag}`, (node: BinaryNode) => seen.push(node));
  return seen;
};

const write = async ({ bob, alice }: Place, text: string): Promise<string> =>
  (await bob.writer.write(alice.account.jid, { kind: 'text', text }, once))[0]!;

test('a message of a migrated account comes by LID with the phone JID beside it, receipts too; otherwise by phone JID', async () => {
  await using place = await start();
  const { companion, alice, bob, control } = place;
  await companion.link((qr) => alice.scan(qr));
  const messages = stanzas(place, 'message');
  const receipts = stanzas(place, 'receipt');

  const id = await write(place, 'by LID');
  const { attrs } = await eventually('the stanza', () => messages.find((node) => node.attrs.id === id));
  assert.deepEqual([attrs.from, attrs.sender_pn, attrs.addressing_mode], [bob.account.lid, bob.account.jid, 'lid']);
  await companion.received(id);
  const sent = await companion.socket.sendMessage(bob.account.lid, { text: 'an answer' });
  const receipt = await eventually('the receipt', () =>
    receipts.find(({ attrs: said }) => said.id === sent!.key.id && said.type === undefined),
  );
  assert.equal(receipt.attrs.from, bob.account.lid);

  const [own] = await alice.writer.write(bob.account.jid, { kind: 'text', text: 'from the phone' }, once);
  const copy = await eventually('the copy', () => messages.find((node) => node.attrs.id === own));
  assert.deepEqual(
    [copy.attrs.from, copy.attrs.recipient, copy.attrs.peer_recipient_pn],
    [alice.account.lid, bob.account.lid, bob.account.jid],
  );

  await control.behave(bob.account.number, { migrated: false });
  const next = await write(place, 'by phone JID');
  const plain = await eventually('the stanza', () => messages.find((node) => node.attrs.id === next));
  assert.deepEqual([plain.attrs.from, plain.attrs.sender_lid], [bob.account.jid, bob.account.lid]);
  assert.deepEqual(
    bob.view.after(0).map(({ chat, text }) => [chat, text]),
    [
      [alice.account.jid, 'by LID'],
      [alice.account.jid, 'an answer'],
      [alice.account.jid, 'from the phone'],
      [alice.account.jid, 'by phone JID'],
    ],
  );
});

test('a stock client fails to write to a phone JID, and is heard where it writes to a LID', async () => {
  await using place = await start();
  const { companion, alice, bob, control } = place;
  await companion.link((qr) => alice.scan(qr));
  const acks = stanzas(place, 'ack');
  const refused = await companion.socket.sendMessage(bob.account.jid, { text: 'to the phone JID' });
  const ack = await eventually('the ack', () => acks.find((node) => node.attrs.id === refused!.key.id));
  assert.equal(ack.attrs.error, '463');
  assert.equal(bob.view.find(refused!.key.id!), null);
  const heard = await companion.socket.sendMessage(bob.account.lid, { text: 'to the LID' });
  assert.equal((await eventually('it at Bob', () => bob.view.find(heard!.key.id!))).text, 'to the LID');
  assert.equal((await eventually('it at Alice', () => alice.view.find(heard!.key.id!))).chat, bob.account.jid);
  const stats = await control.stats();
  assert.deepEqual([stats['wronglyAddressed'], stats['destinationMismatches'], stats['decryptFailures']], [1, 0, 0]);
});

test('a copy that names its chat in the other namespace is counted by the phone', async () => {
  await using place = await start();
  const { companion, alice, bob, control } = place;
  await companion.link((qr) => alice.scan(qr));
  await companion.socket.assertSessions([alice.account.lid, bob.account.lid], true);
  const text = { conversation: 'misnamed' };
  const [own, other] = await Promise.all([
    companion.socket.createParticipantNodes([alice.account.lid], {
      deviceSentMessage: { destinationJid: bob.account.jid, message: text },
    }),
    companion.socket.createParticipantNodes([bob.account.lid], text),
  ]);
  await companion.socket.sendNode({
    tag: 'message',
    attrs: { id: 'MISNAMED', to: bob.account.lid, type: 'text' },
    content: [{ tag: 'participants', attrs: {}, content: [...own.nodes, ...other.nodes] }],
  });
  await eventually('it at Alice', () => alice.view.find('MISNAMED'));
  assert.equal((await control.stats())['destinationMismatches'], 1);
});

test('migration is shown and set by the control interface', async () => {
  await using place = await start();
  const { control } = place;
  assert.equal(
    (await control.request<{ phone: { migrated: boolean } }>('GET', '/phones/491510000001')).phone.migrated,
    true,
  );
  const body = { migrated: false, business: true };
  const { phone } = await control.request<{ phone: typeof body }>('PATCH', '/phones/491510000001', body);
  assert.deepEqual([phone.migrated, phone.business], [false, true]);
});

/** The mapping that a phone has sent to its companion, once it has. */
const mappingOf = async ({ companion }: Place) => {
  const payload = await eventually('the mapping', () =>
    companion.messages
      .map(({ message }) => message?.protocolMessage?.lidMigrationMappingSyncMessage?.encodedMappingPayload)
      .find((bytes) => bytes),
  );
  const { pnToLidMappings, chatDbMigrationTimestamp } = proto.LIDMigrationMappingSyncPayload.decode(
    gunzipSync(payload),
  );
  return {
    pairs: pnToLidMappings.map(({ pn, latestLid }) => [Number(pn), Number(latestLid)]),
    at: chatDbMigrationTimestamp,
  };
};

test('a phone that migrates later tells its companions who is who', async () => {
  await using place = await start();
  const { companion, alice, bob, control } = place;
  await control.behave(alice.account.number, { migrated: false });
  await companion.link((qr) => alice.scan(qr));
  await companion.received(await write(place, 'before'));
  await control.behave(alice.account.number, { migrated: true });
  const { pairs, at } = await mappingOf(place);
  assert.deepEqual(pairs, [
    [Number(alice.account.number), Number.parseInt(alice.account.lid, 10)],
    [Number(bob.account.number), Number.parseInt(bob.account.lid, 10)],
  ]);
  assert.ok(Number(at) > 1_700_000_000);
});

test('what tells of a migration can be left out', async () => {
  await using place = await start();
  const { companion, alice, control } = place;
  await control.behave(alice.account.number, { migrated: false, migrationTold: ['property'] });
  await companion.link((qr) => alice.scan(qr));
  await control.behave(alice.account.number, { migrated: true });
  await companion.received(await write(place, 'after it'));
  const kinds = companion.messages.map(({ message }) => message?.protocolMessage?.lidMigrationMappingSyncMessage);
  assert.deepEqual(kinds.filter(Boolean), []);
});

test('a number that is registered anew has another LID, by which it writes', async () => {
  await using place = await start();
  const { companion, alice, bob, control } = place;
  await companion.link((qr) => alice.scan(qr));
  await assert.rejects(control.request('POST', `/phones/${alice.account.number}/new-lid`), /409.*unlink/);
  const former = bob.account.lid;
  await companion.received(await write(place, 'before'));
  const { phone } = await control.request<{ phone: { lid: string } }>('POST', `/phones/${bob.account.number}/new-lid`);
  assert.deepEqual([phone.lid, phone.lid === former], [bob.account.lid, false]);
  const late = await companion.socket.sendMessage(former, { text: 'to the former LID' });
  assert.equal((await eventually('it', () => bob.view.find(late!.key.id!))).text, 'to the former LID');
  const { key } = await companion.received(await write(place, 'by the new LID'));
  assert.deepEqual([key.remoteJid, key.remoteJidAlt], [bob.account.lid, bob.account.jid]);
  const sent = await companion.socket.sendMessage(bob.account.lid, { text: 'to the new LID' });
  assert.equal((await eventually('it', () => bob.view.find(sent!.key.id!))).text, 'to the new LID');
});

test('a group of the old kind speaks of people by phone JID, until it is changed', async () => {
  await using place = await start();
  const { companion, alice, bob, control } = place;
  await companion.link((qr) => alice.scan(qr));
  const messages = stanzas(place, 'message');
  const body = {
    subject: 'Old',
    owner: bob.account.number,
    participants: [alice.account.number],
    addressingMode: 'pn',
  };
  const { jid } = await control.request<{ jid: string }>('POST', '/groups', body);
  const addressOf = async (text: string) => {
    const [id] = await bob.writer.write(jid, { kind: 'text', text }, once);
    const { attrs } = await eventually('the stanza', () => messages.find((node) => node.attrs.id === id));
    return [attrs.participant, attrs.participant_lid ?? attrs.participant_pn, attrs.addressing_mode];
  };
  assert.deepEqual(await addressOf('by phone JID'), [bob.account.jid, bob.account.lid, 'pn']);
  await control.request('PATCH', `/groups/${jid}`, { addressingMode: 'lid' });
  assert.deepEqual(await addressOf('by LID'), [bob.account.lid, bob.account.jid, 'lid']);
  const sent = await companion.socket.sendMessage(jid, { text: 'an answer' });
  await eventually('it at Bob', () => bob.view.find(sent!.key.id!));
});

test('a phone of today leaves the wrapped request of a stock client unanswered, one of the lenient network answers it', async () => {
  await using place = await start();
  const { companion, alice, bob, control } = place;
  await companion.link((qr) => alice.scan(qr));
  const id = await write(place, 'once more, please');
  await companion.received(id);
  const key = { remoteJid: bob.account.jid, fromMe: false, id };
  const ask = () =>
    companion.socket.sendPeerDataOperationMessage({
      peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
      placeholderMessageResendRequest: [{ messageKey: key }],
    });
  const answers = () =>
    companion.messages.filter(
      ({ message }) => message?.protocolMessage?.peerDataOperationRequestResponseMessage?.peerDataOperationResult,
    );
  await ask();
  await eventually('the phone to have it', async () => (await control.stats())['wrappedPeerMessages'] === 1);
  assert.deepEqual(answers(), []);
  await control.faults({ addressing: 'lenient' });
  await ask();
  await eventually('the answer', () => answers().length === 1);
  assert.equal((await control.stats())['wrappedPeerMessages'], 1);
});
