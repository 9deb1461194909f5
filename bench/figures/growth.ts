/** Growth: what a device costs where there are 1, 10, 100 and 1,000 of them, in one installation that grows, beside bare sockets. */
import { type Burst, arrivingSide, heardBy } from '../support/arrivals.ts';
import { type Child, startChild } from '../support/child.ts';
import { type Side, compare, inLines } from '../support/compare.ts';
import { Grown } from '../support/grown.ts';
import { type Measured, type Scale, median, rounded } from '../support/measured.ts';
import { apiKey } from '../support/settings.ts';
import { numbersFrom } from '../support/stage.ts';

const mega = 1_048_576;
const peers = numbersFrom(4_915_000_000_000, 8);
const peerOf = (index: number): string => peers[index % peers.length]!;

/** Of both, at one number of devices. */
interface Pair {
  readonly ours: number;
  readonly bare: number;
}

interface Mark {
  readonly devices: number;
  /** Resident bytes, idle. */
  readonly memory: Pair;
  readonly afterKill: number;
  /** Seconds until all are connected again. */
  readonly connected: Pair;
  /** CPU seconds until then. */
  readonly connectCpu: number;
  /** ms of a list of all. */
  readonly list: number;
  /** CPU milliseconds of a text, and of a received message. */
  readonly text: Pair;
  readonly received: Pair;
}

const listMs = async ({ requests, service }: Grown): Promise<number> => {
  const times: number[] = [];
  for (let n = 0; n < 31; n += 1) {
    const began = performance.now();
    await requests.ask('GET', `${service.url}/v1/devices?limit=1000`, undefined, apiKey);
    times.push(performance.now() - began);
  }
  return median(times);
};

/** Each device has one text under way at a time, as a queue before it would. */
const texts = async (grown: Grown, devices: number): Promise<Pair> => {
  const { requests, service, bare } = grown;
  const ids = await grown.ids();
  const to = ids.map((_, index) => `${peerOf(index)}@s.whatsapp.net`);
  const text = (line: number): Promise<unknown> => {
    const body = { toNumber: peerOf(line), message: `text of ${line}` };
    return requests.post(`${service.url}/v1/devices/${ids[line]!}/messages/text`, body, apiKey);
  };
  const ours: Side<{ count: number }> = {
    work: ({ count }) => inLines(count, devices, text),
    cpu: () => service.probe('cpu'),
  };
  const bareSide: Side<{ count: number }> = {
    work: ({ count }) => bare.ask('send', { count, devices, inFlight: 1, to }),
    cpu: () => bare.ask('cpu'),
  };
  // Half of it warms up, and each device writes to its peer in there for the first time.
  const { cpuOurs, cpuBare } = await compare(
    ours,
    bareSide,
    { count: Math.max(200, 2 * devices) },
    devices < 1000 ? 2 : 1,
  );
  return { ours: cpuOurs, bare: cpuBare };
};

/** To each device one message at a time, and the next when all have come. */
const receives = async (grown: Grown, receiver: Child, devices: number): Promise<Pair> => {
  const { requests, service, bare, place } = grown;
  const writersOf = (index: number): string[] => [peerOf(index)];
  await bare.ask('listen');
  const times = Math.min(100, Math.ceil(400 / devices));
  const order: Burst = { count: times * devices, times };
  const { cpuOurs, cpuBare } = await compare(
    arrivingSide(
      requests,
      place.controlUrl,
      { numbers: grown.numbers, writersOf, heard: heardBy(receiver) },
      { cpu: () => service.probe('cpu') },
    ),
    arrivingSide(
      requests,
      place.controlUrl,
      { numbers: grown.bareNumbers, writersOf, heard: heardBy(bare) },
      { cpu: () => bare.ask('cpu') },
    ),
    order,
    2,
  );
  return { ours: cpuOurs, bare: cpuBare };
};

const grownTo = async (grown: Grown, devices: number): Promise<void> => {
  await grown.grow(devices);
  await grown.growBare(devices);
  // The first connection of all fetches what a later one has.
  await grown.connect();
};

const idle = async ({ service, bare }: Grown): Promise<Pair> => ({
  ours: await service.probe<number>('memory'),
  bare: await bare.ask<number>('memory'),
});

const mark = async (grown: Grown, receiver: Child, devices: number): Promise<Mark> => {
  const { service } = grown;
  await grownTo(grown, devices);
  await service.end('SIGKILL');
  const afterKill = await grown.connect();
  await service.end('SIGTERM');
  const ours = await grown.connect();
  const connectCpu = service.cpuSeconds;
  const connected = { ours, bare: await grown.connectBare() };
  const memory = await idle(grown);
  const list = await listMs(grown);
  const text = await texts(grown, devices);
  const received = await receives(grown, receiver, devices);
  await service.end('SIGTERM');
  await grown.endBare();
  return { devices, memory, afterKill, connected, connectCpu, list, text, received };
};

/** Bytes a device, without what the first one brings with it, which is the process's. */
const perDevice = (first: Pair, last: Pair, more: number): Pair => ({
  ours: (last.ours - first.ours) / more,
  bare: (last.bare - first.bare) / more,
});

const memoryFigures = (first: Pair, last: Pair, devices: number): Record<string, number> => {
  const { ours, bare } = perDevice(first, last, devices - 1);
  return {
    memoryRatio: rounded(ours / bare),
    memoryDevices: devices,
    memoryPerDeviceMb: rounded(ours / mega),
    bareMemoryPerSocketMb: rounded(bare / mega),
  };
};

const figuresOf = (marks: readonly Mark[]): Record<string, number> => {
  const [first, last] = [marks[0]!, marks.at(-1)!];
  const figures = memoryFigures(first.memory, last.memory, last.devices);
  for (const { devices, memory, ...at } of marks) {
    figures[`memory${devices}Mb`] = rounded(memory.ours / mega);
    figures[`bareMemory${devices}Mb`] = rounded(memory.bare / mega);
    figures[`reconnect${devices}Seconds`] = rounded(at.connected.ours);
    figures[`reconnect${devices}AfterKillSeconds`] = rounded(at.afterKill);
    figures[`reconnect${devices}CpuSeconds`] = rounded(at.connectCpu);
    figures[`bareReconnect${devices}Seconds`] = rounded(at.connected.bare);
    figures[`list${devices}Ms`] = rounded(at.list);
    figures[`sendCpuMsWith${devices}Devices`] = rounded(at.text.ours);
    figures[`bareSendCpuMsWith${devices}Devices`] = rounded(at.text.bare);
    figures[`receiveCpuMsWith${devices}Devices`] = rounded(at.received.ours);
    figures[`bareReceiveCpuMsWith${devices}Devices`] = rounded(at.received.bare);
  }
  return figures;
};

/** Only what a device keeps in memory, with fewer of them. */
const shortMemory = async (grown: Grown): Promise<Record<string, number>> => {
  const few = [1, 120] as const;
  const marks: Pair[] = [];
  for (const devices of few) {
    await grownTo(grown, devices);
    await grown.connectBare();
    marks.push(await idle(grown));
    await grown.service.end('SIGTERM');
    await grown.endBare();
  }
  return memoryFigures(marks[0]!, marks[1]!, few[1]);
};

export const measure = async ({ short, sizes }: Scale): Promise<Measured> => {
  const receiver = startChild('webhooks/receiver.ts');
  try {
    await using grown = await Grown.open(await receiver.ask<string>('start'));
    await grown.requests.addPhones(grown.place.controlUrl, peers);
    if (short) return { figures: await shortMemory(grown) };
    const marks: Mark[] = [];
    for (const devices of sizes) {
      const began = performance.now();
      marks.push(await mark(grown, receiver, devices));
      console.log(`  with ${devices} devices: measured in ${((performance.now() - began) / 1000).toFixed(0)} s`);
    }
    return { figures: figuresOf(marks) };
  } finally {
    await receiver.stop();
  }
};
