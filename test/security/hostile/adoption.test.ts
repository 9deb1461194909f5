/** Files of a session as anybody can write them: what they say of themselves costs nothing, and many of them hold up nobody. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { BufferJSON, Curve, initAuthCreds } from 'baileys';
import { adoptFiles } from '../../../src/whatsapp/adoption/files.ts';
import { useNativeCurve } from '../../../src/whatsapp/library/process.ts';
import { openTestStore } from '../../support/store.ts';
import { watchTurns } from '../../support/turns.ts';
import { startHttp } from '../../http/harness.ts';
import { withStore } from '../../store/contract/fixture.ts';

useNativeCurve();

/** Limit of the time that hostile files take beyond harmless ones, ms. */
const maxMoreMs = 50;
/** As long as a file may be. */
const longest = 1_048_000;

/** Credentials that a phone of their own has signed. */
const credentials = (change: (account: Record<string, unknown>) => object = (account) => account): string => {
  const creds = initAuthCreds();
  const phone = Curve.generateKeyPair();
  const details = randomBytes(16);
  const accountSignature = Curve.sign(
    phone.private,
    Buffer.concat([Buffer.from([6, 0]), details, creds.signedIdentityKey.public]),
  );
  const account = { details, accountSignatureKey: phone.public, accountSignature, deviceSignature: randomBytes(64) };
  const me = { id: '4915112345678:1@s.whatsapp.net' };
  return JSON.stringify({ ...creds, me, account: change(account) }, BufferJSON.replacer);
};

const seed = Buffer.alloc(32).toString('base64');
const ratchetKey = Buffer.alloc(33).toString('base64');

/** A session with as many skipped keys as fit into a file, in several chains. */
const sessionOfSkipped = (): string => {
  const chains: Record<string, object> = {};
  for (let chain = 0; chain < 9; chain += 1) {
    const messageKeys = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [index, seed]));
    const key = Buffer.alloc(33, chain).toString('base64');
    chains[key] = { chainKey: { counter: 2_000, key: seed }, chainType: 2, messageKeys };
  }
  const ephemeralKeyPair = { pubKey: ratchetKey, privKey: seed };
  const currentRatchet = { ephemeralKeyPair, rootKey: seed, previousCounter: 0 };
  const indexInfo = { baseKey: ratchetKey, remoteIdentityKey: ratchetKey, closed: -1, used: 1 };
  return JSON.stringify({ _sessions: { x: { registrationId: 1, currentRatchet, indexInfo, _chains: chains } } });
};

const files: Readonly<Record<string, string>> = {
  'app-state-sync-key-AAAA.json': '{"keyData":{"length":300000000}}',
  'session-1.0.json': sessionOfSkipped(),
  'session-2.0.json': `[${'[],'.repeat(longest / 3)}[]]`,
  'session-3.0.json': `{"a":${'['.repeat(longest / 2)}`,
  'tctoken-1.json': `[${'{},'.repeat(longest / 3)}{}]`,
  'sender-key-1.json': JSON.stringify(
    { type: 'Buffer', data: Buffer.from(`[${'{},'.repeat(250_000)}{}]`) },
    BufferJSON.replacer,
  ),
};

test('hostile files: each is refused or read within its time', async () => {
  using turns = watchTurns();
  const creds = credentials();
  const longestTurn = async (name: string, text: string): Promise<number> => {
    turns.longestMs();
    await adoptFiles({ 'creds.json': creds, [name]: text });
    return turns.longestMs();
  };
  await longestTurn('session-1.0.json', '""');
  const like = await longestTurn('session-1.0.json', JSON.stringify('a'.repeat(longest)));
  const slow: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const first = await longestTurn(name, text);
    if (first > like + maxMoreMs && (await longestTurn(name, text)) > like + maxMoreMs) slow.push(name);
  }
  assert.deepEqual(slow, []);
});

test('hostile files: no bytes of credentials are as long as an object says', async () => {
  const endless = { length: 4_000_000_000 };
  for (const name of ['details', 'accountSignatureKey', 'accountSignature', 'deviceSignature']) {
    const creds = credentials((account) => ({ ...account, [name]: endless }));
    await assert.rejects(adoptFiles({ 'creds.json': creds }), { name: 'InvalidRequest' }, name);
  }
  const lists = credentials().replace(/}$/, `,"x":[${'[],'.repeat(100_000)}[]]}`);
  await assert.rejects(adoptFiles({ 'creds.json': lists }), { name: 'InvalidRequest' });
});

const manyKeys = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ type: 'pre-key', id: String(n), value: new Uint8Array(64) }));

test('hostile files: many keys are written and listed in turns', async () => {
  await using http = await startHttp();
  const adopt = http.network.adoptSession;
  http.network.adoptSession = async (given) => ({ ...(await adopt(given)), keys: manyKeys(10_000) });
  using turns = watchTurns();
  const { status, body } = await http.api.post('/devices/adopt', { files: { 'creds.json': '{}' } });
  assert.equal(status, 200);
  const written = turns.longestMs();
  assert.ok(written < 100, `a turn took ${written.toFixed(0)} ms`);
  assert.equal((await http.stores.credentials.listKeys(body.device.id)).length, 10_000);
  const listed = turns.longestMs();
  assert.ok(listed < 50, `a turn took ${listed.toFixed(0)} ms`);
});

test(
  'keys are found in the same time among many others',
  withStore(
    (clock) => openTestStore({ clock }),
    async ({ stores, device }) => {
      const wanted = Array.from({ length: 64 }, (_, n) => String(n));
      const timeOf = async (count: number): Promise<number> => {
        const { id } = await device();
        await stores.changes.commit(id, { keys: manyKeys(count) });
        let best = Infinity;
        for (let tries = 0; tries < 5; tries += 1) {
          const { user: before } = process.threadCpuUsage();
          assert.equal((await stores.credentials.readKeys(id, 'pre-key', wanted)).size, 64);
          best = Math.min(best, (process.threadCpuUsage().user - before) / 1_000);
        }
        return best;
      };
      const few = await timeOf(64);
      const many = await timeOf(20_000);
      assert.ok(many < 3 * few + 5, `${few.toFixed(1)} ms of 64, ${many.toFixed(1)} ms of 20,000`);
    },
  ),
);
