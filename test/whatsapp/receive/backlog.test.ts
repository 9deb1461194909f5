/** The pace at which the backlog is requested. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import type { Backlog } from '../../../src/domain/sessions/state.ts';
import type { BinaryNode } from '../../../src/whatsapp/library/nodes.ts';
import { BacklogRequests } from '../../../src/whatsapp/receive/backlog.ts';
import { strictStanzas } from '../socket/strict-stanzas.ts';
import { manualClock } from '../../support/clock.ts';
import { element } from '../../../sandbox/src/base/nodes.ts';

const start = () => {
  const stanzas = strictStanzas();
  const clock = manualClock();
  const requests: BinaryNode[] = [];
  const told: Backlog[] = [];
  const state = { unhandled: 0 };
  const backlog = new BacklogRequests({
    deviceId: 1,
    line: { send: (nodes) => void requests.push(...nodes) },
    unhandled: () => state.unhandled,
    tell: (each) => void told.push(each),
    clock,
    log: pino({ level: 'silent' }),
  });
  backlog.attach(stanzas);
  const bulletin = (tag: string, attrs: Record<string, string> = {}): void =>
    stanzas.dispatch(element('ib', {}, [element(tag, attrs)]));
  return {
    clock,
    state,
    requests,
    told,
    backlog,
    preview: (count?: string) => bulletin('offline_preview', count === undefined ? {} : { count }),
    end: () => bulletin('offline'),
    arrive(count: number): void {
      for (let index = 0; index < count; index += 1)
        stanzas.dispatch(element('receipt', { id: String(index), offline: '0' }));
    },
  };
};

test('driver: the backlog is requested by 200, and again once half of that has come', () => {
  const { requests, preview, arrive } = start();
  preview('1000');
  assert.deepEqual(requests, [element('ib', {}, [element('offline_batch', { count: '200' })])]);
  arrive(99);
  assert.equal(requests.length, 1);
  arrive(1);
  assert.equal(requests.length, 2);
  arrive(199);
  assert.equal(requests.length, 2);
  arrive(1);
  assert.equal(requests.length, 3);
});

test('driver: a network that gives little is asked again 100 ms after the first stanza, and no sooner', async () => {
  const { clock, requests, preview, arrive } = start();
  preview('1000');
  await clock.advance(5_000);
  assert.equal(requests.length, 1, 'nothing came');
  for (let window = 2; window < 20; window += 1) {
    arrive(5);
    await clock.advance(99);
    assert.equal(requests.length, window - 1);
    await clock.advance(1);
    assert.equal(requests.length, window);
  }
});

test('driver: a network that sends more than was requested is not asked for each stanza', () => {
  const { requests, preview, arrive } = start();
  preview();
  arrive(10_000);
  assert.ok(requests.length <= 101, `${requests.length} requests`);
});

test('driver: nothing more is requested while what came is not handled', async () => {
  const { clock, state, requests, preview, arrive, told } = start();
  preview('5000');
  state.unhandled = 1_000;
  arrive(200);
  await clock.advance(120_000);
  assert.equal(requests.length, 1);
  assert.equal(told.at(-1)?.state, 'receiving', 'the silence is not that of the network');
  state.unhandled = 0;
  await clock.advance(100);
  assert.equal(requests.length, 2);
});

test('driver: a backlog is stalled after 60 s of silence, and goes on when the network does', async () => {
  const { clock, requests, preview, arrive, end, told } = start();
  preview('300');
  for (let times = 0; times < 3; times += 1) {
    arrive(1);
    await clock.advance(59_999);
  }
  assert.equal(told.at(-1)?.state, 'receiving');
  await clock.advance(1);
  const { state, announced, received, completedAt } = told.at(-1)!;
  assert.deepEqual([state, announced, received, completedAt], ['stalled', 300, 3, null]);
  const before = requests.length;
  arrive(1);
  assert.equal(requests.length, before + 1);
  end();
  assert.deepEqual([told.at(-1)?.state, told.at(-1)?.received], ['complete', 4]);
  assert.equal(clock.waiting, 0);
});

test('driver: what the preview says ends nothing, and an end without one is an end', async () => {
  for (const count of ['2000000000', '0', '', '-1', '1e3', '7'.repeat(100_000), undefined]) {
    const { clock, requests, preview, arrive, end, told, backlog } = start();
    preview(count);
    preview(count);
    arrive(150);
    assert.equal(requests.length, 2, String(count).slice(0, 20));
    end();
    end();
    arrive(1);
    assert.deepEqual(
      told.map(({ state }) => state),
      ['receiving', 'complete'],
    );
    assert.equal(told.at(-1)?.announced, count === '2000000000' ? 2_000_000_000 : count === '0' ? 0 : null);
    await clock.advance(120_000);
    backlog.end();
    assert.equal(requests.length, 2);
  }
  const { requests, end, told } = start();
  end();
  assert.deepEqual(
    [requests.length, told.map(({ state, announced }) => [state, announced])],
    [0, [['complete', null]]],
  );
});

test('driver: a connection that has ended requests nothing more', async () => {
  const { clock, requests, preview, arrive, backlog, told } = start();
  preview('500');
  arrive(1);
  backlog.end();
  await clock.advance(120_000);
  assert.deepEqual([requests.length, clock.waiting, told.at(-1)?.state], [1, 0, 'receiving']);
});
