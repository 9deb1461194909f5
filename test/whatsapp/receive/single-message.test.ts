/** Messages read by themselves: their receipts and refusals, replays, sender keys, and what the own phone tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BinaryNode, proto } from 'baileys';
import { startIntakes } from './intake.ts';
import { ann, at, eventsIn, group, me } from '../driver.people.ts';
import { systemClock } from '../../../src/clock.ts';
import { makeLog } from '../../../src/log.ts';
import { RetryRequests } from '../../../src/whatsapp/receive/retry-requests.ts';
import { SingleMessages } from '../../../src/whatsapp/receive/single-message.ts';
import { emptyMessage } from '../../../src/whatsapp/receive/message-reader.ts';
import { establish, memoryStore, open, type Party, stockParty, ourRepository } from '../signal/support.ts';

const plaintextOf = (message: proto.IMessage): Uint8Array =>
  Buffer.concat([proto.Message.encode(message).finish(), emptyMessage]);

const start = async () => {
  const rig = await startIntakes();
  const { intake } = rig.connect();
  const store = memoryStore();
  const ours = ourRepository(me.lid, store);
  Object.assign(ours.creds, { me: { id: me.phone, lid: me.lid } });
  const sent: BinaryNode[] = [];
  const spoken: proto.IMessage[] = [];
  const send = (nodes: readonly BinaryNode[]): void => void sent.push(...nodes);
  const { creds, repository, mapping: lidMapping } = ours;
  const sock = { isOpen: true, update: () => undefined };
  const single = new SingleMessages({
    sock,
    line: { send, sendInPassing: send },
    creds,
    presence: { isOnline: false },
    clock: systemClock,
    repository,
    lidMapping,
    placeholders: intake.placeholders,
    retries: new RetryRequests({ deviceId: 1, creds, store, repository }),
    whenPhoneSpoke: new Set([(message) => void spoken.push(message)]),
    log: makeLog('silent'),
  });
  return {
    sock,
    creds: rig.creds,
    ours,
    store,
    spoken,
    rig,
    /** Types of the events that were committed with messages. */
    told: () => store.commits.flatMap((changes) => eventsIn(changes).map(({ event }) => event.type)),
    /** The stanzas that are the answer. */
    async take(attrs: BinaryNode['attrs'], ...encs: readonly { type: string; ciphertext: Uint8Array }[]) {
      const content = encs.map(({ type, ciphertext }) => ({ tag: 'enc', attrs: { type }, content: ciphertext }));
      const node = { tag: 'message', attrs: { t: String(at / 1000), ...attrs }, content };
      await intake.begin(node);
      await single.take(node, intake.readerOf(node));
      return sent.splice(0);
    },
  };
};

const sealed = (from: Party, message: proto.IMessage) =>
  from.repository.encryptMessage({ jid: me.lid, data: plaintextOf(message) });

test('driver: a replay under an old counter is done, tells nothing, and is no failure', async () => {
  const { ours, store, rig, told, take } = await start();
  await using _rig = rig;
  const stock = stockParty(ann.lid);
  await establish(stock, ours);
  const message = await sealed(stock, { conversation: 'hello' });
  const receipt = { tag: 'receipt', attrs: { id: 'M1', to: ann.lid, type: 'inactive' } };
  assert.deepEqual(await take({ id: 'M1', from: ann.lid }, message), [receipt]);
  assert.deepEqual(told(), ['message.received']);
  store.inbox.clear();
  const commits = store.commits.length;
  assert.deepEqual(await take({ id: 'M1', from: ann.lid }, message), [receipt]);
  assert.equal(store.commits.length, commits);
  assert.deepEqual(told(), ['message.received']);
  assert.deepEqual(await rig.events(), [], 'nor is it told as undecryptable');
  assert.deepEqual(ours.failures, []);
});

test('driver: what cannot be decrypted when its connection has ended is left for the next one, and is no failure', async () => {
  const { sock, rig, take } = await start();
  await using _rig = rig;
  sock.isOpen = false;
  assert.deepEqual(await take({ id: 'M1', from: ann.lid }, { type: 'msg', ciphertext: Buffer.from('nonsense') }), []);
});

test('driver: a group message brings its key and its content in one stanza; a redelivery brings the key again', async () => {
  const { ours, store, rig, told, take } = await start();
  await using _rig = rig;
  const stock = stockParty(ann.lid);
  await open(stock, ours);
  const { ciphertext, senderKeyDistributionMessage } = await stock.repository.encryptGroupMessage({
    group,
    meId: ann.lid,
    data: plaintextOf({ conversation: 'hello' }),
  });
  const item = { groupId: group, axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage };
  const key = await sealed(stock, { senderKeyDistributionMessage: item });
  const attrs = { id: 'G1', from: group, participant: ann.lid };
  const receipt = { tag: 'receipt', attrs: { id: 'G1', to: group, participant: ann.lid, type: 'inactive' } };
  // The process died before the key was stored.
  await take(attrs, key);
  for (const id of store.keys.keys()) if (id.includes('sender-key')) store.keys.delete(id);
  assert.deepEqual(await take(attrs, key, { type: 'skmsg', ciphertext }), [receipt]);
  assert.deepEqual(told(), ['message.received']);
});

test('driver: what comes through a broadcast list is in the chat with its author, in either encryption', async () => {
  const { ours, store, rig, take } = await start();
  await using _rig = rig;
  const stock = stockParty(ann.lid);
  await establish(stock, ours);
  const list = '1234567890@broadcast';
  const attrs = (id: string) => ({ id, from: list, participant: ann.lid, participant_pn: ann.phone });
  const receipt = (id: string) => ({
    tag: 'receipt',
    attrs: { id, to: list, participant: ann.lid, type: 'inactive' },
  });
  assert.deepEqual(await take(attrs('B1'), await sealed(stock, { conversation: 'to each' })), [receipt('B1')]);
  const { ciphertext, senderKeyDistributionMessage } = await stock.repository.encryptGroupMessage({
    group: list,
    meId: ann.lid,
    data: plaintextOf({ conversation: 'to all' }),
  });
  const item = { groupId: list, axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage };
  const key = await sealed(stock, { senderKeyDistributionMessage: item });
  assert.deepEqual(await take(attrs('B2'), key, { type: 'skmsg', ciphertext }), [receipt('B2')]);
  const told = store.commits.flatMap((changes) => eventsIn(changes));
  assert.deepEqual(
    told.map(({ event }) => event.type === 'message.received' && [event.data.message.chat, event.data.message.text]),
    [
      [ann.phone, 'to each'],
      [ann.phone, 'to all'],
    ],
  );
});

test('driver: what cannot be decrypted is asked for, with keys from the second time on, and refused', async () => {
  const { ours, rig, take } = await start();
  await using _rig = rig;
  const stock = stockParty(ann.lid);
  await establish(stock, ours);
  const { type, ciphertext } = await sealed(stock, { conversation: 'hello' });
  const broken = { type, ciphertext: Uint8Array.from(ciphertext, (byte, index) => byte ^ Number(index > 40)) };
  const shape = ({ tag, attrs, content }: BinaryNode): object => ({
    tag,
    ...attrs,
    has: Array.isArray(content) ? content.map((child) => child.tag) : [],
  });
  const asked = { tag: 'receipt', id: 'M1', type: 'retry', to: ann.lid };
  const refused = { tag: 'ack', id: 'M1', to: ann.lid, class: 'message', error: '500', from: me.phone, has: [] };
  const first = await take({ id: 'M1', from: ann.lid }, broken);
  assert.deepEqual(first.map(shape), [{ ...asked, has: ['retry', 'registration'] }, refused]);
  const second = await take({ id: 'M1', from: ann.lid }, broken);
  assert.deepEqual(second.map(shape), [{ ...asked, has: ['retry', 'registration', 'keys'] }, refused]);
  for (let count = 3; count <= 5; count += 1) assert.equal((await take({ id: 'M1', from: ann.lid }, broken)).length, 2);
  assert.deepEqual((await take({ id: 'M1', from: ann.lid }, broken)).map(shape), [refused]);
});

test('driver: only the own phone is heard as the own phone', async () => {
  const { ours, spoken, rig, take } = await start();
  await using _rig = rig;
  const stock = stockParty(ann.lid);
  await establish(stock, ours);
  const said = { protocolMessage: { appStateSyncKeyShare: { keys: [] } } };
  await take({ id: 'M1', from: ann.lid, category: 'peer' }, await sealed(stock, said));
  assert.deepEqual(spoken, []);
  const phone = stockParty(me.phone);
  await establish(phone, ours);
  const answers = await take({ id: 'M2', from: me.phone, category: 'peer' }, await sealed(phone, said));
  assert.deepEqual(answers, [{ tag: 'receipt', attrs: { id: 'M2', to: me.phone, type: 'peer_msg' } }]);
  assert.equal(spoken.length, 1);
});

test('driver: a message of the phone that comes again does not bring back a former name of the account', async () => {
  const { ours, rig, take } = await start();
  await using _rig = rig;
  const phone = stockParty(me.phone);
  await establish(phone, ours);
  const sent = await sealed(phone, { conversation: 'hello' });
  const attrs = (id: string, notify: string, t: number) => ({
    id,
    from: me.phone,
    recipient: ann.phone,
    notify,
    t: String(at / 1_000 + t),
  });
  await take(attrs('M1', 'Olga', 0), sent);
  await take(attrs('M2', 'Olga Anders', 60), await sealed(phone, { conversation: 'renamed' }));
  await take(attrs('M1', 'Olga', 0), sent);
  assert.equal(ours.creds.me?.name, 'Olga Anders');
});

test('driver: own settings are written under the newest key, whichever is shared last', async () => {
  const { ours, rig, take, creds } = await start();
  await using _rig = rig;
  const phone = stockParty(me.phone);
  await establish(phone, ours);
  const share = (id: number, timestamp: number) => ({
    protocolMessage: {
      appStateSyncKeyShare: {
        keys: [{ keyId: { keyId: Uint8Array.of(id) }, keyData: { keyData: new Uint8Array(32), timestamp } }],
      },
    },
  });
  for (const [index, [id, timestamp]] of (
    [
      [1, 1_000],
      [3, 3_000],
      [2, 2_000],
    ] as const
  ).entries())
    await take({ id: `K${index}`, from: me.phone, category: 'peer' }, await sealed(phone, share(id, timestamp)));
  assert.equal(creds.myAppStateKeyId, Buffer.from([3]).toString('base64'));
});

test('driver: stanzas of no chat are refused, and what is not for this device is acknowledged', async () => {
  const { rig, take } = await start();
  await using _rig = rig;
  const codes = async (attrs: BinaryNode['attrs'], type = 'msg') =>
    (await take({ id: 'M1', ...attrs }, { type, ciphertext: Buffer.from('x') })).map(({ tag, attrs: { error } }) => [
      tag,
      error,
    ]);
  assert.deepEqual(await codes({ from: group }), [['ack', '500']]);
  assert.deepEqual(await codes({ from: ann.lid, recipient: me.lid }), [['ack', '500']]);
  assert.deepEqual(await codes({ from: ann.lid }, 'msmsg'), [['ack', '495']]);
  assert.deepEqual(await codes({ from: '1@newsletter' }), [['ack', undefined]]);
});

test('driver: a person cannot fill the store with sender keys of groups that their message is not in', async () => {
  const { ours, store, rig, take } = await start();
  await using _rig = rig;
  const stock = stockParty(ann.lid);
  await establish(stock, ours);
  const introduction = async (groupId: string) => {
    const own = { group: groupId, meId: stock.jid, data: Buffer.from('x') };
    const { senderKeyDistributionMessage: key } = await stock.repository.encryptGroupMessage(own);
    return sealed(stock, {
      senderKeyDistributionMessage: { groupId, axolotlSenderKeyDistributionMessage: key },
      conversation: 'x',
    });
  };
  await take({ id: 'M1', from: ann.lid }, await introduction('120363000000000009@g.us'));
  await take({ id: 'M2', from: group, participant: ann.lid }, await introduction('120363000000000009@g.us'));
  await take({ id: 'M3', from: group, participant: ann.lid }, await introduction(group));
  const keys = [...store.keys.keys()].filter((key) => key.includes('/sender-key/'));
  assert.deepEqual(keys, [`1/sender-key/${group}::9002_1::0`]);
});
