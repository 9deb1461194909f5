/** The table of figures in docs/performance.md, between its two marks. */
import { bars } from '../bars.ts';

const begin = '<!-- results: written by bench:all -->';
const end = '<!-- end of results -->';

export type Results = Readonly<Record<string, number | string>>;

const wantedOf = (name: string): string => {
  const bar = bars[name];
  return bar === undefined ? '' : `${bar.better === 'more' ? 'at least' : 'at most'} ${bar.bar}`;
};

export const tableOf = (results: Results): string =>
  [
    '| figure | measured | to be reached |',
    '|---|---|---|',
    ...Object.entries(results).map(([name, value]) => `| \`${name}\` | ${value} | ${wantedOf(name)} |`),
  ].join('\n');

/** The text with the table in its place. Throws where there is no place for it. */
export const withTable = (text: string, results: Results): string => {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new Error('docs/performance.md has no marks for the table of results');
  return `${text.slice(0, from + begin.length)}\n\n${tableOf(results)}\n\n${text.slice(to)}`;
};
