/** Memory: an idle connected device against an idle bare Baileys socket that keeps its keys in memory. */
import { type Measured, type Scale, rounded } from '../support/measured.ts';
import { Stage, numbersFrom } from '../support/stage.ts';

const mega = 1_048_576;

const memoryOf = async (stage: Stage) => ({
  ours: await stage.ours.ask<number>('memory'),
  bare: await stage.bare.ask<number>('memory'),
});

export const measure = async ({ short }: Scale): Promise<Measured> => {
  await using stage = await Stage.open();
  // Each step: how many devices more. What the first one brings with it is the process's, and not a device's.
  const steps = short ? [1, 19] : [1, 9, 40];
  const marks: { devices: number; ours: number; bare: number }[] = [];
  let devices = 0;
  for (const step of steps) {
    const ours = numbersFrom(4_916_000_000_000 + devices, step);
    const bare = numbersFrom(4_917_000_000_000 + devices, step);
    await stage.addPhones([...ours, ...bare]);
    await stage.connectOurs(ours);
    await stage.connectBare(bare);
    devices += step;
    marks.push({ devices, ...(await memoryOf(stage)) });
  }
  const [first, last] = [marks[0]!, marks.at(-1)!];
  const perDevice = (name: 'ours' | 'bare', to = last): number =>
    (to[name] - first[name]) / (to.devices - first.devices) / mega;
  const figures = {
    memoryRatio: rounded(perDevice('ours') / perDevice('bare')),
    memoryDevices: last.devices,
    memoryPerDeviceMb: rounded(perDevice('ours')),
    bareMemoryPerSocketMb: rounded(perDevice('bare')),
    memoryProcessMb: rounded(last.ours / mega),
    bareMemoryProcessMb: rounded(last.bare / mega),
  };
  if (short) return { figures };
  const points = (name: 'ours' | 'bare') => marks.map((mark) => [mark.devices, mark[name] / mega] as const);
  return {
    figures,
    growth: {
      memory: {
        title: 'Resident memory of the process, by connected devices',
        unit: 'MB',
        lines: [
          { name: 'Handset', points: points('ours') },
          { name: 'bare Baileys sockets', points: points('bare') },
        ],
      },
    },
  };
};
