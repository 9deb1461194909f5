/** Status posts that a client does not acknowledge, on a clock of the test's own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import type { Clock } from '../../../sandbox/src/base/clock.ts';
import { makeHub } from '../../../sandbox/src/server/hub.ts';
import { childOf, element } from '../../../sandbox/src/base/nodes.ts';
import { makeDevice } from '../../../sandbox/src/server/accounts/accounts.ts';

interface Alarm {
  readonly at: number;
  readonly run: () => void;
}

const testClock = () => {
  let now = 1_800_000_000_000;
  let alarms: Alarm[] = [];
  const clock: Clock = {
    now: () => now,
    after(ms, run) {
      const alarm = { at: now + ms, run };
      alarms.push(alarm);
      return { cancel: () => void (alarms = alarms.filter((each) => each !== alarm)) };
    },
  };
  const advance = (ms: number): void => {
    now += ms;
    const due = alarms.filter(({ at }) => at <= now);
    alarms = alarms.filter(({ at }) => at > now);
    for (const { run } of due) run();
  };
  return { clock, advance };
};

const minuteMs = 60_000;
const status: BinaryNode = {
  tag: 'message',
  attrs: { id: 'S1', to: 'status@broadcast', type: 'text' },
  content: [
    { tag: 'participants', attrs: {}, content: [{ tag: 'to', attrs: { jid: '4915170000001:1@s.whatsapp.net' } }] },
    { tag: 'enc', attrs: { v: '2', type: 'skmsg' }, content: Buffer.from('sealed') },
  ],
};

const rig = () => {
  const { clock, advance } = testClock();
  const hub = makeHub({ clock, mediaHost: () => '127.0.0.1:9' });
  const ada = hub.createAccount('4915170000001', 'Ada');
  const bob = hub.createAccount('4915170000002', 'Bob');
  const companion = makeDevice(ada, 1, {
    keyIndex: 1,
    linkedAt: clock.now(),
    platform: null,
    noiseKey: null,
    keys: null,
  });
  ada.devices.set(1, companion);
  const connect = () => {
    const got: BinaryNode[] = [];
    let last: BinaryNode | undefined;
    let closed = false;
    const client = {
      send(node: BinaryNode) {
        got.push(node);
        if (childOf(node, 'offline_preview') !== undefined)
          hub.receive(companion, element('ib', {}, [element('offline_batch', { count: '100' })]));
      },
      close(node?: BinaryNode) {
        [closed, last] = [true, node];
        hub.detach(companion, client);
      },
    };
    hub.attach(companion, client);
    return {
      statuses: () => got.filter(({ attrs }) => attrs.id === 'S1'),
      ack: (tag: string) => {
        const attrs = { id: 'S1', to: 'status@broadcast', class: tag, participant: bob.jid };
        hub.receive(companion, { tag: 'ack', attrs });
      },
      closed: () => closed,
      last: () => last,
    };
  };
  return { hub, bob, advance, connect, post: () => hub.receive(bob.devices.get(0)!, status) };
};

test('a status that is not acked ends the stream after 50 minutes, and comes again 25 times', () => {
  const { advance, connect, post, bob } = rig();
  const first = connect();
  post();
  const [stanza] = first.statuses();
  assert.equal(stanza?.tag, 'status');
  assert.equal(stanza.attrs.from, 'status@broadcast');
  assert.equal(stanza.attrs.participant, bob.lid);
  advance(49 * minuteMs);
  assert.equal(first.closed(), false);
  advance(minuteMs);
  assert.deepEqual(first.last()?.content, [{ tag: 'ack', attrs: { class: 'status', id: 'S1', type: 'text' } }]);
  for (let delivery = 2; delivery <= 25; delivery += 1) {
    const again = connect();
    assert.equal(again.statuses().length, 1, `delivery ${delivery}`);
    advance(50 * minuteMs);
    assert.equal(again.closed(), true);
  }
  const after = connect();
  assert.equal(after.statuses().length, 0);
});

test('a status that is acked with its class is done; another class does not count', () => {
  const { advance, connect, post } = rig();
  const client = connect();
  post();
  client.ack('message');
  client.ack('status');
  advance(60 * minuteMs);
  assert.equal(client.closed(), false);
  const wrong = connect();
  post();
  wrong.ack('message');
  advance(60 * minuteMs);
  assert.equal(wrong.closed(), true);
});

test('a status comes as a message where that is asked for', () => {
  const { hub, connect, post } = rig();
  const client = connect();
  hub.setFaults({ statusAs: 'message' });
  post();
  assert.equal(client.statuses()[0]?.tag, 'message');
});
