/** A line chart as SVG: a figure at 1, 10, 100, … devices. */
import type { Growth } from './measured.ts';

const width = 640;
const height = 320;
const margin = { left: 70, top: 50, bottom: 50 };
const colours = ['#2c7a4b', '#8a6d3b', '#31588a', '#8a3b5c'];

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Where a figure stands between the bottom (0) and the top (1), and which figures the lines of the grid are at. */
interface Axis {
  readonly share: (value: number) => number;
  readonly marks: readonly number[];
}

/** From 0 to a round number above all of them. */
const linearAxis = (values: readonly number[]): Axis => {
  const top = Math.max(...values, Number.MIN_VALUE);
  const step = 10 ** Math.floor(Math.log10(top));
  const ceiling = Math.ceil((top * 1.05) / step) * step;
  return { share: (value) => value / ceiling, marks: [0, 0.25, 0.5, 0.75, 1].map((share) => share * ceiling) };
};

/** Between the powers of ten around them. */
const logAxis = (values: readonly number[]): Axis => {
  const bottom = Math.floor(Math.log10(Math.min(...values)));
  const top = Math.max(bottom + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    share: (value) => (Math.log10(value) - bottom) / (top - bottom),
    marks: Array.from({ length: top - bottom + 1 }, (_, index) => 10 ** (bottom + index)),
  };
};

/** Room for the names of the lines, which stand behind their ends: some 6.8 a letter, which is more than fonts without serifs take. */
const roomFor = (names: readonly string[]): number =>
  Math.max(150, 20 + 6.8 * Math.max(...names.map(({ length }) => length)));

/** Names of lines that end close together, moved apart: their heights, top first. */
const apart = (heights: readonly number[], least: number): readonly number[] => {
  const order = heights.map((_, index) => index).sort((a, b) => heights[a]! - heights[b]!);
  const moved = [...heights];
  for (const [place, index] of order.entries()) {
    const above = place === 0 ? Number.NEGATIVE_INFINITY : moved[order[place - 1]!]!;
    moved[index] = Math.max(heights[index]!, above + least);
  }
  return moved;
};

export const chartOf = ({ title, unit, lines, along, scale = 'linear' }: Growth): string => {
  const points = lines.flatMap((line) => line.points);
  const right = width - roomFor(lines.map(({ name }) => name));
  const counts = [...new Set(points.map(([devices]) => devices))].sort((a, b) => a - b);
  const axis = (scale === 'log' ? logAxis : linearAxis)(points.map(([, value]) => value));
  const placed = along === undefined ? Math.log10 : (count: number) => count;
  const [first, last] = [placed(counts[0] ?? 1), placed(counts.at(-1) ?? 1)];
  const x = (count: number): number =>
    margin.left + ((placed(count) - first) / (last - first || 1)) * (right - margin.left);
  const y = (value: number): number =>
    height - margin.bottom - axis.share(value) * (height - margin.top - margin.bottom);
  const label = (at: readonly [number, number], text: string, more = ''): string =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" ${more}>${escaped(text)}</text>`;
  const grid = axis.marks.map((mark) => {
    const at = y(mark);
    const line = `<path d="M${margin.left} ${at.toFixed(1)}H${right}" stroke="#d5dbe3"/>`;
    return (
      line +
      label([margin.left - 8, at + 4], mark.toLocaleString('en', { maximumSignificantDigits: 3 }), 'text-anchor="end"')
    );
  });
  const ticks = counts.map((devices) =>
    label([x(devices), height - margin.bottom + 20], devices.toLocaleString('en'), 'text-anchor="middle"'),
  );
  const ends = apart(
    lines.map(({ points: own }) => y(own.at(-1)?.[1] ?? 0)),
    16,
  );
  const drawn = lines.map((line, index) => {
    const colour = colours[index % colours.length]!;
    const path = line.points.map(([devices, value]) => `${x(devices).toFixed(1)} ${y(value).toFixed(1)}`).join(' L');
    const dots = line.points.map(
      ([devices, value]) =>
        `<circle cx="${x(devices).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3.5" fill="${colour}"/>`,
    );
    const name = label([right + 10, ends[index]! + 4], line.name, `fill="${colour}"`);
    return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}${name}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escaped(title)}">
  <rect width="${width}" height="${height}" rx="10" fill="#ffffff"/>
  ${label([margin.left, 26], `${title} (${unit})`, 'font-size="14" font-weight="600"')}
  ${grid.join('\n  ')}
  ${ticks.join('\n  ')}
  ${label([(margin.left + right) / 2, height - 10], along ?? 'devices', 'text-anchor="middle"')}
  ${drawn.join('\n  ')}
</svg>
`;
};
