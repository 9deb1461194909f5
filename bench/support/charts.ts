/** The charts of growth, from the figures of `bench/results.json` at each number of devices. */
import type { Growth } from './measured.ts';
import type { Results } from './table.ts';

/** Of a figure at some number of devices: what the chart shows. */
type Shown = (value: number, devices: number) => number;

const asItIs: Shown = (value) => value;
const each: Shown = (value, devices) => value / devices;
const millisecondsEach: Shown = (seconds, devices) => (1000 * seconds) / devices;

/** A line: the figure's name with `…` for the number of devices. */
type Line = readonly [name: string, family: string, shown: Shown];
type Chart = Pick<Growth, 'title' | 'unit' | 'scale'> & { readonly lines: readonly Line[] };

const charts: Readonly<Record<string, Chart>> = {
  'growth-memory': {
    title: 'Resident memory of the process, for each device',
    unit: 'MB',
    scale: 'log',
    lines: [
      ['Handset', 'memory…Mb', each],
      ['bare sockets', 'bareMemory…Mb', each],
    ],
  },
  'growth-sends': {
    title: 'CPU time of a text, one at a time on each device',
    unit: 'ms',
    lines: [
      ['Handset', 'sendCpuMsWith…Devices', asItIs],
      ['bare sockets', 'bareSendCpuMsWith…Devices', asItIs],
    ],
  },
  'growth-receives': {
    title: 'CPU time of a received message, one at a time to each device',
    unit: 'ms',
    lines: [
      ['Handset, to the webhook', 'receiveCpuMsWith…Devices', asItIs],
      ['bare sockets', 'bareReceiveCpuMsWith…Devices', asItIs],
    ],
  },
  'growth-reconnect': {
    title: 'From the start until all are connected again, for each device',
    unit: 'ms',
    scale: 'log',
    lines: [
      ['after a stop', 'reconnect…Seconds', millisecondsEach],
      ['after a kill', 'reconnect…AfterKillSeconds', millisecondsEach],
      ['bare sockets', 'bareReconnect…Seconds', millisecondsEach],
    ],
  },
  'growth-list': {
    title: 'List of all devices, for each device',
    unit: 'ms',
    scale: 'log',
    lines: [['Handset', 'list…Ms', each]],
  },
};

/** The numbers of devices that growth was measured with. */
const sizesOf = (results: Results): number[] =>
  Object.keys(results)
    .flatMap((name) => /^memory(\d+)Mb$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

/** By the name of the chart's file. */
export const growthCharts = (results: Results): Record<string, Growth> => {
  const sizes = sizesOf(results);
  const pointsOf = ([, family, shown]: Line) =>
    sizes.flatMap((devices) => {
      const value = results[family.replace('…', String(devices))];
      return typeof value === 'number' ? [[devices, shown(value, devices)] as const] : [];
    });
  const drawn = Object.entries(charts).map(([name, { lines, ...about }]) => {
    const measured = lines.map((line) => ({ name: line[0], points: pointsOf(line) }));
    return [name, { ...about, lines: measured.filter(({ points }) => points.length > 1) }] as const;
  });
  return Object.fromEntries(drawn.filter(([, { lines }]) => lines.length > 0));
};
