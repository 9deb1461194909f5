/** The driver's use of the history: privacy tokens, address mappings, the NCT salt; and what of it goes with messages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { factsOf } from '../../../src/whatsapp/identity/account.ts';
import { parseCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { decodeKey } from '../../../src/whatsapp/signal/key-store.ts';
import { Companion } from '../../sandbox/companion.ts';
import { eventually } from '../../support/wait.ts';
import { type Rig, startRig } from '../driver.support.ts';

const owner = '491510000001';
const places = Array.from({ length: 64 }, (_, place) => String(place));

interface PhoneView {
  readonly phone: {
    readonly lid: string;
    readonly tokens: { readonly carried: Readonly<Record<'tctoken' | 'cstoken' | 'wrong' | 'none', number>> };
    readonly counters: Readonly<Record<string, number>>;
  };
}

const viewOf = async ({ phones }: Rig, number: string) =>
  (await phones.request<PhoneView>('GET', `/phones/${number}`)).phone;

const tokenOf = async ({ stores }: Rig, deviceId: number, lid: string) => {
  const bytes = (await stores.credentials.readKeys(deviceId, 'tctoken', [lid])).get(lid);
  return bytes === undefined ? null : decodeKey('tctoken', bytes);
};

const saltOf = async ({ stores }: Rig, deviceId: number) => {
  const bytes = await stores.credentials.loadCredentials(deviceId);
  return bytes === null ? undefined : factsOf(parseCredentials(bytes)).nctSalt;
};

test('every chunk gives its tokens, its LIDs and the NCT salt, is receipted twice, and its messages are not stored', async () => {
  await using rig = await startRig();
  const { phones, stores } = rig;
  const numbers = Array.from({ length: 160 }, (_, n) => String(491_520_000_000 + n));
  const people = [];
  await phones.add(owner, 'Olga');
  for (const number of numbers) people.push(await phones.add(number, `Person ${number}`));
  // One in the first chunk of old chats, one in the second, one in what comes as FULL.
  const givers = [people[0]!, people[70]!, people[159]!];
  for (const { number } of givers) await phones.request('PUT', `/phones/${number}/tokens/${owner}`);
  await phones.request('POST', `/phones/${owner}/old-chats`, { with: numbers, messages: 30 });

  const deviceId = await rig.device();
  const watched = rig.connect(deviceId);
  const offer = await eventually('a QR', () => watched.offers[0]);
  await phones.scan(owner, offer.qrText);
  await watched.opened();
  for (const { lid } of givers) {
    const entry = await eventually('the token', () => tokenOf(rig, deviceId, lid));
    assert.ok(entry.token.length > 0 && Number(entry.timestamp) > 0);
  }
  await eventually('the salt', () => saltOf(rig, deviceId));
  const { number, lid } = people[159]!;
  const mapping = await stores.credentials.readKeys(deviceId, 'lid-mapping', [number]);
  assert.equal(`${Buffer.from(mapping.get(number)!).toString()}@lid`, lid);
  await eventually('that every chunk is done with', async () => {
    const waiting = await stores.credentials.readKeys(deviceId, 'history-chunk', places);
    return waiting.size === 0;
  });
  // The first one, names, who is who, two of recent chats and two of older ones; and the key of the application state.
  const { counters } = await eventually('the receipts', async () => {
    const view = await viewOf(rig, owner);
    return view.counters['historyReceipts'] === 7 && view;
  });
  assert.equal(counters['peerReceipts'], 8);
  assert.deepEqual((await stores.messages.list(deviceId, { limit: 10, cursor: null })).items, []);
});

test('a person who demands a token gets their own back, else the cstoken', async () => {
  await using rig = await startRig();
  const { phones } = rig;
  const [ann, ben] = ['491510000002', '491510000003'];
  await phones.add(ann, 'Ann');
  await phones.add(ben, 'Ben');
  for (const number of [ann, ben]) await phones.behave(number, { requiresToken: true });
  const { deviceId, watched } = await rig.linked(owner, 'Olga');
  await eventually('the salt', () => saltOf(rig, deviceId));

  await rig.send(watched, ben, { kind: 'text', text: 'a first message' });
  assert.deepEqual((await viewOf(rig, ben)).tokens.carried, { tctoken: 0, cstoken: 1, wrong: 0, none: 0 });

  const { lid } = await viewOf(rig, ann);
  await phones.request('PUT', `/phones/${ann}/tokens/${owner}`);
  await eventually('the token', () => tokenOf(rig, deviceId, lid));
  await rig.send(watched, ann, { kind: 'text', text: 'with her token' });
  assert.deepEqual((await viewOf(rig, ann)).tokens.carried, { tctoken: 1, cstoken: 0, wrong: 0, none: 0 });
});

test('each chunk is receipted as a peer message first, and then as history, before it is read', async () => {
  await using rig = await startRig();
  await rig.phones.add(owner, 'Olga');
  const client = rig.sandbox.phones.find(owner)!.account.devices.get(0)!.client!;
  const receipts: BinaryNode['attrs'][] = [];
  const send = client.send.bind(client);
  Object.assign(client, {
    send(node: BinaryNode) {
      if (node.tag === 'receipt') receipts.push(node.attrs);
      send(node);
    },
  });
  const deviceId = await rig.device();
  const watched = rig.connect(deviceId);
  const offer = await eventually('a QR', () => watched.offers[0]);
  await rig.phones.scan(owner, offer.qrText);
  await watched.opened();
  const typesById = () => {
    const types = new Map<string, (string | undefined)[]>();
    for (const { id, type } of receipts) types.set(id!, [...(types.get(id!) ?? []), type]);
    return [...types.values()];
  };
  // The key of the application state, and four chunks: the first one, names, who is who, and recent chats.
  await eventually('the last receipt', () => typesById().filter((types) => types.includes('hist_sync')).length === 4);
  assert.deepEqual(
    typesById().toSorted((one, other) => one.length - other.length),
    [['peer_msg'], ...Array.from({ length: 4 }, () => ['peer_msg', 'hist_sync'])],
  );
});

test('a person with a new identity is given our token again, under its former time', async () => {
  await using rig = await startRig();
  const { phones, sandbox } = rig;
  const ben = '491510000003';
  await phones.add(ben, 'Ben');
  const { deviceId, watched } = await rig.linked(owner, 'Olga');
  const { given } = sandbox.phones.find(owner)!.tokens;
  const bens = sandbox.phones.find(ben)!.account;
  await rig.send(watched, ben, { kind: 'text', text: 'hello' });
  const first = await eventually('a token', () => given.get(bens));
  await phones.request('POST', `/phones/${ben}/reinstall`);
  const second = await eventually('a token again', () => given.get(bens));
  assert.notDeepEqual(second.token, first.token);
  assert.equal(second.at, first.at);
  // A person who was given none is given none for a new identity.
  const cyd = '491510000004';
  await phones.add(cyd, 'Cyd');
  await phones.write(cyd, { to: owner, text: 'hi' });
  await rig.event(deviceId, 'message.received');
  await phones.request('POST', `/phones/${cyd}/reinstall`);
  await rig.send(watched, ben, { kind: 'text', text: 'hello again' });
  assert.equal(given.get(sandbox.phones.find(cyd)!.account), undefined);
});

test('a stock client, which has no token and makes no cstoken, cannot begin a chat that Handset begins', async () => {
  await using rig = await startRig();
  const { phones } = rig;
  const [ann, ben] = ['491510000002', '491510000003'];
  await phones.add(ann, 'Ann');
  const { lid } = await phones.add(ben, 'Ben');
  await phones.behave(ben, { requiresToken: true });
  await using stock = new Companion(rig.sandbox);
  await stock.link((qr) => phones.scan(ann, qr));
  const acks = new Map<string, string | undefined>();
  stock.socket.ws.on('CB:ack', ({ attrs }: BinaryNode) => acks.set(attrs.id!, attrs.error));
  const refused = await stock.socket.sendMessage(lid, { text: 'from a stock client' });
  await eventually('the ack', () => acks.has(refused!.key.id!));
  assert.equal(acks.get(refused!.key.id!), '463');
  assert.deepEqual((await viewOf(rig, ben)).tokens.carried, { tctoken: 0, cstoken: 0, wrong: 0, none: 1 });

  const { deviceId, watched } = await rig.linked(owner, 'Olga');
  await eventually('the salt', () => saltOf(rig, deviceId));
  const { record } = await rig.send(watched, ben, { kind: 'text', text: 'from Handset' });
  const shown = await eventually('it', async () => (await phones.messages(ben)).find(({ id }) => id === record.id));
  assert.equal(shown.text, 'from Handset');
  assert.deepEqual((await viewOf(rig, ben)).tokens.carried, { tctoken: 0, cstoken: 1, wrong: 0, none: 1 });
  assert.deepEqual(
    (await phones.messages(ben)).map(({ text }) => text),
    ['from Handset'],
  );
});
