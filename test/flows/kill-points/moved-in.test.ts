/** A session of another program moves in, and the service is killed: either the whole device is there at the next start, or nothing of it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { BufferJSON } from 'baileys';
import { Companion, type Place } from '../../sandbox/companion.ts';
import { type Mortal, startMortal } from '../../support/mortal.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, untilOpen } from '../steps.ts';

describe('a session that moves in, killed', () => {
  let mortal: Mortal;
  let files: Readonly<Record<string, string>>;
  before(async () => {
    mortal = await startMortal();
    await addPhones(mortal);
    await using client = new Companion(await mortal.phones.request<Place>('GET', '/'));
    await client.link((qr) => mortal.phones.scan(ada, qr));
    await client.end();
    files = { 'creds.json': JSON.stringify(client.creds, BufferJSON.replacer) };
  });
  after(async () => mortal[Symbol.asyncDispose]());

  it('while its keys are written: nothing is left of it', async () => {
    const bytes = (): string => JSON.stringify(randomBytes(32), BufferJSON.replacer);
    const keys = Array.from({ length: 10_000 }, (_, n) => [
      `pre-key-${n}.json`,
      `{"public":${bytes()},"private":${bytes()}}`,
    ]);
    const adopted = Promise.allSettled([
      mortal.api.post('/devices/adopt', { files: { ...files, ...Object.fromEntries(keys) } }),
    ]);
    using database = new DatabaseSync(join(mortal.dataDir, 'handset.db'), { readOnly: true, timeout: 5_000 });
    const count = (table: string): unknown =>
      database.prepare(`select count(*) as count from ${table}`).get()?.['count'];
    await eventually('the first keys', () => Number(count('signal_keys')) > 0);
    assert.deepEqual((await mortal.api.get('/devices')).body.devices, []);
    await mortal.kill();
    assert.equal((await adopted)[0].status, 'rejected');
    await mortal.restart();
    assert.deepEqual([count('devices'), count('signal_keys'), count('credentials')], [0, 0, 0]);
  });

  it('is linked at the next start, and a repeat of the request makes no other device', async () => {
    const adopt = () =>
      mortal.api.call(
        'POST',
        '/devices/adopt',
        { files, name: 'Front desk' },
        { headers: { 'idempotency-key': 'in' } },
      );
    await mortal.trap({ when: 'after', call: 'publish', deviceId: null, holding: 'device.created' });
    const [died] = await Promise.allSettled([adopt()]);
    assert.equal(died.status, 'rejected');
    await mortal.ended();
    await mortal.restart();
    const { devices } = (await mortal.api.get('/devices')).body;
    assert.deepEqual(
      devices.map(({ name }: { name: string }) => name),
      ['Front desk'],
    );
    await untilOpen(mortal, devices[0].id);
    const repeated = await adopt();
    assert.deepEqual([repeated.status, repeated.body.device?.id], [200, devices[0].id], JSON.stringify(repeated.body));
    assert.equal((await mortal.phones.get(ada)).linkedDevices.length, 1, 'the link is the same');
  });
});
