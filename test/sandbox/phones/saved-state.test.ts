/** A data directory of version 0.1, whose phones had Signal sessions of their own making: they go on. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { eventually } from '../../support/wait.ts';

const once = { quotedId: null, count: 1 };
const group = '1203630888072102835@g.us';

test('sessions, sender keys and what waits are taken over', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sandbox-'));
  await cp(join(import.meta.dirname, 'saved-by-0.1'), dataDir, { recursive: true });
  const sandbox = await startSandbox({ dataDir });
  try {
    const [alice, bob] = [sandbox.phones.find('491510000001')!, sandbox.phones.find('491510000002')!];
    const shown = (text: string) => () => bob.view.after(0).find((message) => message.text === text);
    bob.behave({ online: true });
    await eventually('what waited', shown('while away'));
    await eventually('what waited in the group', shown('to all while away'));
    for (const chat of [bob.account.jid, group]) {
      await alice.writer.write(chat, { kind: 'text', text: `new in ${chat}` }, once);
      await eventually('a new message', shown(`new in ${chat}`));
    }
    const [answer] = await bob.writer.write(alice.account.jid, { kind: 'text', text: 'answer' }, once);
    await eventually('the answer', () => alice.view.find(answer!));
    const { decryptFailures, retriesAsked, reusedKeys } = sandbox.phones.counters();
    assert.deepEqual(
      { decryptFailures, retriesAsked, reusedKeys },
      { decryptFailures: 0, retriesAsked: 0, reusedKeys: 0 },
    );
  } finally {
    await sandbox.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
