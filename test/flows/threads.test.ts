/** Sessions in threads: a thread that is killed under traffic loses and doubles nothing, and its neighbours do not notice. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SessionChanges } from '../../src/domain/changes.ts';
import type { Stores } from '../../src/domain/stores.ts';
import type { Threads } from '../../src/threads/pool.ts';
import type { Answer } from '../support/api.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilShown } from './steps.ts';

const eve = '4915550003333';

interface Told {
  readonly message: { readonly text: string };
}

type Holds = (changes: SessionChanges) => boolean;

const isSending: Holds = ({ messages = [] }) => messages.some(({ text }) => text === 'out 8');
const isReading: Holds = ({ inbox }) => inbox !== undefined;

describe('sessions in two threads', () => {
  let installation: Installation;
  let threads: Threads;
  /** Commits of whose answer the thread is not to hear: it dies when they are made. */
  const fatal = new Map<number, Holds>();
  const watchStores = (stores: Stores): Stores => ({
    ...stores,
    credentials: {
      ...stores.credentials,
      async commit(deviceId, changes, epoch) {
        const events = await stores.credentials.commit(deviceId, changes, epoch);
        if (fatal.get(deviceId)?.(changes) === true) {
          fatal.delete(deviceId);
          threads.kill(deviceId);
        }
        return events;
      },
    },
  });
  let first: number;
  let second: number;
  before(async () => {
    const started = (made: Threads): void => {
      threads = made;
    };
    const given = { watchThreads: { crowdedAt: 1, started }, watchStores };
    installation = await startInstallation({ HANDSET_WORKERS: '2' }, undefined, undefined, given);
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

  it('one dies between a commit and its answer, in the middle of traffic: each message is there once', async () => {
    const out = Array.from({ length: 20 }, (_, index) => `out ${index}`);
    const into = Array.from({ length: 20 }, (_, index) => `in ${index}`);
    const logins = async () => (await installation.phones.logins()).filter(({ number }) => number === eve).length;
    const loginsBefore = await logins();
    fatal.set(first, isSending);
    const sending = out.map((text) => untilSent(first, text));
    const writing = (async () => {
      for (const text of into) await installation.phones.write(bob, { to: ada, text });
    })();
    await eventually('its thread is dead', () => threads.stats().ended === 1);
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
  });

  it('one dies between the commit of what it has read and the receipt: it is told once', async () => {
    fatal.set(second, isReading);
    await installation.phones.write(bob, { to: eve, text: 'not receipted' });
    await eventually('its thread is dead', () => threads.stats().ended === 2);
    // What is written later comes behind what the network delivers again.
    await installation.phones.write(bob, { to: eve, text: 'later' });
    await eventually('the later one', async () => (await textsOf(second, 'message.received')).includes('later'));
    assert.deepEqual(await textsOf(second, 'message.received'), ['across', 'not receipted', 'later']);
    assert.equal((await installation.phones.stats()).decryptFailures, 0);
  });
});
