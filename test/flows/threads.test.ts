/** Sessions in threads: a thread that is killed under traffic loses and doubles nothing, and its neighbours do not notice. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Threads } from '../../src/threads/pool.ts';
import type { Answer } from '../support/api.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilShown } from './steps.ts';

const eve = '4915550003333';

interface Told {
  readonly message: { readonly text: string };
}

describe('sessions in two threads', () => {
  let installation: Installation;
  let threads: Threads;
  let first: number;
  let second: number;
  before(async () => {
    const started = (made: Threads): void => {
      threads = made;
    };
    installation = await startInstallation({ HANDSET_WORKERS: '2' }, undefined, undefined, { crowdedAt: 1, started });
    await addPhones(installation);
    await installation.phones.add(eve, 'Eve');
    first = await linkDevice(installation, ada);
    second = await linkDevice(installation, eve);
  });
  after(() => installation[Symbol.asyncDispose]());

  const send = (id: number, message: string): Promise<Answer> =>
    installation.api.post(
      `/devices/${id}/messages/text`,
      { toNumber: bob, message },
      { headers: { 'idempotency-key': message } },
    );

  /** Tried again under its key, as a caller does, where the link was away for too long. */
  const untilSent = (id: number, message: string): Promise<true> =>
    eventually(`${message} is sent`, async () => (await send(id, message)).status === 200 || null, 60_000);

  const textsOf = async (id: number, type: string): Promise<string[]> =>
    (await eventsOf(installation, id))
      .filter((event) => event.type === type)
      .map(({ data }) => (data as Told).message.text);

  it('each thread has one of two devices, and both talk to each other', async () => {
    assert.deepEqual(threads.loads(), [1, 1]);
    const sent = await installation.api.post(`/devices/${first}/messages/text`, { toNumber: eve, message: 'across' });
    assert.equal(sent.status, 200);
    await eventually('the other device has it', async () =>
      (await textsOf(second, 'message.received')).includes('across'),
    );
  });

  it('a thread is killed in the middle of sends and receives: each message is there once', async () => {
    const out = Array.from({ length: 20 }, (_, index) => `out ${index}`);
    const into = Array.from({ length: 20 }, (_, index) => `in ${index}`);
    const logins = async () => (await installation.phones.logins()).filter(({ number }) => number === eve).length;
    const loginsBefore = await logins();
    const sending = out.map((text) => untilSent(first, text));
    const writing = (async () => {
      for (const text of into) await installation.phones.write(bob, { to: ada, text });
    })();
    await untilShown(installation, bob, out[3]!);
    threads.kill(first);
    const beside = await send(second, 'the neighbour');
    assert.equal(beside.status, 200);
    await writing;
    await Promise.all(sending);
    await untilSent(first, 'afterwards');
    await untilShown(installation, bob, 'afterwards');
    await eventually(
      'all that was written is here',
      async () => (await textsOf(first, 'message.received')).length === into.length,
    );
    assert.deepEqual(await textsOf(first, 'message.received'), into);
    const shown = (await installation.phones.messages(bob)).map(({ text }) => text);
    for (const text of [...out, 'afterwards', 'the neighbour']) {
      assert.equal(shown.filter((each) => each === text).length, 1, text);
    }
    assert.deepEqual((await textsOf(first, 'message.sent')).sort(), ['across', ...out, 'afterwards'].sort());
    assert.equal(await logins(), loginsBefore);
    assert.deepEqual(threads.loads(), [1, 1]);
    assert.deepEqual(threads.stats(), { running: 2, ended: 1 });
    const { decryptFailures } = await installation.phones.stats();
    assert.equal(decryptFailures, 0);
  });
});
