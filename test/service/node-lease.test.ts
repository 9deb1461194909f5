/** The lease of a node ends by its own clock, whatever the database, the other nodes or the timers do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClusterNode, leaseTimes } from '../../src/domain/lease.ts';
import { makeLog } from '../../src/log.ts';
import { type AskPeer, NodeLease } from '../../src/service/cluster/node-lease.ts';
import { type ManualClock, manualClock } from '../support/clock.ts';

const times = leaseTimes(10_000);
const endMs = times.leaseMs - times.marginMs;
const never = new Promise<never>(() => undefined);

/** `late`: by how much the timers ring too late, or (negative) too early. */
const stage = (askPeer: AskPeer, late = 0) => {
  const clock = manualClock();
  const peers: ClusterNode[] = [
    { id: 'peer', url: 'http://peer', draining: false, devices: 0, epochs: 0, leaseEnd: 0 },
  ];
  const state = { renewal: async (): Promise<ClusterNode[]> => peers, lostAt: [] as number[], stalledMs: 0 };
  const node = new NodeLease({
    leases: {
      nodes: async () => peers,
      renew: () => state.renewal(),
    },
    times,
    url: () => 'http://own',
    askPeer,
    clock: { ...clock, after: (ms, run) => clock.after(ms > -late ? ms + late : ms, run) },
    log: makeLog('silent'),
    renewed: () => undefined,
    lost: () => state.lostAt.push(clock.now()),
    monotonic: () => clock.now() + state.stalledMs,
  });
  return { clock, node, state };
};

/** In steps, for a clock that is asked while it moves. */
const pass = async (clock: ManualClock, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 50) await clock.advance(50);
};

test('a renewal that hangs, and a peer that says nothing, hold nothing up: counted from when the last renewal was sent', async () => {
  const { clock, node, state } = stage(() => never);
  const began = clock.now();
  await node.start();
  state.renewal = () => never;
  await pass(clock, 30_000);
  assert.deepEqual(state.lostAt, [began + endMs]);
  assert.equal(node.valid, false);
});

test('timers that ring a few milliseconds early are set again', async () => {
  const { clock, node, state } = stage(() => never, -7);
  const began = clock.now();
  await node.start();
  state.renewal = () => never;
  await pass(clock, 30_000);
  assert.equal(state.lostAt.length, 1);
  assert.ok(
    state.lostAt[0]! - began >= endMs && state.lostAt[0]! - began < endMs + 50,
    String(state.lostAt[0]! - began),
  );
});

test('a process that was stalled learns it before a late answer, and comes back under another id', async () => {
  const { clock, node, state } = stage(() => never);
  await node.start();
  const { id } = node;
  const late = Promise.withResolvers<ClusterNode[]>();
  state.renewal = () => late.promise;
  await clock.advance(times.renewMs);
  // None of its timers has rung: the answer is read first.
  state.stalledMs = 20_000;
  late.resolve([]);
  await clock.advance(0);
  assert.equal(node.valid, false);
  assert.equal(state.lostAt.length, 1);
  assert.notEqual(node.id, id);
});

test('while no node reaches the database the lease goes on; one that does, or says nothing, ends it', async () => {
  const answers = { database: false };
  const { clock, node, state } = stage(async () => answers);
  await node.start();
  state.renewal = () => Promise.reject(new Error('the database is away'));
  await pass(clock, 60_000);
  assert.deepEqual(state.lostAt, []);
  assert.equal(node.valid, true);
  answers.database = true;
  const changed = clock.now();
  await pass(clock, endMs);
  assert.equal(state.lostAt.length, 1);
  assert.ok(state.lostAt[0]! <= changed + endMs);
});

test('a node that was live a moment ago and refuses connections may only be out of reach', async () => {
  const { clock, node, state } = stage(async () => 'gone');
  await node.start();
  state.renewal = () => Promise.reject(new Error('the way to the database is broken'));
  await pass(clock, 30_000);
  assert.equal(state.lostAt.length, 1);
});

test('what the peers say after the end does not bring the lease of another id to life', async () => {
  const answer = Promise.withResolvers<{ readonly database: boolean }>();
  const { clock, node, state } = stage(() => answer.promise);
  await node.start();
  state.renewal = () => never;
  // Asked last just before the end.
  await pass(clock, endMs);
  assert.equal(state.lostAt.length, 1);
  answer.resolve({ database: false });
  await clock.advance(0);
  assert.equal(node.valid, false);
});

test('another node whose lease has ended in the same outage is asked all the same, until it is gone', async () => {
  const { clock, node, state } = stage(() => never);
  await node.start();
  // The first to renew after an outage sees nobody else.
  state.renewal = async () => [];
  await clock.advance(times.renewMs);
  state.renewal = () => Promise.reject(new Error('the way to the database is broken'));
  await pass(clock, 30_000);
  assert.equal(state.lostAt.length, 1);

  // A process that has ended takes nothing.
  const afterDrain = stage(async () => 'gone');
  await afterDrain.node.start();
  afterDrain.state.renewal = async () => [];
  await afterDrain.clock.advance(times.renewMs);
  afterDrain.state.renewal = () => Promise.reject(new Error('the database is away'));
  await pass(afterDrain.clock, 30_000);
  assert.deepEqual(afterDrain.state.lostAt, []);

  const alone = stage(() => never);
  await alone.node.start();
  alone.state.renewal = async () => [];
  await pass(alone.clock, 2 * times.leaseMs + times.renewMs);
  alone.state.renewal = () => Promise.reject(new Error('the database is away'));
  await pass(alone.clock, 60_000);
  assert.deepEqual(alone.state.lostAt, [], 'nobody is left to take its devices');
});
