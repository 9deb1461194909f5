/** A retry receipt whose answer needs the network, which is silent, and one that comes again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { BinaryNode } from 'baileys';
import { pino } from 'pino';
import { systemClock } from '../../../src/clock.ts';
import { Resends } from '../../../src/whatsapp/send/resends.ts';
import { nothingSaid } from '../../../src/whatsapp/send/server-ack.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { NoAnswer } from '../../../src/whatsapp/socket/query.ts';
import { makeDeviceMemory } from '../../../src/whatsapp/state/device-memory.ts';
import { quietGroup } from '../../support/groups.ts';
import { eventually } from '../../support/wait.ts';
import { memoryStore } from '../signal/support.ts';
import { messageTo } from './outbox-support.ts';

const device = '100002:1@lid';

const receipt: BinaryNode = {
  tag: 'receipt',
  attrs: { id: 'A', type: 'retry', from: device },
  content: [{ tag: 'retry', attrs: { count: '1', id: 'A', v: '1' } }],
};

/** The first `silent` questions for keys get no answer. */
const startResends = (silent: number, memory = makeDeviceMemory()) => {
  const happened: string[] = [];
  const note = (nodes: readonly BinaryNode[]): void => void happened.push(...nodes.map(({ tag }) => tag));
  let asked = 0;
  const resends = new Resends({
    deviceId: 1,
    sock: { isOpen: true },
    repository: {
      getSenderKeyDistributionMessage: async () => new Uint8Array(),
      hasSenderKey: async () => false,
      injectE2ESession: async () => {},
    },
    line: { send: note, sendInPassing: note },
    creds: { ...newCredentials(), me: { id: '4915550000001:3@s.whatsapp.net', lid: '100001:3@lid' } },
    messages: {
      find: async () => ({ ...messageTo('100002@lid', 'A').record, direction: 'out', deletedAt: null }),
    },
    memory,
    lidMapping: makeLidMapping({ deviceId: 1, store: memoryStore() }),
    tokens: { nodeFor: async () => null },
    encrypt: async () => ({ encrypted: [{ type: 'pkmsg', ciphertext: new Uint8Array(1) }], missing: [] }),
    acks: { wait: async () => nothingSaid },
    async beginSessions() {
      happened.push('asked for keys');
      if ((asked += 1) <= silent) throw new NoAnswer();
      return new Set();
    },
    groupOf: async () => quietGroup,
    statuses: { find: async () => null, audience: async () => null },
    forgetHolder: async () => {},
    clock: { ...systemClock, after: (ms, run) => systemClock.after(ms / 1_000, run) },
    log: pino({ level: 'warn' }, { write: () => happened.push('given up') }),
  });
  resends.take(receipt);
  return happened;
};

test('keys are asked for again, and the receipt is acknowledged with the copy', async () => {
  const happened = startResends(1);
  await eventually('the acknowledgement', () => happened.at(-1) === 'ack');
  assert.deepEqual(happened, ['asked for keys', 'asked for keys', 'message', 'ack']);
});

test('while the network stays silent the receipt is left to the next login', async () => {
  const happened = startResends(Infinity);
  await eventually('the last try', () => happened.at(-1) === 'given up');
  await setImmediate();
  assert.deepEqual(happened, [...Array.from({ length: 4 }, () => 'asked for keys'), 'given up']);
});

test('a receipt that comes again, as its acknowledgement was lost, is acknowledged: its prekey is used up', async () => {
  const memory = makeDeviceMemory();
  const first = startResends(0, memory);
  await eventually('the copy', () => first.at(-1) === 'ack');
  const again = startResends(0, memory);
  await eventually('the acknowledgement', () => again.at(-1) === 'ack');
  assert.deepEqual(again, ['ack']);
});
