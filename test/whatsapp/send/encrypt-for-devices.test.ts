/** Encryption for several devices whose sessions are set up on the way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encryptForDevices } from '../../../src/whatsapp/send/encrypt-for-devices.ts';
import { decrypt, open, ourParty, ourRepository } from '../signal/support.ts';

const plaintext = Buffer.from('to all');

/** A phone and its companion. The companion has a session; `keyless` devices get none, and `ending` counts sessions of the phone that end before they are used. */
const start = async (keyless: readonly string[], ending = 0) => {
  const us = ourRepository('1000@lid');
  const [phone, companion] = [ourParty('2000@lid'), ourParty('2000:1@lid')];
  await open(us, companion);
  const asked: string[] = [];
  let left = ending;
  const encrypted = await encryptForDevices(
    {
      encrypt: us.repository.encryptBatch,
      async beginSessions(jids) {
        asked.push(...jids);
        for (const each of [phone, companion])
          if (jids.includes(each.jid) && !keyless.includes(each.jid)) await open(us, each);
        if ((left -= 1) >= 0) await us.repository.deleteSession([phone.jid]);
        return new Set(keyless);
      },
    },
    [phone, companion].map(({ jid }) => ({ jid, plaintext })),
  );
  const read: (string | null)[] = [];
  for (const [index, payload] of encrypted.entries())
    read.push(payload && (await decrypt([phone, companion][index]!, us, payload)));
  return { asked, read };
};

test('a session that ends before it is used is set up once more, and no device is left out', async () => {
  const { asked, read } = await start([], 1);
  assert.deepEqual(asked, ['2000@lid', '2000@lid']);
  assert.deepEqual(read, ['to all', 'to all']);
});

test('a device without keys is left out, and asked for once', async () => {
  const { asked, read } = await start(['2000@lid']);
  assert.deepEqual(asked, ['2000@lid']);
  assert.deepEqual(read, [null, 'to all']);
});

test('a session that ends again and again keeps the message from nobody else', async () => {
  const { asked, read } = await start([], 2);
  assert.equal(asked.length, 2);
  assert.deepEqual(read, [null, 'to all']);
});
