/** The backlog arrives whole: the network delivers what waited in windows, and only to who requests the next one. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../../../src/clock.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import type { EventEnvelope } from '../../../src/domain/event.ts';
import { element, SERVER } from '../../../sandbox/src/base/nodes.ts';
import type { Recorder } from '../../../sandbox/src/base/recorder.ts';
import { handOver } from '../../../sandbox/src/server/messages/queue.ts';
import { openShell } from '../../cli/terminal.support.ts';
import { type Installation, ownerKey, startInstallation } from '../../support/installation.ts';
import { startMortal } from '../../support/mortal.ts';
import { sized } from '../../system/support/length.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, linkDevice, type Place, untilOpen } from '../steps.ts';

interface Told {
  readonly state: string;
  readonly announced: number | null;
  readonly requested: number;
  readonly received: number;
}

/** Ids of all messages that came in, in order of their events. */
const receivedIds = async ({ api }: Place, id: number): Promise<readonly string[]> => {
  const ids: string[] = [];
  let cursor = '';
  do {
    const { body } = await api.get(`/devices/${id}/events?limit=1000&types=message.received${cursor}`);
    const events = body.events as EventEnvelope[];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the interface says of this type of event
    for (const { data } of events) ids.push((data as { message: { id: string } }).message.id);
    cursor = events.length === 0 ? '' : `&after=${events.at(-1)!.id}`;
  } while (cursor !== '');
  return ids;
};

const sessionOf = async ({ api }: Place, id: number): Promise<{ reason: string | null; backlog: Told | null }> =>
  (await api.get(`/devices/${id}/session`)).body.session;

const untilBacklog = (place: Place, id: number, state: string): Promise<Told> =>
  eventually(`the backlog is ${state}`, async () => {
    const { backlog } = await sessionOf(place, id);
    return backlog?.state === state && backlog;
  });

const write = ({ phones }: Place, count: number, to = ada) => phones.write(bob, { to, text: 'waiting', count });

/** Nothing is lost, nothing comes twice, and a live message comes after it. */
const assertWhole = async (place: Place, id: number, written: readonly string[], to = ada): Promise<void> => {
  const [live] = await write(place, 1, to);
  const path = `/devices/${id}/messages/${live}`;
  await eventually(`device ${id} has the live message`, async () => (await place.api.get(path)).status === 200);
  assert.deepEqual(await receivedIds(place, id), [...written, live]);
};

describe('what waited arrives whole', () => {
  let installation: Installation;
  let id: number;
  let record: Recorder = () => undefined;
  const clock = { quick: false };
  /** Half a minute of silence, and more, is over at once where a test says so. */
  const service: Clock = {
    now: systemClock.now,
    after: (ms, run) => systemClock.after(clock.quick && ms === 60_000 ? 200 : ms, run),
  };
  const lines: string[] = [];
  const logged = (text: string): Told | undefined => {
    const line = lines.find((each) => each.includes(text));
    return line === undefined ? undefined : JSON.parse(line);
  };
  /** Received before the test. */
  let earlier: readonly string[] = [];

  before(async () => {
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    installation = await startInstallation({}, undefined, service, { record: (entry) => record(entry), log });
    await addPhones(installation);
    id = await linkDevice(installation);
  });
  afterEach(async () => {
    record = () => undefined;
    clock.quick = false;
    lines.length = 0;
    await installation.phones.faults({});
    earlier = await receivedIds(installation, id);
  });
  after(() => installation[Symbol.asyncDispose]());

  const away = async (count: number): Promise<readonly string[]> => {
    await installation.stop();
    return write(installation, count);
  };
  const back = async (): Promise<void> => {
    await installation.restart();
    await untilOpen(installation, id);
  };
  const connection = () => [...installation.hub.state.sessions.values()].find(({ device }) => device.id !== 0)!;
  const bulletin = (...attrs: Record<string, string>[]): void => {
    for (const each of attrs)
      connection().client.send(element('ib', { from: SERVER }, [element('offline_preview', each)]));
  };

  it('with a cut in the middle of each window', async () => {
    const written = await away(700);
    const cuts = [100, 300, 500];
    let handed = 0;
    record = (entry) => {
      if (entry.kind === 'login') handed = 0;
      if (entry.kind !== 'stanza' || entry.from !== 'network' || entry.node.attrs['offline'] === undefined) return;
      handed += 1;
      if (handed !== cuts[0]) return;
      cuts.shift();
      installation.hub.drop(ada);
    };
    await back();
    await eventually('all cuts', () => cuts.length === 0);
    await untilBacklog(installation, id, 'complete');
    await assertWhole(installation, id, [...earlier, ...written]);
  });

  it('where the network sends more than was requested', async () => {
    const written = await away(700);
    record = (entry) => {
      if (entry.kind !== 'stanza' || entry.from !== 'client' || entry.node.tag !== 'ib') return;
      handOver(installation.hub.state, connection(), 600);
    };
    await back();
    await untilBacklog(installation, id, 'complete');
    await assertWhole(installation, id, [...earlier, ...written]);
  });

  it('whatever the preview says, and however often the end is told', async () => {
    await back();
    const numbers = ['2000000000', '', '-5', '1e9', '9'.repeat(5_000)].map((count) => ({ count }));
    bulletin(...numbers, {});
    const told = await untilBacklog(installation, id, 'receiving');
    assert.deepEqual([told.announced === null || told.announced === 2_000_000_000, told.requested], [true, 200]);
    for (let times = 0; times < 3; times += 1)
      connection().client.send(element('ib', { from: SERVER }, [element('offline', { count: 'x' })]));
    await untilBacklog(installation, id, 'complete');
    await assertWhole(installation, id, earlier);
  });

  it('a backlog without an end is told in the session, the log, a metric and by doctor, and a restart mends it', async () => {
    await installation.phones.faults({ backlog: 'endless' });
    const written = await away(120);
    clock.quick = true;
    await back();
    const { announced, received } = await untilBacklog(installation, id, 'stalled');
    assert.ok(announced !== null && received >= 120, `${received} of ${announced}`);
    assert.match((await sessionOf(installation, id)).reason ?? '', /has not finished delivering what waited/);
    const metrics = await (await fetch(`${installation.handset.url}/metrics`)).text();
    assert.match(metrics, /^handset_backlogs_stalled_total 1$/m);
    assert.partialDeepStrictEqual(logged('has not finished delivering what waited'), {
      level: 40,
      announced,
      received,
    });
    await using shell = await openShell({ HANDSET_URL: installation.handset.url, HANDSET_KEY: ownerKey });
    const { stdout } = await shell.handset(['doctor']);
    assert.match(
      stdout,
      /^warning +device 1 .*: The network has not finished delivering what waited: \d+ of about \d+/m,
    );
    clock.quick = false;
    await installation.phones.faults({});
    await installation.api.post(`/devices/${id}/restart`, {});
    await untilBacklog(installation, id, 'complete');
    await assertWhole(installation, id, [...earlier, ...written]);
  });

  for (const count of sized([350], [350, 500, 2_000])) {
    it(`${count} messages, and the session tells what was requested`, async () => {
      const written = await away(count);
      await back();
      const { announced, requested, received } = await untilBacklog(installation, id, 'complete');
      assert.ok(announced !== null && announced >= count, `announced ${announced}`);
      assert.ok(requested >= count && requested < 3 * count, `requested ${requested}`);
      assert.ok(received >= count, `received ${received}`);
      const fact = { level: 30, announced, requested, received };
      assert.partialDeepStrictEqual(logged('what waited at the network has arrived'), fact);
      await assertWhole(installation, id, [...earlier, ...written]);
    });
  }
});

describe('what waited for several devices at once', () => {
  it('arrives whole at each', async () => {
    await using installation = await startInstallation({ HANDSET_BOOTSTRAP_DEVICE_LIMIT: '10' });
    await installation.phones.add(bob, 'Bob');
    const numbers = Array.from({ length: sized(4, 10) }, (_, index) => String(4_915_550_010_000 + index));
    const ids: number[] = [];
    for (const number of numbers) {
      await installation.phones.add(number, number);
      ids.push(await linkDevice(installation, number));
    }
    await installation.stop();
    const written = await Promise.all(numbers.map((number) => write(installation, 210, number)));
    await installation.restart();
    for (const [index, id] of ids.entries()) {
      await untilOpen(installation, id);
      await untilBacklog(installation, id, 'complete');
      await assertWhole(installation, id, written[index]!, numbers[index]);
    }
  });
});

describe('what waited while the service was killed in the middle of it', () => {
  it('arrives whole', async () => {
    await using mortal = await startMortal();
    await addPhones(mortal);
    const id = await linkDevice(mortal);
    await mortal.kill();
    const written = await write(mortal, 600);
    for (const least of [1, 250]) {
      await mortal.restart();
      await eventually(`${least} messages`, async () => (await receivedIds(mortal, id)).length >= least);
      await mortal.kill();
    }
    await mortal.restart();
    await untilOpen(mortal, id);
    await untilBacklog(mortal, id, 'complete');
    await assertWhole(mortal, id, written);
  });
});
