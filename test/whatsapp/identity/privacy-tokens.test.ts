/** Privacy tokens: which one goes with a message, and whom one of ours is given to. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  initAuthCreds,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from 'baileys';
import { pino } from 'pino';
import { csTokenFor, PrivacyTokens } from '../../../src/whatsapp/identity/privacy-tokens.ts';
import { setFacts } from '../../../src/whatsapp/identity/account.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { eventually } from '../../support/wait.ts';
import { memoryStore } from '../signal/support.ts';

const ann = '2000@lid';
const seconds = 1_700_000_000;

const scene = (salt?: Uint8Array) => {
  const stored = new Map<string, SignalDataTypeMap['tctoken']>();
  /** Reads wait for it, with what they have read. */
  let gate: Promise<void> = Promise.resolve();
  const keys = {
    async get(_: string, ids: string[]) {
      const found = Object.fromEntries(ids.flatMap((id) => (stored.has(id) ? [[id, stored.get(id)]] : [])));
      await gate;
      return found;
    },
    async set({ tctoken = {} }: Parameters<SignalKeyStore['set']>[0]) {
      for (const [id, token] of Object.entries(tctoken)) stored.set(id, token!);
    },
  } as unknown as SignalKeyStore;
  const given: string[][] = [];
  const creds = initAuthCreds();
  setFacts(creds, { nctSalt: salt, properties: { hash: 'h', values: { 14303: true } } });
  const tokens = new PrivacyTokens({
    sock: {
      query: async (question: BinaryNode): Promise<BinaryNode> => {
        given.push(
          getBinaryNodeChildren(getBinaryNodeChild(question, 'tokens'), 'token').map(({ attrs }) => attrs.jid!),
        );
        return { tag: 'iq', attrs: {} };
      },
    },
    keys,
    lidMapping: makeLidMapping({ deviceId: 1, store: memoryStore() }),
    creds,
    clock: { now: () => seconds * 1_000, after: () => ({ cancel() {} }) },
    log: pino({ level: 'silent' }),
  });
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  return { tokens, stored, given, hold, creds };
};

const token = { token: Buffer.from('of ann'), timestamp: String(seconds) };

test('a token that comes while another is looked for is used from then on', async () => {
  const { tokens, stored, hold } = scene();
  const go = hold();
  const first = tokens.nodeFor(ann);
  await setImmediate();
  stored.set(ann, token);
  tokens.forget();
  go();
  assert.equal(await first, null, 'it was not there yet');
  assert.deepEqual(await tokens.nodeFor(ann), { tag: 'tctoken', attrs: {}, content: token.token });
});

test('a token goes along for four weeks, and each person is given one of ours once a week', async () => {
  const { tokens, stored, given } = scene();
  stored.set(ann, { ...token, timestamp: String(seconds - 5 * 604_800) });
  assert.equal(await tokens.nodeFor(ann), null);
  for (let time = 0; time < 3; time += 1) tokens.give(ann);
  await eventually('that it is kept', () => stored.get(ann)?.senderTimestamp === seconds);
  tokens.give(ann);
  assert.deepEqual(given, [[ann]]);
  assert.deepEqual([...stored.keys()], [ann], 'nothing that grows with each person');
});

test('without a valid token of theirs the cstoken of a known salt goes along: HMAC-SHA256 of the LID without a device', async () => {
  // The vector of whatsapp-rust, wacore/src/iq/tctoken.rs.
  const vector = csTokenFor('alice@lid', Buffer.from('whatsapp_nct_salt_example'));
  const known = '7c6afc325785ac3c4f571e648a3bb822f0e2e49434812ed2809aea2e7043b576';
  assert.equal(vector && Buffer.from(vector).toString('hex'), known);
  const salt = Buffer.from('another salt');
  const { tokens, stored } = scene(salt);
  const expected = createHmac('sha256', salt).update('2000@lid').digest();
  assert.deepEqual(await tokens.nodeFor('2000:7@lid'), { tag: 'cstoken', attrs: {}, content: expected });
  assert.equal(await tokens.nodeFor('0@s.whatsapp.net'), null, 'a person whose LID is not known');
  stored.set(ann, token);
  tokens.forget();
  assert.equal((await tokens.nodeFor(ann))?.tag, 'tctoken', 'theirs is the better one');
});

test('each kind of token has a switch of its own; what is not told counts as on', async () => {
  const { tokens, stored, creds } = scene(Buffer.from('salt'));
  stored.set(ann, token);
  const sent = async (tctoken: boolean, values: Record<string, boolean>) => {
    setFacts(creds, { properties: { hash: 'h', values: { ...values, 10518: tctoken } } });
    return (await tokens.nodeFor(ann))?.tag;
  };
  assert.equal(await sent(true, { 24941: false }), 'tctoken');
  assert.equal(await sent(false, { 24941: true }), 'cstoken');
  assert.equal(await sent(false, {}), 'cstoken');
  assert.equal(await sent(false, { 24941: false }), undefined);
});

test('tokens that the history tells are kept unless a newer one is known, and when ours was given', async () => {
  const { tokens, stored, given } = scene();
  stored.set(ann, token);
  const told = (jid: string, timestamp: number, text: string, senderTimestamp: number | null = null) => {
    return { jid, timestamp, token: Buffer.from(text), senderTimestamp };
  };
  await tokens.learn([
    told(ann, seconds - 60, 'older', seconds),
    told('3000@lid', seconds, 'of ben'),
    told('3000@lid', seconds - 5, 'of ben, older'),
    { jid: '4000@lid', token: null, timestamp: 0, senderTimestamp: seconds - 700_000 },
  ]);
  assert.deepEqual(stored.get(ann), { ...token, senderTimestamp: seconds });
  assert.equal(String(stored.get('3000@lid')?.token), 'of ben');
  assert.equal(stored.get('4000@lid')?.senderTimestamp, seconds - 700_000);
  tokens.give(ann);
  tokens.give('4000@lid');
  await eventually('one of ours for the one who has an old one', () => given.length === 1);
  assert.deepEqual(given, [['4000@lid']]);
  await tokens.learn(Array.from({ length: 1_200 }, (_, n) => told(`${50_000 + n}@lid`, seconds, `of ${n}`)));
  assert.equal(stored.size, 3 + 1_200);
});
