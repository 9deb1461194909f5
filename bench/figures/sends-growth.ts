/** What a text costs with 1, 10 and 100 devices. */
import { compare } from '../support/compare.ts';
import { type Measured, type Scale, rounded } from '../support/measured.ts';
import { Stage, numbersFrom } from '../support/stage.ts';
import { peer, sidesOf } from '../support/texts.ts';

const counts = [1, 10, 100];

export const measure = async ({ short }: Scale): Promise<Measured> => {
  if (short) return { figures: {} };
  await using stage = await Stage.open();
  await stage.addPhones([peer]);
  const ids: number[] = [];
  const points = { ours: [] as [number, number][], bare: [] as [number, number][] };
  for (const count of counts) {
    const more = count - ids.length;
    const ours = numbersFrom(4_916_000_000_000 + ids.length, more);
    const bare = numbersFrom(4_917_000_000_000 + ids.length, more);
    await stage.addPhones([...ours, ...bare]);
    ids.push(...(await stage.connectOurs(ours)));
    await stage.connectBare(bare);
    const sides = sidesOf(stage, ids);
    const order = { count: 400, devices: count, inFlight: Math.max(1, Math.floor(64 / count)) };
    const { cpuOurs, cpuBare } = await compare(sides.ours, sides.bare, order, 2);
    points.ours.push([count, rounded(cpuOurs)]);
    points.bare.push([count, rounded(cpuBare)]);
  }
  return {
    figures: Object.fromEntries(points.ours.map(([count, ms]) => [`sendCpuMsWith${count}Devices`, ms])),
    growth: {
      'bench-send-cpu': {
        title: 'CPU time of a text',
        unit: 'ms',
        lines: [
          { name: 'POST /messages/text', points: points.ours },
          { name: 'bare Baileys socket', points: points.bare },
        ],
      },
    },
  };
};
