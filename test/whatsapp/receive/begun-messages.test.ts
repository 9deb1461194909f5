/** Which messages are marked as begun, what that costs, and when one is not read any more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { makeSessionStore } from '../../../src/whatsapp/state/session-store.ts';
import { BegunMessages } from '../../../src/whatsapp/receive/begun.ts';
import { startIntakes } from './intake.ts';

const message = (id: string, attrs: BinaryNode['attrs'] = {}, bytes = 100): BinaryNode => ({
  tag: 'message',
  attrs: { id, from: '1@lid', ...attrs },
  content: [{ tag: 'enc', attrs: { type: 'msg' }, content: new Uint8Array(bytes) }],
});
const again = (id: string): BinaryNode => message(id, { offline: '0' });
const many = (count: number): readonly BinaryNode[] => Array.from({ length: count }, (_, n) => again(`M${n}`));

const startBegun = async () => {
  const rig = await startIntakes();
  let commits = 0;
  /** A connection; a new one after the process has died, or after `end`. */
  const connect = (): BegunMessages => {
    const { deviceId, stores } = rig;
    const store = makeSessionStore({ ...stores.credentials, ...stores.changes }, (error) => assert.fail(String(error)));
    const commit: typeof store.commit = (...call) => {
      commits += 1;
      return store.commit(...call);
    };
    return new BegunMessages({ deviceId, store: { readKeys: store.readKeys, commit, broken: false } });
  };
  return { rig, connect, commits: () => commits, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() };
};

test('begun: live messages share one mark a connection, and a backlog one for 64', async () => {
  await using place = await startBegun();
  const live = place.connect();
  for (let n = 0; n < 100; n += 1) assert.equal((await live.begin([message(`L${n}`)])).count, 1);
  assert.equal(place.commits(), 1);
  await live.end();
  const backlog = place.connect();
  const waiting = [...many(200)];
  while (waiting.length > 0) {
    const { count, treatment } = await backlog.begin(waiting);
    assert.equal(treatment, 'read');
    // As a message that is handled by itself.
    waiting.splice(0, Math.min(count, 1));
  }
  assert.equal(place.commits(), 2 + 4);
});

test('begun: a large message is marked where it comes live, and not together with others', async () => {
  await using place = await startBegun();
  const begun = place.connect();
  const large = message('L', {}, 20_000);
  assert.equal((await begun.begin([message('S'), large, message('S2')])).count, 1);
  assert.deepEqual(await begun.begin([large, message('S2')]), { count: 1, treatment: 'read' });
  for (const treatment of ['read', 'read', 'unread', 'refused'])
    assert.deepEqual(await place.connect().begin([again('L'), again('S2')]), { count: 1, treatment });
});

test('begun: of many that were begun together, each gets its own tries', async () => {
  await using place = await startBegun();
  const waiting = many(3);
  assert.deepEqual(await place.connect().begin(waiting), { count: 3, treatment: 'read' });
  const second = place.connect();
  assert.deepEqual(await second.begin(waiting), { count: 1, treatment: 'read' });
  assert.deepEqual(await second.begin(waiting.slice(1)), { count: 1, treatment: 'read' });
  const third = place.connect();
  assert.deepEqual(await third.begin(waiting.slice(1)), { count: 1, treatment: 'read' });
  assert.deepEqual(await place.connect().begin(waiting.slice(1)), { count: 1, treatment: 'unread' });
  assert.deepEqual(await place.connect().begin(waiting.slice(2)), { count: 1, treatment: 'read' });
});

test('begun: connections that end while the process lives blame no message', async () => {
  await using place = await startBegun();
  for (let n = 0; n < 10; n += 1) {
    const begun = place.connect();
    await begun.begin([message('live')]);
    assert.deepEqual(await begun.begin([again('M')]), { count: 1, treatment: 'read' });
    await begun.end();
  }
});
