/** The tables of figures in docs/performance.md, between their two marks: what has to be reached first, then group by group. */
import { type Bar, bars, goals, isReached } from '../bars.ts';
import { type Group, type Line, groups } from './catalogue.ts';

const marks = ['<!-- results: written by bench:all -->', '<!-- end of results -->'] as const;

export type Results = Readonly<Record<string, number | string>>;

export const rowOf = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** As a reader writes numbers. */
export const shown = (value: number | string): string =>
  typeof value === 'number' ? value.toLocaleString('en', { maximumSignificantDigits: 6 }) : value;

const withUnit = (value: number | string, unit = ''): string => `${shown(value)} ${unit}`.trim();

/** `memory10Mb` is `memory…Mb` at 10. */
const familyOf = (name: string): { readonly family: string; readonly at: number } | null => {
  const [, before, at, after] = /^(\D+)(\d+)(\D*)$/.exec(name) ?? [];
  return before === undefined ? null : { family: `${before}…${after}`, at: Number(at) };
};

const lines: Group['figures'] = Object.fromEntries(groups.flatMap(({ figures }) => Object.entries(figures)));

/** What others are compared with, in the row of the other. */
const besides = new Set(Object.values(lines).map(([, , beside]) => beside));

/** What a figure is, also of one at some number of devices. */
const saidOf = (name: string): Line => {
  const own = lines[name];
  const member = familyOf(name);
  if (own !== undefined || member === null) return own ?? [`\`${name}\``];
  const [says, unit] = lines[member.family] ?? [`\`${name}\``];
  const text = `${shown(member.at)} devices: ${says}`;
  return unit === undefined ? [text] : [text, unit];
};

const wanted = { ...bars, ...goals };

const goalOf = ({ better, bar }: Bar, unit?: string): string =>
  `${better === 'more' ? 'at least' : 'at most'} ${withUnit(bar, unit)}`;

const wantedOf = (results: Results): string[] => {
  const rows = Object.entries(wanted).flatMap(([name, bar]) => {
    const value = results[name];
    if (typeof value !== 'number') return [];
    const [says, unit] = saidOf(name);
    const verdict = isReached(bar, value) ? 'reached' : '**not reached**';
    return [rowOf([says, withUnit(value, unit), goalOf(bar, unit), verdict, `\`${name}\``])];
  });
  if (rows.length === 0) return [];
  return [
    '### What has to be reached',
    '',
    rowOf(['', 'measured', 'wanted', '', 'name']),
    '|---|---|---|---|---|',
    ...rows,
  ];
};

/** Single figures, one below the other. */
const singlesOf = ({ figures, columns }: Group, results: Results): string[] => {
  const rows = Object.entries(figures).flatMap(([name, [says, unit, beside = '']]) => {
    const value = results[name];
    if (value === undefined || wanted[name] !== undefined) return [];
    const other = results[beside];
    const cells = [
      withUnit(value, unit),
      ...(columns === undefined ? [] : [other === undefined ? '' : withUnit(other, unit)]),
    ];
    return [rowOf([says, ...cells, `\`${name}\``])];
  });
  if (rows.length === 0) return [];
  const heading = ['', ...(columns ?? ['measured']), 'name'];
  return ['', rowOf(heading), `|${'---|'.repeat(heading.length)}`, ...rows];
};

/** A row for each family, a column for each number of devices. */
const familiesOf = ({ figures }: Group, results: Results): string[] => {
  const members = Object.entries(results).flatMap(([name, value]) => {
    const member = familyOf(name);
    return member === null || figures[member.family] === undefined ? [] : [{ ...member, value }];
  });
  const counts = [...new Set(members.map(({ at }) => at))].sort((a, b) => a - b);
  const rows = Object.entries(figures).flatMap(([family, [says, unit]]) => {
    const own = new Map(members.filter((member) => member.family === family).map(({ at, value }) => [at, value]));
    if (own.size === 0) return [];
    const cells = counts.map((count) => (own.has(count) ? withUnit(own.get(count)!, unit) : ''));
    return [rowOf([says, ...cells, `\`${family}\``])];
  });
  if (rows.length === 0) return [];
  const heading = ['with so many devices', ...counts.map(shown), 'name'];
  return ['', rowOf(heading), `|${'---|'.repeat(heading.length)}`, ...rows];
};

const groupOf = (group: Group, results: Results): string[] => {
  const rows = [...singlesOf(group, results), ...familiesOf(group, results)];
  if (rows.length === 0) return [];
  const load = results[group.load];
  const busy = load === undefined ? '' : `, at a load of ${shown(load)}`;
  return ['', `### ${group.title}`, '', `\`${group.command}\`${busy}.`, ...rows];
};

/** Those that nobody has said anything about; other services have a table of their own. */
const othersOf = (results: Results): string[] => {
  const known = new Set(['measured', 'node', 'cores', ...groups.map(({ load }) => load)]);
  const others = Object.entries(results).filter(
    ([name]) =>
      !known.has(name) &&
      !name.startsWith('peer') &&
      !besides.has(name) &&
      lines[name] === undefined &&
      lines[familyOf(name)?.family ?? ''] === undefined,
  );
  if (others.length === 0) return [];
  const rows = others.map(([name, value]) => rowOf([`\`${name}\``, shown(value)]));
  return ['', '### More', '', rowOf(['name', 'measured']), '|---|---|', ...rows];
};

const conditionsOf = ({ measured, node, cores }: Results): string[] =>
  measured === undefined
    ? []
    : [`The last run of \`npm run bench:all\`: ${measured}, Node ${String(node).slice(1)}, ${cores} cores.`, ''];

export const tableOf = (results: Results): string =>
  [
    ...conditionsOf(results),
    ...wantedOf(results),
    ...groups.flatMap((group) => groupOf(group, results)),
    ...othersOf(results),
  ]
    .join('\n')
    .trim();

/** The text with something between the two marks of its place. Throws where there is no place for it. */
export const withPart = (text: string, [from, to]: readonly [string, string], part: string): string => {
  const [begin, end] = [text.indexOf(from), text.indexOf(to)];
  if (begin === -1 || end < begin) throw new Error(`docs/performance.md has no place for what ${from} marks`);
  return `${text.slice(0, begin + from.length)}\n\n${part}\n\n${text.slice(end)}`;
};

export const withTable = (text: string, results: Results): string => withPart(text, marks, tableOf(results));

/** A number and the name of its figure behind it, which a reader does not see. */
const quoted = /[\d.,]*\d<!-- (\w+) -->/g;

/** The figures that a page quotes. */
export const namesIn = (text: string): string[] => [...text.matchAll(quoted)].map(([, name]) => name!);

/** The page with what was measured where it quotes it; what has not been measured stays as it is. */
export const withQuotes = (text: string, results: Results): string =>
  text.replaceAll(quoted, (whole, name: string) => {
    const value = results[name];
    return value === undefined ? whole : `${shown(value)}<!-- ${name} -->`;
  });
