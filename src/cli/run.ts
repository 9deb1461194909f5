/** Finds the command, parses its arguments, runs it, and maps errors to exit codes. */
import { parseArgs } from 'node:util';
import { type ClientConfig, version, withProfile } from '../config.ts';
import { nearest, nearestName } from '../domain/nearest.ts';
import { messageOf } from '../errors.ts';
import { makeClient, chooseCredentials, defaultUrl, readCredentials } from './client/client.ts';
import { type Arguments, asTyped, type Command, type Context, textOption } from './command/command.ts';
import { CommandError, exitCodes, usageError } from '../mcp/client.ts';
import { commands } from './commands.ts';
import { commandHelp, generalHelp, groupHelp } from './help/help.ts';
import { type Streams, makeOutput } from './terminal/output.ts';
import { paint } from './terminal/paint.ts';

export interface Terminal extends Streams {
  readonly readInput: () => Promise<Buffer>;
  readonly ask: (question: string) => Promise<string>;
  readonly askSecret: (question: string) => Promise<string>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** No option begins with a digit or a space: -33.9 and "- a list" are values. */
const shielded = (arg: string): string => (/^-[\d.\s]/.test(arg) ? `\0${arg}` : arg);

const plainValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plainValue);
  return typeof value === 'string' ? value.replace(/^\0/, '') : value;
};

export const parse = (command: Command, args: readonly string[]): Arguments => {
  const options = {
    ...command.options,
    json: { type: 'boolean' },
    profile: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    const { values, positionals } = parseArgs({
      args: args.map(shielded),
      options,
      allowPositionals: true,
      allowNegative: true,
    });
    return {
      positionals: positionals.map((text) => text.replace(/^\0/, '')),
      values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, plainValue(value)])),
    };
  } catch (error) {
    // Node's message continues about escaping; only its first sentence is shown.
    const [said = ''] = messageOf(error).split(/\. |\.$/);
    throw usageError(`${said.charAt(0).toLowerCase()}${said.slice(1)}; see "handset ${command.words} --help"`);
  }
};

const checkPositionals = (command: Command, given: Arguments): void => {
  const missing = command.positionals.find(
    (name, index) => !name.endsWith('?') && given.positionals[index] === undefined,
  );
  if (missing !== undefined) throw usageError(`<${missing}> is missing; see "handset ${command.words} --help"`);
  const extra = given.positionals[command.positionals.length];
  if (extra !== undefined) throw usageError(`unexpected argument "${extra}"; a text with spaces needs quotes`);
};

/** Help is always text, even with `--json`. */
const helpOut = ({ colours }: ClientConfig, terminal: Terminal) => makeOutput(terminal, { json: false, colours });

const profiled = (config: ClientConfig, given: Arguments): ClientConfig => {
  const profile = textOption(given, 'profile');
  if (profile === undefined) return config;
  try {
    return { ...config, url: null, key: null, profile, credentialsFile: withProfile(config.credentialsFile, profile) };
  } catch (error) {
    throw usageError(messageOf(error));
  }
};

/** `--profile NAME` as one word, so that NAME is not taken for a command. */
const joined = (args: readonly string[]): readonly string[] => {
  const at = args.indexOf('--profile');
  const end = args.indexOf('--');
  if (at === -1 || (end !== -1 && end < at) || args[at + 1] === undefined) return args;
  return args.toSpliced(at, 2, `--profile=${args[at + 1]}`);
};

const services = ['start', 'sandbox', 'help'];

/** Names in other programs. */
const otherWords: Readonly<Record<string, string>> = {
  version: '--version',
  whoami: 'account show',
  status: 'doctor',
  pair: 'device create',
  link: 'device create',
  serve: 'start',
};

/** Both numbers of the first word are understood: `message` and `messages`, `delivery` and `deliveries`. */
const singular = (word = ''): string => word.replace(/ies$/, 'y').replace(/s$/, '');

export const commandOf = (words: readonly string[]): Command | undefined => {
  const [first, ...rest] = words;
  return commands.find((command) => {
    const [own, ...more] = command.words.split(' ');
    const begins = own === first || (more.length > 0 && singular(own) === singular(first));
    return begins && more.every((word, index) => rest[index] === word);
  });
};

const groupOf = (first: string | undefined): readonly Command[] =>
  commands.filter(({ words }) => {
    const [own, ...more] = words.split(' ');
    return own === first || (more.length > 0 && singular(own) === singular(first));
  });

/** For an incomplete (`handset device`) or mistyped (`handset devcie list`) command. */
const unknownCommand = (words: readonly string[]): CommandError => {
  const given = words.slice(0, 2).join(' ');
  const group = groupOf(words[0]);
  if (group.length > 0) {
    const own = group.map((command) => command.words);
    if (words.length === 1) return usageError(`"${given}" needs one more word: ${own.join(', ')}`);
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
  const near = [given, first].map((text) => ({ text, ...nearest(text, names) }));
  const meant = near.find(({ text, candidate }) => text.split(' ').length === candidate.split(' ').length) ?? near[0]!;
  const hint = meant.far > 0.5 ? '' : ` did you mean "${meant.candidate}"?`;
  return usageError(`unknown command "${given}";${hint} "handset --help" lists all`);
};

const runCommand = async (raw: readonly string[], whole: ClientConfig, terminal: Terminal): Promise<void> => {
  const args = joined(raw);
  const all = args.filter((arg) => !arg.startsWith('-'));
  const words = all[0] === 'help' ? all.slice(1) : all;
  const wantsHelp = all[0] === 'help' || args.includes('--help') || args.includes('-h');
  if (all.length === 0 && (args[0] === '--version' || args[0] === '-v')) {
    helpOut(whole, terminal).line(version);
    return;
  }
  if (words.length === 0) {
    if (args.length > 0 && !wantsHelp) throw usageError(`unknown option ${args[0]}`);
    helpOut(whole, terminal).line(...generalHelp(commands));
    return;
  }
  const command = commandOf(words);
  if (wantsHelp && (command !== undefined || (words.length === 1 && groupOf(words[0]).length > 0))) {
    const help = command === undefined ? groupHelp(words[0]!, groupOf(words[0])) : commandHelp(command);
    helpOut(whole, terminal).line(...help);
    return;
  }
  if (command === undefined) throw unknownCommand(words);
  const length = command.words.split(' ').length;
  // Options may precede the words, so only the words themselves are removed.
  const own = words.slice(0, length);
  const rest = args.filter((arg) => arg !== own[0] || own.shift() === undefined);
  const given = parse(command, rest);
  checkPositionals(command, given);
  const config = profiled(whole, given);
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
  await command.run(context, given).catch((error: unknown) => {
    throw error instanceof CommandError ? new CommandError(asTyped(command, error.message), error.exitCode) : error;
  });
};

export const run = async (args: readonly string[], config: ClientConfig, terminal: Terminal): Promise<number> => {
  try {
    await runCommand(args, config, terminal);
    return exitCodes.ok;
  } catch (error) {
    // Ctrl-C is the normal end of a command that follows.
    if (terminal.signal.aborted) return exitCodes.ok;
    // Parsing may have failed, so `--json` is looked for in the raw arguments.
    const out = makeOutput(terminal, { json: args.includes('--json'), colours: config.colours });
    out.note(paint('bad', 'handset:'), ` ${messageOf(error)}`);
    return error instanceof CommandError ? error.exitCode : exitCodes.refused;
  }
};
