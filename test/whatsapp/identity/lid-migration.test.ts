/** Whether the account has migrated: what the network and the phone tell, also what they tell badly. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type BinaryNode, proto } from 'baileys';
import { makeLog } from '../../../src/log.ts';
import {
  factsOf,
  followMappingSync,
  noteClientProps,
  noteMigrationSwitch,
  pairsIn,
} from '../../../src/whatsapp/identity/account.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { eventually } from '../../support/wait.ts';
import { memoryStore } from '../signal/support.ts';

const pairSuccess = (content?: BinaryNode['content']): BinaryNode => {
  const props = content === undefined ? [] : [{ tag: 'client-props', attrs: {}, content }];
  return { tag: 'iq', attrs: {}, content: [{ tag: 'pair-success', attrs: {}, content: props }] };
};

const emitting = () => {
  const updates: unknown[] = [];
  return { sock: { update: (changed: unknown) => void updates.push(changed) }, updates };
};

test('the client properties of pair-success tell it; those that are missing or no message tell nothing', () => {
  const encoded = (isChatDbLidMigrated?: boolean) =>
    proto.ClientPairingProps.encode(isChatDbLidMigrated === undefined ? {} : { isChatDbLidMigrated }).finish();
  for (const [content, told] of [
    [encoded(true), true],
    [encoded(false), false],
    [encoded(), undefined],
    [undefined, undefined],
    ['text', undefined],
    [Buffer.from([0xff, 0xff, 0xff]), undefined],
  ] as const) {
    const creds = newCredentials();
    noteClientProps(creds, pairSuccess(content));
    assert.equal(factsOf(creds).lidMigrated, told);
  }
  const creds = newCredentials();
  noteClientProps(creds, { tag: 'iq', attrs: {} });
  assert.equal(factsOf(creds).lidMigrated, undefined);
});

test('property 9435 tells it; the newest wins, and what is not new is not written', () => {
  const creds = newCredentials();
  const { sock, updates } = emitting();
  noteMigrationSwitch(sock, creds, undefined);
  assert.equal(factsOf(creds).lidMigrated, undefined);
  noteMigrationSwitch(sock, creds, true);
  noteMigrationSwitch(sock, creds, true);
  assert.deepEqual([factsOf(creds).lidMigrated, updates.length], [true, 1]);
  noteMigrationSwitch(sock, creds, false);
  assert.deepEqual([factsOf(creds).lidMigrated, updates.length], [false, 2]);
});

const payloadOf = (pnToLidMappings: proto.ILIDMigrationMapping[]): Uint8Array =>
  proto.LIDMigrationMappingSyncPayload.encode({ pnToLidMappings }).finish();

test("the phone's mapping is read plain and compressed, and within bounds", () => {
  const payload = payloadOf([
    { pn: 4915100000000, assignedLid: 2000 },
    { pn: 4915100000001, assignedLid: 2001, latestLid: 3001 },
  ]);
  const pairs = [
    { lid: '2000@lid', pn: '4915100000000@s.whatsapp.net' },
    { lid: '3001@lid', pn: '4915100000001@s.whatsapp.net' },
  ];
  assert.deepEqual(pairsIn(payload), pairs);
  assert.deepEqual(pairsIn(gzipSync(payload)), pairs);
  assert.deepEqual(pairsIn(new Uint8Array()), []);
  assert.throws(() => pairsIn(gzipSync(new Uint8Array(9 * 1024 * 1024))), /larger/i);
  assert.equal(pairsIn(payloadOf(Array.from({ length: 60_000 }, () => ({ pn: 1, assignedLid: 2 })))).length, 50_000);
});

test("the phone's mapping says that the account has migrated, even one that cannot be read", async () => {
  const creds = newCredentials();
  const { sock } = emitting();
  const lidMapping = makeLidMapping({ deviceId: 1, store: memoryStore() });
  const whenPhoneSpoke = new Set<(message: proto.IMessage) => void>();
  followMappingSync({ sock, creds, lidMapping, whenPhoneSpoke, log: makeLog('silent') });
  const type = proto.Message.ProtocolMessage.Type.LID_MIGRATION_MAPPING_SYNC;
  const say = (encodedMappingPayload: Uint8Array) => {
    const message = { protocolMessage: { type, lidMigrationMappingSyncMessage: { encodedMappingPayload } } };
    for (const hear of whenPhoneSpoke) hear(message);
  };
  const payload = gzipSync(payloadOf([{ pn: 4915100000000, assignedLid: 2000 }]));
  assert.equal(factsOf(creds).lidMigrated, undefined);
  say(Buffer.from([0xff]));
  assert.equal(factsOf(creds).lidMigrated, true);
  say(payload);
  const phone = '4915100000000@s.whatsapp.net';
  await eventually('the pair', async () => (await lidMapping.addressesOf(phone)).lid === '2000@lid');
});
