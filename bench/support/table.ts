/** The table of figures in docs/internals/performance.md, between its markers, and figures quoted by pages. */
import { bars, goals, isReached } from '../bars.ts';
import { catalogue } from './catalogue.ts';

const from = '<!-- results: written by bench:all -->';
const to = '<!-- end of results -->';

export type Results = Readonly<Record<string, number | string>>;

/** Formats a number for readers. */
export const shown = (value: number | string): string =>
  typeof value === 'number' ? value.toLocaleString('en', { maximumSignificantDigits: 6 }) : value;

const withUnit = (value: number | string | undefined, unit = ''): string =>
  value === undefined ? '' : `${shown(value)} ${unit}`.trim();

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const barOf = (name: string, value: number | string, unit?: string): string => {
  const bar = bars[name] ?? goals[name];
  if (bar === undefined) return '';
  const wanted = `${bar.better === 'more' ? '≥' : '≤'} ${withUnit(bar.bar, unit)}`;
  return isReached(bar, Number(value)) ? wanted : `${wanted}, **missed**`;
};

export const tableOf = (results: Results): string => {
  const { measured, node, cores, load } = results;
  const rows = Object.entries(catalogue).flatMap(([name, [says, unit, beside = '']]) => {
    const value = results[name];
    if (value === undefined) return [];
    return [
      rowOf([says, withUnit(value, unit), withUnit(results[beside], unit), barOf(name, value, unit), `\`${name}\``]),
    ];
  });
  return [
    `Measured on ${measured}, Node ${String(node).slice(1)}, ${cores} cores, at a load of ${load}.`,
    '',
    rowOf(['', 'Handset', 'bare sockets', 'bar', 'name']),
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
};

/** Inserts the table into the page. Throws without its markers. */
export const withTable = (text: string, results: Results): string => {
  const [begin, end] = [text.indexOf(from), text.indexOf(to)];
  if (begin === -1 || end < begin) throw new Error(`docs/internals/performance.md has no place for what ${from} marks`);
  return `${text.slice(0, begin + from.length)}\n\n${tableOf(results)}\n\n${text.slice(end)}`;
};

/** A number followed by the name of its figure in an invisible comment. */
const quoted = /[\d.,]*\d<!-- (\w+) -->/g;

/** Names of the figures quoted by a page. */
export const namesIn = (text: string): string[] => [...text.matchAll(quoted)].map(([, name]) => name!);

/** Updates the quotes of measured figures. */
export const withQuotes = (text: string, results: Results): string =>
  text.replaceAll(quoted, (whole, name: string) => {
    const value = results[name];
    return value === undefined ? whole : `${shown(value)}<!-- ${name} -->`;
  });
