/** Typing that is shown for a time, and taken back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from '../../../src/whatsapp/library/nodes.ts';
import { Typing } from '../../../src/whatsapp/conversation/conversation.ts';

const chat = '4915550002222@s.whatsapp.net';

test('typing ends with its last timer, though that rings a moment early', async () => {
  let now = 0;
  const timers: (() => void)[] = [];
  const shown: string[] = [];
  const typing = new Typing({
    // Timers of Node count from a moment before the clock is read.
    clock: {
      now: () => now,
      after: (ms, ring) => {
        timers.push(() => {
          now += ms - 1;
          ring();
        });
        return { cancel: () => {} };
      },
    },
    addressOf: async (to) => to,
    creds: { me: { id: '4915550001111:7@s.whatsapp.net' } },
    sock: { sendNode: async ({ content }) => void shown.push((content as BinaryNode[])[0]!.tag) },
  });
  await typing.show(chat, 'text', 15_000);
  timers.shift()!();
  assert.deepEqual(shown, ['composing', 'composing']);
  timers.shift()!();
  assert.deepEqual(shown, ['composing', 'composing', 'paused']);
  assert.deepEqual([timers.length, typing.shown.size], [0, 0]);
});
