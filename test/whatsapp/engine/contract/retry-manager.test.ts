/** Contract of the retry manager: with our caches in place of its own it counts, remembers and forgets as before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { MessageRetryManager } from 'baileys';
import { makeLog } from '../../../../src/log.ts';
import { engineLog } from '../../../../src/whatsapp/engine/line/socket.ts';
import { digest, sourceOf } from './support.ts';
import { lighten } from '../../../../src/whatsapp/engine/retry-manager.ts';

const replaced = ['addRecentMessage', 'hasExceededMaxRetries', 'schedulePhoneRequest'];

const jid = '4915550001111@s.whatsapp.net';

const play = (manager: MessageRetryManager): unknown[] => {
  const told: unknown[] = [];
  for (let time = 0; time < 6; time += 1)
    told.push(manager.incrementRetryCount('a'), manager.hasExceededMaxRetries('a'));
  manager.markRetrySuccess('a');
  manager.markRetryFailed('b');
  told.push(
    manager.getRetryCount('a'),
    manager.shouldRecreateSession(jid, true),
    manager.shouldRecreateSession(jid, true),
  );
  const key = new Uint8Array([1, 2, 3]);
  manager.saveBaseKey('address', 'a', key);
  told.push(manager.hasSameBaseKey('address', 'a', key), manager.hasSameBaseKey('address', 'b', key));
  manager.deleteBaseKey('address', 'a');
  told.push(manager.hasSameBaseKey('address', 'a', key));
  manager.incrementRetryCount('c');
  manager.clear();
  return [...told, manager.getRetryCount('c'), manager.shouldRecreateSession(jid, true)];
};

test('a lightened manager of retries counts, remembers and forgets as the engine has it', () => {
  const log = engineLog(makeLog('silent'));
  const [theirs, ours] = [new MessageRetryManager(log, 5), new MessageRetryManager(log, 5)];
  const fields = Object.keys(ours);
  lighten(ours);
  assert.deepEqual(play(ours), play(theirs));
  assert.deepEqual(
    Object.keys(ours).filter((name) => !replaced.includes(name)),
    fields,
    'these are the caches it has',
  );
});

test('a lightened manager of retries has the phone asked for nothing: the driver does, in another form', async () => {
  const manager = new MessageRetryManager(engineLog(makeLog('silent')), 5);
  lighten(manager);
  manager.schedulePhoneRequest('a', () => assert.fail('the phone was asked'), 0);
  await setTimeout(1);
});

test('the manager of retries is that of 7.0.0-rc14', () => {
  assert.equal(digest(sourceOf('Utils/message-retry-manager.js')), 'e4e48293e72a');
});
