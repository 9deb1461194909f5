/** An embedded installation moves to PostgreSQL: every row is there, and the session reconnects without a scan. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { moveToPostgres } from '../../../src/main/offline.ts';
import { startInstallation } from '../../support/installation.ts';
import { startPostgres } from '../../support/postgres.ts';
import { eventually } from '../../support/wait.ts';
import { assertListed, GroupQuestions, joinManyGroups } from '../groups/groups.many.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilEvent, untilOpen, untilShown } from '../steps.ts';

test('an installation moves from SQLite to PostgreSQL, and its device reconnects without a scan', async () => {
  const postgres = await startPostgres();
  const databaseUrl = postgres.only;
  try {
    const questions = new GroupQuestions();
    await using embedded = await startInstallation(
      { HANDSET_PUBLIC_URL: 'https://handset.example.com' },
      undefined,
      undefined,
      { record: questions.record },
    );
    await addPhones(embedded);
    joinManyGroups(embedded);
    const id = await linkDevice(embedded);
    // One question for 500 groups, and none once they are known: on SQLite, and on PostgreSQL.
    await assertListed(embedded, id, questions, 1);
    await embedded.phones.write(bob, { to: ada, text: 'before' });
    await untilEvent(embedded, id, 'message.received');
    await embedded.api.put(`/devices/${id}/settings`, { media: 'kept' });
    const file = randomBytes(20_000);
    const [document] = await embedded.phones.write(bob, { to: ada, documentBase64: file.toString('base64') });
    const media = (init?: RequestInit) => embedded.api.fetch(`/devices/${id}/messages/${document}/media`, init);
    await eventually('the media is kept', async () => (await media({ method: 'HEAD' })).headers.has('accept-ranges'));
    const events = await eventsOf(embedded, id);
    await embedded.stop();
    const rows = await moveToPostgres(embedded.dataDir, 'the secret of the move', databaseUrl).catch(() => null);
    assert.equal(rows, null, 'another secret is refused');
    const moved = await moveToPostgres(embedded.dataDir, null, databaseUrl);
    assert.equal(moved['devices'], 1);
    await assert.rejects(() => moveToPostgres(embedded.dataDir, null, databaseUrl), /has data already/);
    await assert.rejects(
      () => embedded.moveTo(databaseUrl),
      /HANDSET_MEDIA_STORE must be set: 1 device keeps its media/,
    );
    const mediaStore = { kind: 'folder', path: join(embedded.dataDir, 'media') } as const;
    await embedded.moveTo(databaseUrl, embedded.dataDir, { mediaStore });
    const kept = await media({ headers: { range: 'bytes=5-9' } });
    assert.deepEqual([kept.status, Buffer.from(await kept.arrayBuffer())], [206, file.subarray(5, 10)]);
    await untilOpen(embedded, id);
    await assertListed(embedded, id, questions, 0);
    assert.deepEqual((await eventsOf(embedded, id)).slice(0, events.length), events);
    const sent = await embedded.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'after' });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    await untilShown(embedded, bob, 'after');
    await embedded.phones.write(bob, { to: ada, text: 'and back' });
    await untilEvent(
      embedded,
      id,
      'message.received',
      (data: { message: { text: string } }) => data.message.text === 'and back',
    );
  } finally {
    await postgres.close();
  }
});
