/** Which command the words of a command line name, and what is said when they name none. */
import { nearestName } from '../../domain/nearest.ts';
import type { Command } from '../command.ts';
import { commands } from '../commands.ts';
import { type CommandError, usageError } from '../failure.ts';

/** Commands that `handset.ts` runs itself, before those of clients. */
const services = ['serve', 'sandbox', 'help'];

export const commandOf = (words: readonly string[]): Command | undefined =>
  commands.find((command) => command.words.split(' ').every((word, index) => words[index] === word));

/** `device` for `device create`, `device list` and the others; empty for a word that begins no command. */
export const groupOf = (first: string | undefined): readonly Command[] =>
  commands.filter(({ words }) => words.split(' ')[0] === first);

/** A word that was begun (`handset device`), or mistyped (`handset devcie list`). */
export const unknownCommand = (words: readonly string[]): CommandError => {
  const given = words.slice(0, 2).join(' ');
  const group = groupOf(words[0]);
  if (group.length > 0) {
    return usageError(`unknown command "${given}"; there are: ${group.map((command) => command.words).join(', ')}`);
  }
  const names = [...commands.map((command) => command.words), ...services];
  // Of commands of one word what follows is an argument.
  const near = [given, words[0] ?? ''].map((text) => ({ text, name: nearestName(text, names) }));
  const meant = near.find(({ text, name }) => text.split(' ').length === name.split(' ').length)?.name ?? near[0]!.name;
  return usageError(`unknown command "${given}"; did you mean "${meant}"? "handset --help" lists all`);
};
