/** Members of a request as options and arguments: their help, and what is typed as values. */
import { usageError } from '../../mcp/client.ts';
import { recipientOf } from '../../mcp/people.ts';
import { type Arguments, listOption, type Option, textOption, timeOption, typedNames } from './command.ts';

interface Member {
  /** Its words, if they are few: `on|off`; of seconds, days: `1d|7d`. */
  readonly kind: string;
  /** Stands for null, or for an empty list. */
  readonly none?: string;
  readonly help: string;
}

export type Members = Readonly<Record<string, Member>>;

const optionName = (member: string): string =>
  (typedNames[member] ?? member).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const listHelp = (none: string | null): string =>
  `; separated by commas, or once for each${none === null ? '' : `; ${none} for an empty list`}`;

const orNone = (value: string, none: string | null): string => (none === null ? value : `${value}|${none}`);

export const optionsFor = (members: Members, positionals: readonly string[]): Record<string, Option> =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([name]) => !positionals.includes(name) && !positionals.includes(typedNames[name] ?? name))
      .map(([name, { kind, none = null, help }]) => [
        optionName(name),
        {
          type: kind === 'flag' ? 'boolean' : 'string',
          ...(kind === 'list' && { multiple: true }),
          help: kind === 'list' ? `${help}${listHelp(none)}` : help,
          ...(kind === 'number' && { value: orNone('n', none) }),
          ...(kind.includes('|') && { value: orNone(kind, none) }),
        },
      ]),
  );

/** Only for errors: it loads the data of languages, 20 to 50 ms. */
const either = (words: readonly string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words);

export const valueOf = (kind: string, name: string, text: string, none: string | null = null): unknown => {
  if (text === none) return null;
  if (kind.startsWith('on|off') && (text === 'on' || text === 'off')) return text === 'on';
  if (kind === 'text' || kind === 'on|off|text') return text;
  const own = none === null ? [] : [none];
  if (kind === 'number') {
    if (/^-?\d{1,20}(?:\.\d{1,20})?$/.test(text)) return Number(text);
    throw usageError(`${name} is ${either(['a number', ...own])}; "${text}" is not`);
  }
  const choices = [...own, ...kind.split('|')];
  if (!choices.includes(text)) throw usageError(`${name} is ${either(choices)}`);
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  return days === undefined ? text : Number(days) * 86_400;
};

export const membersOf = (members: Members, names: readonly string[], given: Arguments): Record<string, unknown> => {
  const entries = Object.entries(members).flatMap(([member, { kind, none = null }]): [string, unknown][] => {
    const index = names.indexOf(names.includes(member) ? member : (typedNames[member] ?? member));
    const name = optionName(member);
    if (kind === 'flag') return typeof given.values[name] === 'boolean' ? [[member, given.values[name]]] : [];
    if (kind === 'list') {
      const list = listOption(given, name);
      return [[member, list?.join() === none ? [] : list]];
    }
    if (kind === 'time') return [[member, timeOption(given, name)]];
    if (kind === 'recipient' && index > 0) return Object.entries(recipientOf(given.positionals[index] ?? ''));
    if (kind === 'source') return [];
    const text = index === -1 ? textOption(given, name) : given.positionals[index];
    if (text === undefined) return [];
    const typed = index === -1 ? `--${name}` : `<${names[index]}>`;
    return [[member, valueOf(kind, typed, text, none)]];
  });
  return Object.fromEntries(entries);
};
