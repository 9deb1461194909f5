/** A line chart as SVG: a figure at 1, 10, 100, … devices. */
import type { Growth } from './measured.ts';

const width = 640;
const height = 320;
const margin = { left: 70, right: 150, top: 50, bottom: 50 };
const colours = ['#2c7a4b', '#8a6d3b', '#31588a', '#8a3b5c'];

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A round number above all of them. */
const ceilingOf = (values: readonly number[]): number => {
  const top = Math.max(...values, Number.MIN_VALUE);
  const step = 10 ** Math.floor(Math.log10(top));
  return Math.ceil((top * 1.05) / step) * step;
};

export const chartOf = ({ title, unit, lines }: Growth): string => {
  const points = lines.flatMap((line) => line.points);
  const counts = [...new Set(points.map(([devices]) => devices))].sort((a, b) => a - b);
  const ceiling = ceilingOf(points.map(([, value]) => value));
  const [first, last] = [Math.log10(counts[0] ?? 1), Math.log10(counts.at(-1) ?? 1)];
  const x = (devices: number): number =>
    margin.left + ((Math.log10(devices) - first) / (last - first || 1)) * (width - margin.left - margin.right);
  const y = (value: number): number =>
    height - margin.bottom - (value / ceiling) * (height - margin.top - margin.bottom);
  const label = (at: readonly [number, number], text: string, more = ''): string =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" ${more}>${escaped(text)}</text>`;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = y(share * ceiling);
    const line = `<path d="M${margin.left} ${at.toFixed(1)}H${width - margin.right}" stroke="#d5dbe3"/>`;
    return (
      line + label([margin.left - 8, at + 4], String(Number((share * ceiling).toPrecision(3))), 'text-anchor="end"')
    );
  });
  const ticks = counts.map((devices) =>
    label([x(devices), height - margin.bottom + 20], devices.toLocaleString('en'), 'text-anchor="middle"'),
  );
  const drawn = lines.map((line, index) => {
    const colour = colours[index % colours.length]!;
    const path = line.points.map(([devices, value]) => `${x(devices).toFixed(1)} ${y(value).toFixed(1)}`).join(' L');
    const dots = line.points.map(
      ([devices, value]) =>
        `<circle cx="${x(devices).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3.5" fill="${colour}"/>`,
    );
    const [, end] = line.points.at(-1) ?? [1, 0];
    const name = label([width - margin.right + 10, y(end) + 4], line.name, `fill="${colour}"`);
    return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}${name}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escaped(title)}">
  <rect width="${width}" height="${height}" rx="10" fill="#ffffff"/>
  ${label([margin.left, 26], `${title} (${unit})`, 'font-size="14" font-weight="600"')}
  ${grid.join('\n  ')}
  ${ticks.join('\n  ')}
  ${label([(margin.left + width - margin.right) / 2, height - 10], 'devices', 'text-anchor="middle"')}
  ${drawn.join('\n  ')}
</svg>
`;
};
