/** Signed prekeys: when a new one is published, what is kept of the former ones, and what becomes of one that is not taken. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BufferJSON } from 'baileys';
import { pino } from 'pino';
import { keepRotatingSignedPreKey, type RotationParts } from '../../../src/whatsapp/login/pre-keys.ts';
import {
  newCredentials,
  parseCredentials,
  keptSignedPreKeys,
  signedPreKeyWith,
} from '../../../src/whatsapp/signal/credentials.ts';
import { Refused } from '../../../src/whatsapp/socket/query.ts';
import { eventually } from '../../support/wait.ts';
import { manualClock } from '../../support/clock.ts';
import { memoryStore } from '../signal/support.ts';

const dayMs = 86_400_000;

const scene = () => {
  const creds = newCredentials();
  const store = memoryStore();
  const clock = manualClock();
  const whenEnded: RotationParts['whenEnded'] = new Set();
  /** The ids of the keys that were published, as they left. */
  const published: number[] = [];
  let answer: () => unknown = () => ({});
  const sock = {
    async query() {
      published.push(keptSignedPreKeys(parseCredentials((await store.loadCredentials(1))!))!.next!.keyId);
      return answer();
    },
  } as unknown as RotationParts['sock'];
  const parts = { sock, deviceId: 1, creds, store, clock, whenEnded, log: pino({ level: 'silent' }) };
  return {
    creds,
    store,
    clock,
    published,
    end: () => whenEnded.forEach((tell) => tell(null)),
    connect: () => keepRotatingSignedPreKey(parts),
    answering: (next: () => unknown) => (answer = next),
  };
};

/** As it is stored: a signature is a Buffer or a plain array of bytes, by the curve in use. */
const asStored = (creds: ReturnType<typeof newCredentials>, id: number): string =>
  JSON.stringify(signedPreKeyWith(creds, id), BufferJSON.replacer);

const refusal = (code: number) => () => {
  throw new Refused(code, 'refused');
};

test('a new one is published after 27 days, stored before; three former ones are kept', async () => {
  const { creds, store, clock, published, connect, end } = scene();
  connect();
  await clock.advance(27 * dayMs - 1);
  assert.deepEqual(published, [], 'it is not known how old the first one is');
  await clock.advance(1);
  assert.deepEqual([published, creds.signedPreKey.keyId], [[2], 2]);
  await clock.advance(4 * 27 * dayMs);
  assert.deepEqual([published, creds.signedPreKey.keyId], [[2, 3, 4, 5, 6], 6]);
  assert.deepEqual(
    [6, 5, 4, 3, 2, 1, 7].map((id) => signedPreKeyWith(creds, id)?.keyId ?? null),
    [6, 5, 4, 3, null, null, null],
  );
  const stored = parseCredentials((await store.loadCredentials(1))!);
  assert.equal(asStored(stored, 3), asStored(creds, 3));
  end();
  await clock.advance(40 * dayMs);
  assert.equal(published.length, 5, 'not after the end of the connection');
});

test('one that may have been taken is published again, and read meanwhile', async () => {
  const { creds, clock, published, connect, answering } = scene();
  connect();
  answering(() => {
    throw new Error('the connection was lost');
  });
  await clock.advance(27 * dayMs);
  const next = signedPreKeyWith(creds, 2);
  assert.deepEqual([published, creds.signedPreKey.keyId, next?.keyId], [[2], 1, 2]);
  answering(() => ({}));
  await clock.advance(dayMs);
  await eventually('the second try', () => published.length === 2);
  assert.deepEqual([published, creds.signedPreKey], [[2, 2], next]);
});

test('a refusal counts as a rotation, an error of the network as a day, and ids begin again', async () => {
  const { creds, clock, published, connect, answering } = scene();
  Object.assign(creds, { signedPreKey: { ...creds.signedPreKey, keyId: 2 ** 24 - 1 } });
  connect();
  answering(refusal(406));
  await clock.advance(27 * dayMs);
  assert.deepEqual([published, signedPreKeyWith(creds, 1)], [[1], null]);
  answering(refusal(503));
  await clock.advance(27 * dayMs);
  assert.equal(published.length, 2);
  answering(() => ({}));
  await clock.advance(dayMs);
  assert.deepEqual([published, creds.signedPreKey.keyId], [[1, 1, 1], 1]);
});

test('a clock that was set back is no reason to wait longer than 27 days from now', async () => {
  const { clock, published, connect } = scene();
  connect();
  await clock.advance(dayMs);
  clock.jump(-400 * dayMs);
  await clock.advance(28 * dayMs);
  assert.deepEqual(published, [2]);
});
