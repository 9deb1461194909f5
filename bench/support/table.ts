/** The table of figures in docs/performance.md, between its two marks. */
import { bars } from '../bars.ts';

const marks = ['<!-- results: written by bench:all -->', '<!-- end of results -->'] as const;

export type Results = Readonly<Record<string, number | string>>;

const wantedOf = (name: string): string => {
  const bar = bars[name];
  return bar === undefined ? '' : `${bar.better === 'more' ? 'at least' : 'at most'} ${bar.bar}`;
};

/** `memory10Mb` is `memory…Mb` at 10. */
const familyOf = (name: string): { readonly family: string; readonly at: number } | null => {
  const [, before, at, after] = /^(\D+)(\d+)(\D*)$/.exec(name) ?? [];
  return before === undefined ? null : { family: `${before}…${after}`, at: Number(at) };
};

/** Figures that there are of three and more numbers of devices. */
const familiesOf = (results: Results): Map<string, Map<number, number | string>> => {
  const all = new Map<string, Map<number, number | string>>();
  for (const [name, value] of Object.entries(results)) {
    const member = familyOf(name);
    if (member === null) continue;
    const family = all.get(member.family) ?? new Map<number, number | string>();
    all.set(member.family, family.set(member.at, value));
  }
  return new Map([...all].filter(([, members]) => members.size > 2));
};

export const rowOf = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** One row for each family, one column for each number of devices. */
const growthOf = (families: ReturnType<typeof familiesOf>): string[] => {
  const counts = [...new Set([...families.values()].flatMap((members) => [...members.keys()]))].sort((a, b) => a - b);
  if (counts.length === 0) return [];
  return [
    '',
    rowOf(['with so many devices', ...counts.map((count) => count.toLocaleString('en'))]),
    `|---${'|---'.repeat(counts.length)}|`,
    ...[...families].map(([name, members]) =>
      rowOf([`\`${name}\``, ...counts.map((count) => members.get(count) ?? '')]),
    ),
  ];
};

export const tableOf = (results: Results): string => {
  const families = familiesOf(results);
  const single = Object.entries(results).filter(([name]) => !families.has(familyOf(name)?.family ?? ''));
  return [
    '| figure | measured | to be reached |',
    '|---|---|---|',
    ...single.map(([name, value]) => rowOf([`\`${name}\``, value, wantedOf(name)])),
    ...growthOf(families),
  ].join('\n');
};

/** The text with something between the two marks of its place. Throws where there is no place for it. */
export const withPart = (text: string, [from, to]: readonly [string, string], part: string): string => {
  const [begin, end] = [text.indexOf(from), text.indexOf(to)];
  if (begin === -1 || end < begin) throw new Error(`docs/performance.md has no place for what ${from} marks`);
  return `${text.slice(0, begin + from.length)}\n\n${part}\n\n${text.slice(end)}`;
};

export const withTable = (text: string, results: Results): string => withPart(text, marks, tableOf(results));
