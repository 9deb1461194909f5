/** Finds the command that the words name, parses the rest for it, runs it, and turns what it throws into an exit code. */
import { parseArgs } from 'node:util';
import type { ClientConfig } from '../config.ts';
import { messageOf } from '../errors.ts';
import { makeClient } from './client.ts';
import type { Arguments, Command, Context } from './command.ts';
import { CommandError, exitCodes, usageError } from './failure.ts';
import { commands } from './commands.ts';
import { chooseCredentials, defaultUrl, readCredentials } from './credentials.ts';
import { commandHelp, generalHelp } from './help.ts';
import { type Streams, makeOutput } from './output.ts';
import { paint } from './paint.ts';

export interface Terminal extends Streams {
  readonly readInput: () => Promise<Buffer>;
  readonly ask: (question: string) => Promise<string>;
  readonly askSecret: (question: string) => Promise<string>;
  /** Waits between two questions to the service; ends with the signal. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
}

const find = (words: readonly string[]): Command | undefined =>
  commands.find((command) => command.words.split(' ').every((word, index) => words[index] === word));

/** A word that was begun: `handset device` and `handset device creat`. */
const unknownCommand = (words: readonly string[]): CommandError => {
  const group = commands.filter((command) => command.words.split(' ')[0] === words[0]).map(({ words: name }) => name);
  const advice = group.length > 0 ? `there are: ${group.join(', ')}` : '"handset --help" lists what there is';
  return usageError(`unknown command "${words.slice(0, 2).join(' ')}"; ${advice}`);
};

const parse = (command: Command, args: readonly string[]): Arguments & { readonly help: boolean } => {
  const options = { ...command.options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      allowNegative: true,
    });
    return { positionals, values: { ...values }, help: values.help === true };
  } catch (error) {
    throw usageError(messageOf(error));
  }
};

const checkPositionals = (command: Command, given: Arguments): void => {
  const missing = command.positionals.find(
    (name, index) => !name.endsWith('?') && given.positionals[index] === undefined,
  );
  if (missing !== undefined) throw usageError(`<${missing}> is missing; see "handset ${command.words} --help"`);
  const extra = given.positionals[command.positionals.length];
  if (extra !== undefined) throw usageError(`"${extra}" is one argument too many`);
};

/** Help is text, whatever else was asked for. */
const helpOut = ({ colours }: ClientConfig, terminal: Terminal) => makeOutput(terminal, { json: false, colours });

const runCommand = async (args: readonly string[], config: ClientConfig, terminal: Terminal): Promise<void> => {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const wantsHelp = args.includes('--help') || args.includes('-h');
  if (words.length === 0 || words[0] === 'help') {
    if (args.length > 0 && !wantsHelp && words[0] !== 'help') throw usageError(`unknown option ${args[0]}`);
    helpOut(config, terminal).line(...generalHelp(commands));
    return;
  }
  const command = find(words);
  if (command === undefined) throw unknownCommand(words);
  const length = command.words.split(' ').length;
  // Options may stand before the words as well: only the words themselves are taken out.
  const own = words.slice(0, length);
  const rest = args.filter((arg) => arg !== own[0] || own.shift() === undefined);
  const given = parse(command, rest);
  if (given.help) {
    helpOut(config, terminal).line(...commandHelp(command));
    return;
  }
  checkPositionals(command, given);
  const stored = command.anonymous === true ? null : await readCredentials(config.credentialsFile);
  const context: Context = {
    config,
    out: makeOutput(terminal, { json: given.values['json'] === true, colours: config.colours }),
    readInput: terminal.readInput,
    ask: terminal.ask,
    askSecret: terminal.askSecret,
    sleep: terminal.sleep,
    signal: terminal.signal,
    admin: () => {
      const url = config.url ?? stored?.url ?? defaultUrl;
      if (config.adminToken === null) {
        const message = `no admin token for ${url}: set HANDSET_ADMIN_TOKEN, here and where the service runs`;
        throw new CommandError(message, exitCodes.unauthorized);
      }
      return makeClient(url, config.adminToken, terminal.signal, '/admin/v1');
    },
    phones: () => {
      const { url, key } = chooseCredentials(config, stored);
      return makeClient(url, key, terminal.signal, '/sandbox');
    },
    client: () => {
      const { url, key } = chooseCredentials(config, stored);
      return makeClient(url, key, terminal.signal);
    },
  };
  await command.run(context, given);
};

/** The exit code. Never throws. */
export const run = async (args: readonly string[], config: ClientConfig, terminal: Terminal): Promise<number> => {
  try {
    await runCommand(args, config, terminal);
    return exitCodes.ok;
  } catch (error) {
    // Ctrl-C is how a command that follows is ended.
    if (terminal.signal.aborted) return exitCodes.ok;
    // As what is said with --json, too, where that was among the words: it is for a program then.
    const out = makeOutput(terminal, { json: args.includes('--json'), colours: config.colours });
    out.note(paint('bad', 'handset:'), ` ${messageOf(error)}`);
    return error instanceof CommandError ? error.exitCode : exitCodes.refused;
  }
};
