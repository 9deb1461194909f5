/** Finds the command named on the command line, and suggests one if there is none. */
import { nearestName } from '../domain/nearest.ts';
import type { Command } from './command/command.ts';
import { commands } from './commands.ts';
import { type CommandError, usageError } from '../mcp/failure.ts';

const services = ['start', 'sandbox', 'help'];

/** What other programs call it. */
const otherWords: Readonly<Record<string, string>> = {
  version: '--version',
  whoami: 'account show',
  status: 'doctor',
  pair: 'device create',
  link: 'device create',
  serve: 'start',
};

/** Both numbers of a first word are understood: `message` and `messages`, `delivery` and `deliveries`. */
const singular = (word = ''): string => word.replace(/ies$/, 'y').replace(/s$/, '');

export const commandOf = (words: readonly string[]): Command | undefined => {
  const [first, ...rest] = words;
  return commands.find((command) => {
    const [own, ...more] = command.words.split(' ');
    const begins = own === first || (more.length > 0 && singular(own) === singular(first));
    return begins && more.every((word, index) => rest[index] === word);
  });
};

export const groupOf = (first: string | undefined): readonly Command[] =>
  commands.filter(({ words }) => {
    const [own, ...more] = words.split(' ');
    return own === first || (more.length > 0 && singular(own) === singular(first));
  });

/** For an incomplete (`handset device`) or mistyped (`handset devcie list`) command. */
export const unknownCommand = (words: readonly string[]): CommandError => {
  const given = words.slice(0, 2).join(' ');
  const group = groupOf(words[0]);
  if (group.length > 0) {
    const own = group.map((command) => command.words);
    if (words.length === 1) return usageError(`unknown command "${given}"; there are: ${own.join(', ')}`);
    return usageError(
      `unknown command "${given}"; did you mean "${nearestName(given, own)}"? "handset ${words[0]} --help" lists all`,
    );
  }
  const [first = ''] = words;
  const other = otherWords[first] ?? commands.find((command) => command.words.endsWith(` ${first}`))?.words;
  if (other !== undefined)
    return usageError(`unknown command "${given}"; did you mean "${other}"? "handset --help" lists all`);
  const names = [...commands.map((command) => command.words), ...services];
  // After a command of one word, the next word is an argument.
  const near = [given, words[0] ?? ''].map((text) => ({ text, name: nearestName(text, names) }));
  const meant = near.find(({ text, name }) => text.split(' ').length === name.split(' ').length)?.name ?? near[0]!.name;
  return usageError(`unknown command "${given}"; did you mean "${meant}"? "handset --help" lists all`);
};
