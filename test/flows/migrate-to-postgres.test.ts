/** An embedded installation moves to PostgreSQL: every row is there, and the session reconnects without a scan. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moveToPostgres } from '../../src/main/offline.ts';
import { startInstallation } from '../support/installation.ts';
import { startPostgres } from '../support/postgres.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilEvent, untilOpen, untilShown } from './steps.ts';

test('an installation moves from SQLite to PostgreSQL, and its device reconnects without a scan', async () => {
  const postgres = await startPostgres();
  const databaseUrl = postgres.only;
  try {
    await using embedded = await startInstallation();
    await addPhones(embedded);
    const id = await linkDevice(embedded);
    await embedded.phones.write(bob, { to: ada, text: 'before' });
    await untilEvent(embedded, id, 'message.received');
    const events = await eventsOf(embedded, id);
    await embedded.stop();
    const rows = await moveToPostgres(embedded.dataDir, 'the secret of the move', databaseUrl).catch(() => null);
    assert.equal(rows, null, 'another secret is refused');
    const moved = await moveToPostgres(embedded.dataDir, null, databaseUrl);
    assert.equal(moved['devices'], 1);
    await assert.rejects(() => moveToPostgres(embedded.dataDir, null, databaseUrl), /has data already/);
    await embedded.moveTo(databaseUrl);
    await untilOpen(embedded, id);
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
