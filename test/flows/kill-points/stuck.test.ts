/**
 * A message that ends the process whenever it is read: begun three times, it is stored without being read, and the others are not held up. On one
 * process, and on nodes that take the device over one after the other.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openShell } from '../../cli/terminal.support.ts';
import { api } from '../../support/api.ts';
import { ownerKey } from '../../support/installation.ts';
import { type Mortal, startMortal } from '../../support/mortal.ts';
import { startPostgres } from '../../support/postgres.ts';
import type { Trap } from '../../support/traps/traps.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilEvent, untilOpen } from '../steps.ts';

const trap: Trap = { when: 'before', call: 'commit', deviceId: null, text: 'poison' };
const adminToken = 'the-token-of-the-operator-long-enough';
const poisoned = { TEST_TRAP: JSON.stringify(trap) };

const write = async (mortal: Mortal, text: string): Promise<string> =>
  (await mortal.phones.write(bob, { to: ada, text }))[0]!;

const metricsOf = async (mortal: Mortal): Promise<string> => (await fetch(`${mortal.url}/metrics`)).text();

const pending = async (mortal: Mortal) => (await mortal.phones.stats()).pending as Readonly<Record<string, number>>;

const messageOf = async (mortal: Mortal, id: number, messageId: string) =>
  (await mortal.api.get(`/devices/${id}/messages/${messageId}`)).body.message;

/** Kills it in the middle of the message, so many times; `next` starts it again. */
const die = async (mortal: Mortal, times: number, next: () => Promise<void>): Promise<void> => {
  for (let died = 0; died < times; died += 1) {
    await mortal.held(1);
    await mortal.kill();
    await next();
  }
};

/** The message is told as unknown, those beside it as they are, and nothing waits at the network. */
const assertStuck = async (mortal: Mortal, id: number, texts: readonly (readonly [string, string | null])[]) => {
  for (const [messageId, text] of texts) {
    await untilEvent(
      mortal,
      id,
      'message.received',
      (data: { message: { id: string } }) => data.message.id === messageId,
    );
    const message = await messageOf(mortal, id, messageId);
    assert.deepEqual([message.type, message.text], [text === null ? 'unknown' : 'text', text]);
  }
  await eventually('an empty queue', async () => (await pending(mortal))[`${ada}:1@s.whatsapp.net`] === undefined);
  const told = (await eventsOf(mortal, id)).filter(({ type }) => type === 'message.received');
  assert.equal(told.length, 1 + texts.length, 'each is told once');
};

test('a message that comes live and ends the process three times', async () => {
  await using mortal = await startMortal({ ...poisoned, HANDSET_ADMIN_TOKEN: adminToken });
  await addPhones(mortal);
  const id = await linkDevice(mortal);
  await write(mortal, 'hello');
  await untilEvent(mortal, id, 'message.received');
  const poison = await write(mortal, 'poison');
  const behind = await write(mortal, 'behind');
  await die(mortal, 3, () => mortal.restart());
  await assertStuck(mortal, id, [
    [poison, null],
    [behind, 'behind'],
  ]);
  const { decryptFailures, retriesAsked } = await mortal.phones.stats();
  assert.deepEqual([decryptFailures, retriesAsked], [0, 0]);
  assert.match(await metricsOf(mortal), /^handset_messages_unread_total\{reason="stuck"\} 1$/m);
  await using shell = await openShell({ HANDSET_URL: mortal.url, HANDSET_KEY: ownerKey, HANDSET_NETWORK: 'sandbox' });
  assert.match((await shell.handset(['doctor'])).stdout, /warning +1 messages were stored as unknown .*1 ended/);
  // Its bytes are there.
  const { body } = await api(`${mortal.url}/admin/v1`, adminToken).post(`/devices/${id}/reread`, {});
  assert.equal(body.translated, 1);
  assert.equal((await messageOf(mortal, id, poison)).text, 'poison');
});

test('a message that waited at the network, among others that are innocent', async () => {
  await using mortal = await startMortal();
  await addPhones(mortal);
  const id = await linkDevice(mortal);
  await write(mortal, 'hello');
  await untilEvent(mortal, id, 'message.received');
  await mortal.kill();
  const texts = ['one', 'two', 'poison', 'three', 'four'];
  const ids: string[] = [];
  for (const text of texts) ids.push(await write(mortal, text));
  await mortal.restart(poisoned);
  await die(mortal, 3, () => mortal.restart(poisoned));
  await assertStuck(
    mortal,
    id,
    texts.map((text, index) => [ids[index]!, text === 'poison' ? null : text]),
  );
});

test('a call that ends the process at each login is acknowledged without being handled', async () => {
  const call: Trap = { when: 'before', call: 'commit', deviceId: null, holding: 'call' };
  await using mortal = await startMortal({ TEST_TRAP: JSON.stringify(call) });
  await addPhones(mortal);
  const id = await linkDevice(mortal);
  await write(mortal, 'hello');
  await untilEvent(mortal, id, 'message.received');
  await mortal.phones.request('POST', `/phones/${bob}/call`, { to: ada });
  const isRefused = async () => /^handset_messages_unread_total\{reason="stuck"\} [1-9]/m.test(await metricsOf(mortal));
  let deaths = 0;
  for (; deaths < 12; deaths += 1) {
    const step = await eventually('the call is held or refused', async () => {
      if (await mortal.isHolding()) return 'held';
      return (await isRefused()) ? 'refused' : null;
    });
    if (step === 'refused') break;
    await mortal.kill();
    await mortal.restart();
  }
  // Where it comes live, at three logins after that, perhaps in a group, and three times by itself.
  assert.ok(deaths >= 6 && deaths <= 9, `refused after ${deaths} deaths`);
  const behind = await write(mortal, 'behind');
  await assertStuck(mortal, id, [[behind, 'behind']]);
  assert.deepEqual(
    (await eventsOf(mortal, id)).filter(({ type }) => type === 'call'),
    [],
  );
  await untilOpen(mortal, id);
  await mortal.kill();
  await mortal.restart(poisoned);
  await mortal.phones.request('POST', `/phones/${bob}/call`, { to: ada });
  await untilEvent(mortal, id, 'call');
});

test('calls that wait while the process dies of something else are told in the end', async () => {
  const dying = { TEST_TRAP: JSON.stringify({ when: 'before', call: 'commit', deviceId: null, holding: 'call' }) };
  await using mortal = await startMortal();
  await addPhones(mortal);
  const id = await linkDevice(mortal);
  await mortal.kill();
  for (let n = 0; n < 2; n += 1) await mortal.phones.request('POST', `/phones/${bob}/call`, { to: ada });
  // A seventh death of a login would be one too many, and the first may count: it comes within seconds of the linking.
  for (let died = 0; died < 5; died += 1) {
    await mortal.restart(dying);
    await mortal.held(1);
    await mortal.kill();
  }
  await mortal.restart();
  await eventually('both calls', async () => {
    const calls = (await eventsOf(mortal, id)).filter(({ type }) => type === 'call');
    return calls.filter(({ data }) => (data as { status: string }).status === 'offer').length === 2;
  });
});

test('nodes that take the device over: the third one that dies is the last', async () => {
  const postgres = await startPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'handset-stuck-'));
  try {
    const settings = {
      ...poisoned,
      HANDSET_DATABASE_URL: postgres.only,
      HANDSET_DURABILITY: 'process',
      HANDSET_SECRET: 'the secret of the nodes, long enough',
      HANDSET_LEASE_SECONDS: '7',
    };
    await using mortal = await startMortal(settings);
    let nodes = 0;
    const next = (): Promise<void> => mortal.restart({ HANDSET_DATA_DIR: join(folder, String((nodes += 1))) });
    await addPhones(mortal);
    const id = await linkDevice(mortal);
    await write(mortal, 'hello');
    await untilEvent(mortal, id, 'message.received');
    const poison = await write(mortal, 'poison');
    await die(mortal, 3, next);
    await assertStuck(mortal, id, [[poison, null]]);
  } finally {
    await postgres.close();
    await rm(folder, { recursive: true, force: true });
  }
});
