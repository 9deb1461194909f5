/** Chunks of history that a phone makes of fields of two bytes: each takes as long as a long one, and together they hold up nobody. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initAuthCreds } from 'baileys';
import { pino } from 'pino';
import { readChunk } from '../../../src/whatsapp/chats/history/chunk.ts';
import { HistoryMessages } from '../../../src/whatsapp/chats/history/messages.ts';
import { HistoryRequests } from '../../../src/whatsapp/chats/history/requests.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { lengthDelimited } from '../../../src/whatsapp/signal/session-record.ts';
import { manualClock } from '../../support/clock.ts';
import { watchTurns } from '../../support/turns.ts';
import { me } from '../../whatsapp/driver.people.ts';
import { startIntakes } from '../../whatsapp/receive/intake.ts';

/** Longest turn, ms. */
const maxTurnMs = 150;
const bytes = 12_000_000;

/** Field numbers of a chunk, and one that nothing reads. */
const [conversation, pushName, mapping, other] = [2, 7, 15, 10];
const tiny = (number: number): Uint8Array => Buffer.alloc(bytes, Buffer.from([number * 8 + 2, 0]));

const chunks: Readonly<Record<string, Uint8Array>> = {
  'empty conversations': tiny(conversation),
  'a conversation of fields that nothing reads': lengthDelimited(conversation, tiny(other)),
  'a conversation of empty messages': lengthDelimited(conversation, tiny(2)),
  'a push name of fields': lengthDelimited(pushName, tiny(other)),
  'a pair of fields': lengthDelimited(mapping, tiny(other)),
};

test('hostile history: a chunk of many fields is read in turns, its facts and its messages', async () => {
  await using rig = await startIntakes();
  const { deviceId, stores } = rig;
  const { store } = rig.connect();
  const clock = manualClock();
  const log = pino({ level: 'silent' });
  const requests = new HistoryRequests({ deviceId, store, send: async () => undefined, clock, log });
  const creds = { ...initAuthCreds(), me: { id: me.phone, lid: me.lid } };
  const lidMapping = makeLidMapping({ deviceId, store });
  const messages = new HistoryMessages({
    deviceId,
    store,
    creds,
    messages: stores.messages,
    lidMapping,
    requests,
    clock,
    log,
  });
  using turns = watchTurns();
  const slow: string[] = [];
  for (const [name, chunk] of Object.entries(chunks)) {
    for (const read of [
      readChunk,
      (each: Uint8Array) => messages.load(each),
      (each: Uint8Array) => messages.answer(each),
    ]) {
      turns.longestMs();
      await read(chunk);
      const longest = turns.longestMs();
      if (longest > maxTurnMs) slow.push(`${name}: ${longest.toFixed(0)} ms`);
    }
  }
  assert.deepEqual(slow, []);
});
