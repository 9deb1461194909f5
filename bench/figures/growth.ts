/** Growth: memory and reconnection of one installation with 1 and with 1,000 devices, beside bare sockets. */
import { Grown } from '../support/grown.ts';
import { type Measured, type Scale, rounded } from '../support/measured.ts';

const mega = 1_048_576;

/** Figures of both at one number of devices. */
interface Pair {
  readonly ours: number;
  readonly bare: number;
}

/** Measured when all are connected and idle. */
interface Mark {
  readonly devices: number;
  /** Resident bytes. */
  readonly memory: Pair;
  readonly seconds: Pair;
  readonly afterKill: number;
}

const mark = async (grown: Grown, devices: number): Promise<Mark> => {
  const { service } = grown;
  await grown.grow(devices);
  await grown.growBare(devices);
  // The first connection of all loads what later ones reuse.
  await grown.connect();
  await service.end('SIGKILL');
  const afterKill = await grown.connect();
  await service.end('SIGTERM');
  const seconds = { ours: await grown.connect(), bare: await grown.connectBare() };
  const memory = { ours: await service.probe<number>('memory'), bare: await grown.bare.ask<number>('memory') };
  await service.end('SIGTERM');
  await grown.endBare();
  console.log(
    `  ${devices} devices: connected again in ${seconds.ours.toFixed(2)} s, ${(memory.ours / mega).toFixed(0)} MB`,
  );
  return { devices, memory, seconds, afterKill };
};

/** Without the first device, whose cost includes that of the process. */
const perDevice = (first: Mark, last: Mark): Pair => {
  const more = last.devices - first.devices;
  return {
    ours: (last.memory.ours - first.memory.ours) / more,
    bare: (last.memory.bare - first.memory.bare) / more,
  };
};

export const measure = async ({ short }: Scale): Promise<Measured> => {
  await using grown = await Grown.open();
  const first = await mark(grown, 1);
  const last = await mark(grown, short ? 120 : 1000);
  const { ours, bare } = perDevice(first, last);
  const memoryRatio = rounded(ours / bare);
  if (short) return { figures: { memoryRatio } };
  return {
    figures: {
      memoryRatio,
      memoryPerDeviceMb: rounded(ours / mega),
      bareMemoryPerSocketMb: rounded(bare / mega),
      memory1000Mb: rounded(last.memory.ours / mega),
      bareMemory1000Mb: rounded(last.memory.bare / mega),
      reconnect1000Seconds: rounded(last.seconds.ours),
      bareReconnect1000Seconds: rounded(last.seconds.bare),
      reconnect1000AfterKillSeconds: rounded(last.afterKill),
    },
  };
};
