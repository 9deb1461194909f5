/** Time locks and caps of new chats: asked for, heard, kept over a reconnection, and named in the error of a send. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { HandsetError } from '../../../src/errors.ts';
import { capIn, Limits, type LimitsParts, lockIn, unknownLimits } from '../../../src/whatsapp/send/account-limits.ts';
import { limitRefusal } from '../../../src/whatsapp/send/failure.ts';
import { SendRefused } from '../../../src/whatsapp/send/server-ack.ts';
import { Queries, bundledQueryIds } from '../../../src/whatsapp/socket/query.ts';
import { manualClock } from '../../support/clock.ts';
import { eventually } from '../../support/wait.ts';
import { startRig } from '../driver.support.ts';

const ann = '4915300000001';
const bob = '4915300000002';
const cyd = '4915300000003';
const text = (words: string) => ({ kind: 'text', text: words }) as const;

const rejection = async (sending: Promise<unknown>): Promise<HandsetError> => {
  const error = await sending.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof HandsetError);
  return error;
};

test('driver: a time lock is told, refuses new chats with its end, and leaves old ones alone', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  await rig.phones.add(cyd, 'Cyd');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  await rig.send(watched, bob, text('an old chat from now on'));
  await rig.phones.faults({ timeLock: { seconds: 3_600 } });
  const told = await eventually('the lock', () => watched.limits.find(({ lockedUntil }) => lockedUntil !== null));
  const left = (told.lockedUntil ?? 0) - Date.now();
  assert.ok(left > 3_590_000 && left <= 3_601_000, String(left));
  const { name, message } = await rejection(rig.send(watched, cyd, text('a new chat')));
  assert.equal(name, 'SendFailed');
  const until = new Date(told.lockedUntil ?? 0).toISOString();
  assert.equal(message, `Failed to send message: the account may not begin new chats until ${until} (time lock)`);
  await rig.send(watched, bob, text('goes on'));
  // What was told is known to the next connection, and a lock that nobody announced is found after the login.
  await watched.session.close();
  const next = rig.connect(deviceId);
  await next.opened();
  assert.match((await rejection(rig.send(next, cyd, text('again')))).message, /time lock/);
});

test('driver: a lock that has begun while the service was away is found after the login', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  await rig.phones.faults({ timeLock: { seconds: 3_600 } });
  const { watched } = await rig.linked(ann, 'Ann');
  await eventually('the lock', () => watched.limits.some(({ lockedUntil }) => lockedUntil !== null));
});

test('driver: the cap of new chats is counted, and named with the time of its reset', async () => {
  await using rig = await startRig();
  for (const [number, name] of [
    [bob, 'Bob'],
    [cyd, 'Cyd'],
  ] as const)
    await rig.phones.add(number, name);
  const { watched } = await rig.linked(ann, 'Ann');
  await rig.phones.faults({ newChatCap: { limit: 1, seconds: 600 } });
  await rig.send(watched, bob, text('the only new chat'));
  const told = await eventually('the cap', () => watched.limits.find(({ newChats }) => newChats?.reached));
  assert.partialDeepStrictEqual(told.newChats, { used: 1, limit: 1, reached: true });
  const { message } = await rejection(rig.send(watched, cyd, text('one too many')));
  const resets = new Date(told.newChats?.resetsAt ?? 0).toISOString();
  assert.equal(
    message,
    `Failed to send message: the account has begun as many new chats as the network allows (1 of 1), and may begin no more until ${resets}`,
  );
  await rig.send(watched, bob, text('an old chat'));
});

test('driver: a 463 without a restriction of the account says so, and what it mostly is', async () => {
  await using rig = await startRig();
  await rig.phones.add(bob, 'Bob');
  const { watched } = await rig.linked(ann, 'Ann');
  await rig.phones.faults({ rejectSends: 463 });
  const { message } = await rejection(rig.send(watched, bob, text('no')));
  assert.match(message, /^Failed to send message: the network refuses the chat \(463\) and tells of no restriction/);
  await rig.phones.faults({ rejectSends: 406 });
  assert.equal((await rejection(rig.send(watched, bob, text('no')))).message, 'Failed to send message');
});

type Answers = (queryId: string, type: string | undefined) => object | string | null;

const start = (answers: Answers) => {
  const clock = manualClock();
  const asked: string[] = [];
  const told: unknown[] = [];
  const send = (nodes: readonly BinaryNode[]): void => {
    for (const { attrs, content } of nodes) {
      const query = (content as BinaryNode[])[0]!;
      const { variables } = JSON.parse(Buffer.from(query.content as Uint8Array).toString()) as {
        variables: { input?: { type: string } };
      };
      asked.push(variables.input?.type ?? 'lock');
      const answer = answers(query.attrs['query_id'] ?? '', variables.input?.type);
      if (answer === null) continue;
      const result = {
        tag: 'result',
        attrs: {},
        content: typeof answer === 'string' ? answer : JSON.stringify(answer),
      };
      const id = attrs['id']!;
      setImmediate(() => queries.take({ tag: 'iq', attrs: { id, type: 'result' }, content: [result] }));
    }
  };
  const queries = new Queries(send);
  const sock = Object.assign(new EventEmitter<{ open: [] }>(), {
    askTogether: queries.askTogether.bind(queries),
  });
  const known = unknownLimits();
  const parts = {
    sock,
    queryIds: bundledQueryIds,
    known,
    clock,
    tell: (limits: unknown) => void told.push(limits),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only what it uses of a socket
  const limits = new Limits(parts as unknown as LimitsParts);
  const login = async (): Promise<void> => {
    sock.emit('open');
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, asked, told, known, limits, login };
};

const free: Answers = (queryId) =>
  queryId === '23983697327930364'
    ? { data: { xwa2_fetch_account_reachout_timelock: { is_active: false } } }
    : { data: { xwa2_message_capping_info: { total_quota: '0', capping_status: 'NONE' } } };

test('limits: a login asks at most once an hour, a burst of refusals once a minute', async () => {
  const { clock, asked, limits, login } = start(free);
  for (let minute = 0; minute < 60; minute += 1) {
    await login();
    await clock.advance(60_000);
  }
  assert.equal(asked.length, 2);
  await login();
  assert.equal(asked.length, 4);
  await clock.advance(60_000);
  await Promise.all(Array.from({ length: 20 }, () => limits.ask()));
  assert.equal(asked.length, 6);
  await limits.ask();
  assert.equal(asked.length, 6);
});

test('limits: the cap is asked for in both ways in which it is known', async () => {
  const { asked, known, limits } = start((queryId, type) => {
    if (type === 'INDIVIDUAL_NEW_CHAT_THREAD') return { errors: [{ message: 'no such type' }], data: null };
    return type === undefined
      ? free(queryId, type)
      : {
          data: { xwa2_message_capping_info: { total_quota: '9', used_quota: '4', cycle_end_timestamp: '1767225600' } },
        };
  });
  assert.equal(await limits.ask(), true);
  assert.deepEqual(asked, ['lock', 'INDIVIDUAL_NEW_CHAT_THREAD', 'INDIVIDUAL_NEW_CHAT_MSG']);
  assert.deepEqual(known.limits.newChats, { used: 4, limit: 9, resetsAt: 1_767_225_600_000, reached: false });
});

test('limits: answers that are none leave what is known, and the error says that nobody knows', async () => {
  for (const answer of ['', '<html>', 'null', '[]', '{"data":[]}', `"${'x'.repeat(70_000)}"`, '{"data":{"xwa2":1}}']) {
    const { clock, known, limits } = start(() => answer);
    known.limits = { lockedUntil: 5, newChats: null };
    assert.equal(await limits.ask(), false, answer.slice(0, 20));
    assert.deepEqual(known, { limits: { lockedUntil: 5, newChats: null }, askedAt: null });
    assert.match((await limitRefusal({ limits }, clock, new SendRefused('463'))) ?? '', /does not say why/);
    assert.match((await limitRefusal({ limits }, clock, new SendRefused('475'))) ?? '', /as many new chats/);
    assert.equal(await limitRefusal({ limits }, clock, new SendRefused('479')), null);
    assert.equal(await limitRefusal({ limits }, clock, new Error('463')), null);
  }
});

test('limits: what the network may say of a lock and a cap', () => {
  const now = 1_000_000;
  assert.equal(lockIn({ is_active: true, time_enforcement_ends: '2000' }, now), 2_000_000);
  assert.equal(lockIn({ is_active: true, time_enforcement_ends: 2000 }, now), 2_000_000);
  assert.equal(lockIn({ is_active: false, time_enforcement_ends: '2000' }, now), null);
  for (const none of ['0', '', 'x', '-1', '999999999999999', null, undefined, {}]) {
    assert.equal(lockIn({ is_active: true, time_enforcement_ends: none }, now), now + 60_000, JSON.stringify(none));
  }
  assert.equal(capIn({}), null);
  assert.equal(capIn({ total_quota: -1, capping_status: 'NONE' }), null);
  assert.deepEqual(capIn({ capping_status: 'CAPPED' }), { used: null, limit: null, resetsAt: null, reached: true });
});

test('limits: a notice of the network is heard, and its end too', async () => {
  const { limits, told } = start(free);
  const notice = (data: object): void => {
    const update = { tag: 'update', attrs: { op_name: 'any' }, content: Buffer.from(JSON.stringify({ data })) };
    limits.notice({ tag: 'notification', attrs: { type: 'mex' }, content: [update] });
  };
  notice({ xwa2_notify_account_reachout_timelock: { is_active: true, time_enforcement_ends: '90' } });
  notice({ xwa2_notify_account_reachout_timelock: { is_active: false, time_enforcement_ends: '90' } });
  const capped = { total_quota: 3, used_quota: 3, capping_status: 'CAPPED' };
  notice({ xwa2_notify_new_chat_messages_capping_info_update: capped });
  notice({ xwa2_notify_of_something_else: capped });
  limits.notice({ tag: 'notification', attrs: { type: 'mex' }, content: [{ tag: 'update', attrs: {}, content: '{' }] });
  assert.deepEqual(told, [
    { lockedUntil: 90_000, newChats: null },
    { lockedUntil: null, newChats: null },
    { lockedUntil: null, newChats: { used: 3, limit: 3, resetsAt: null, reached: true } },
  ]);
});

const lockNotice = (isActive: boolean, attrs: BinaryNode['attrs'] = {}): BinaryNode => {
  const data = { xwa2_notify_account_reachout_timelock: { is_active: isActive } };
  const update = { tag: 'update', attrs: {}, content: Buffer.from(JSON.stringify({ data })) };
  return { tag: 'notification', attrs: { type: 'mex', ...attrs }, content: [update] };
};

test('limits: a notice that has waited is no newer than the answer of the login; after a login that asks nothing it asks once', async () => {
  const { asked, known, limits, login } = start(free);
  await login();
  await limits.notice(lockNotice(true, { offline: '0' }));
  assert.deepEqual([known.limits.lockedUntil, asked.length], [null, 2]);
  await limits.notice(lockNotice(true));
  assert.notEqual(known.limits.lockedUntil, null);

  const next = start(free);
  next.known.askedAt = next.clock.now();
  await next.login();
  for (const _ of [1, 2, 3]) await next.limits.notice(lockNotice(true, { offline: '0' }));
  assert.deepEqual([next.known.limits.lockedUntil, next.asked.length], [null, 2]);
});
