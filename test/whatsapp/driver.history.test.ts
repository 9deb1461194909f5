/** What the driver reads out of the history: privacy tokens, who is who, the NCT salt; and what of it goes with messages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf } from '../../src/whatsapp/account-facts.ts';
import { parseCredentials } from '../../src/whatsapp/signal/credentials.ts';
import { decodeKey } from '../../src/whatsapp/signal/key-codec.ts';
import { eventually } from '../support/wait.ts';
import { type Rig, startRig } from './driver.support.ts';

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
