/** Privacy tokens: which one goes with a message, and whom one of ours is given to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { BinaryNode, SignalDataTypeMap, SignalKeyStore } from 'baileys';
import { pino } from 'pino';
import { PrivacyTokens } from '../../src/whatsapp/privacy-tokens.ts';
import { makeLidMapping } from '../../src/whatsapp/signal/lid-mapping.ts';
import { eventually } from '../support/wait.ts';
import { memoryStore } from './signal.support.ts';

const ann = '2000@lid';
const seconds = 1_700_000_000;

const scene = () => {
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
  const tokens = new PrivacyTokens({
    sock: {
      issuePrivacyTokens: async (jids: string[]): Promise<BinaryNode> => {
        given.push(jids);
        return { tag: 'iq', attrs: {} };
      },
      serverProps: { privacyTokenOn1to1: true, lidTrustedTokenIssueToLid: true },
    } as unknown as ConstructorParameters<typeof PrivacyTokens>[0]['sock'],
    keys,
    lidMapping: makeLidMapping({ deviceId: 1, store: memoryStore() }),
    clock: { now: () => seconds * 1_000, after: () => ({ cancel() {} }) },
    log: pino({ level: 'silent' }),
  });
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  return { tokens, stored, given, hold };
};

const token = { token: Buffer.from('of ann'), timestamp: String(seconds) };

test('a token that comes while another is looked for is used from then on', async () => {
  const { tokens, stored, hold } = scene();
  const go = hold();
  const first = tokens.of(ann);
  await setImmediate();
  stored.set(ann, token);
  tokens.forget();
  go();
  assert.equal(await first, null, 'it was not there yet');
  assert.deepEqual(await tokens.of(ann), token.token);
});

test('a token goes along for four weeks, and each person is given one of ours once a week', async () => {
  const { tokens, stored, given } = scene();
  stored.set(ann, { ...token, timestamp: String(seconds - 5 * 604_800) });
  assert.equal(await tokens.of(ann), null);
  for (let time = 0; time < 3; time += 1) tokens.give(ann);
  await eventually('that it is kept', () => stored.get(ann)?.senderTimestamp === seconds);
  tokens.give(ann);
  assert.deepEqual(given, [[ann]]);
  assert.match(String(stored.get('__index')?.token), /2000@lid/);
});
