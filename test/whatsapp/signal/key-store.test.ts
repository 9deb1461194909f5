/** The authentication state: keys of every kind and the credentials, through the store and back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proto, type SignalDataSet } from 'baileys';
import { newCredentials, parseCredentials, serializeCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { makeKeyStore, keyTypes } from '../../../src/whatsapp/signal/key-store.ts';
import { Locks } from '../../../src/whatsapp/signal/signal-records.ts';
import { memoryStore } from './support.ts';

const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, i) => (i * 37 + length) % 256));

const samples: Required<SignalDataSet> = {
  'pre-key': { 7: { public: bytes(32), private: bytes(32) } },
  session: { '1_1.0': new Uint8Array(bytes(300)) },
  'sender-key': { 'g@g.us::1_1::0': new Uint8Array(bytes(120)) },
  'sender-key-memory': { 'g@g.us': { '1@lid': true, '2:3@lid': true } },
  'app-state-sync-key': {
    AAAA: { keyData: bytes(32), timestamp: 17, fingerprint: { rawId: 5, currentIndex: 1, deviceIndexes: [0, 2] } },
  },
  'app-state-sync-version': {
    regular: { version: 4, hash: bytes(128), indexValueMap: { 'aW5kZXg=': { valueMac: bytes(32) } } },
  },
  'lid-mapping': { '49151': '2000' },
  'device-list': { '49151': ['0', '3'] },
  tctoken: { '1@lid': { token: bytes(16), timestamp: '1700000000' } },
  'identity-key': { '1_1.0': new Uint8Array(bytes(33)) },
};

test('every kind of key comes back as it was, and is gone when it is set to null', async () => {
  const store = memoryStore();
  const keys = makeKeyStore({ deviceId: 1, store });
  await keys.set(samples);
  assert.equal(store.commits.length, 1);
  for (const type of keyTypes) {
    const id = Object.keys(samples[type])[0]!;
    const value: unknown = (await keys.get(type, [id, 'none']))[id];
    if (type === 'app-state-sync-key') {
      assert.deepEqual(
        proto.Message.AppStateSyncKeyData.encode(value ?? {}).finish(),
        proto.Message.AppStateSyncKeyData.encode(samples[type].AAAA!).finish(),
      );
    } else {
      assert.deepEqual(value, Object.values<unknown>(samples[type])[0], type);
    }
    assert.deepEqual(Object.keys(await keys.get(type, [id, 'none'])), [id]);
    await keys.set({ [type]: { [id]: null } });
    assert.deepEqual(await keys.get(type, [id]), {}, type);
  }
  assert.equal(store.keys.size, 0);
});

test('a prekey takes 64 bytes; what is none is refused', async () => {
  const store = memoryStore();
  const keys = makeKeyStore({ deviceId: 1, store });
  await keys.set({ 'pre-key': samples['pre-key'] });
  assert.deepEqual(Buffer.from(store.keys.get('1/pre-key/7')!), Buffer.concat([bytes(32), bytes(32)]));
  await assert.rejects(
    async () => keys.set({ 'pre-key': { 8: { public: bytes(33), private: bytes(32) } } }),
    RangeError,
  );
  await keys.set({});
  assert.equal(store.commits.length, 1);
});

test('a session is not overwritten in the middle of an operation on it', async () => {
  const store = memoryStore();
  const locks = new Locks();
  const keys = makeKeyStore({ deviceId: 1, store, locks });
  const release = await locks.acquire(['1_1.0']);
  const deleted = Promise.resolve(keys.set({ session: { '1_1.0': null } }));
  await keys.set({ session: { '2_1.0': null }, 'device-list': { 1: ['0'] } });
  assert.equal(store.commits.length, 1);
  release();
  await deleted;
  assert.equal(store.commits.length, 2);
  assert.equal(locks.size, 0);
});

test('clearing takes the keys and leaves the credentials', async () => {
  const store = memoryStore();
  const keys = makeKeyStore({ deviceId: 1, store });
  const credentials = serializeCredentials(newCredentials());
  await store.commit(1, { credentials });
  await keys.set(samples);
  await keys.clear?.();
  assert.equal(store.keys.size, 0);
  assert.deepEqual(await store.loadCredentials(1), credentials);
});

test('credentials come back as they were, the account with its bytes', () => {
  const creds = newCredentials();
  assert.deepEqual(parseCredentials(serializeCredentials(creds)), definedOf(creds));
  creds.me = { id: '1:2@s.whatsapp.net', lid: '3:2@lid', name: 'Ann' };
  creds.routingInfo = bytes(9);
  creds.account = proto.ADVSignedDeviceIdentity.decode(
    proto.ADVSignedDeviceIdentity.encode({
      details: bytes(20),
      accountSignatureKey: bytes(32),
      accountSignature: bytes(64),
      deviceSignature: bytes(64),
    }).finish(),
  );
  creds.signalIdentities = [{ identifier: { name: '3@lid', deviceId: 0 }, identifierKey: bytes(33) }];
  const parsed = parseCredentials(serializeCredentials(creds));
  assert.deepEqual(Buffer.from(parsed.account?.deviceSignature ?? []), bytes(64));
  assert.deepEqual(
    proto.ADVSignedDeviceIdentity.encode(parsed.account ?? {}).finish(),
    proto.ADVSignedDeviceIdentity.encode(creds.account).finish(),
  );
  assert.deepEqual(definedOf({ ...parsed, account: undefined }), definedOf({ ...creds, account: undefined }));
  assert.deepEqual(serializeCredentials(parsed), serializeCredentials(creds));
});

const definedOf = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));

test('what are no credentials are not taken for some', () => {
  assert.throws(() => parseCredentials(Buffer.from('{}')), TypeError);
  assert.throws(() => parseCredentials(Buffer.from('nonsense')), SyntaxError);
});
