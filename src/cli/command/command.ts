/** A command: its words, options and code, and how it reads what was typed. */
import type { ParseArgsOptionDescriptor } from 'node:util';
import type { ClientConfig } from '../../config.ts';
import type { Client } from '../client/client.ts';
import { usageError } from '../client/failure.ts';
import type { Output } from '../terminal/output.ts';

export const proxyHelp =
  'URL of the proxy of the device (http, https or socks5), with its user name and password; or ask, to type it unseen';

export const proxyOf = async (
  { askSecret }: Pick<Context, 'askSecret'>,
  given: Arguments,
): Promise<string | undefined> => {
  const text = textOption(given, 'proxy');
  return text === 'ask' ? (await askSecret('URL of the proxy: ')).trim() : text;
};

export interface Arguments {
  /** Exactly the positionals that `Command.positionals` names; a `?` one may be undefined. */
  readonly positionals: readonly (string | undefined)[];
  readonly values: Readonly<Record<string, unknown>>;
}

export interface Context {
  readonly config: ClientConfig;
  /** The service, with the key of the login. Throws CommandError when there is no key. */
  readonly client: () => Client;
  /** The operator's interface. Throws CommandError when there is no admin token. */
  readonly admin: () => Client;
  /** The phones of the sandbox, with the key of the login; without a sandbox its calls throw CommandError. */
  readonly phones: () => Client;
  readonly out: Output;
  /** Standard input, to its end. */
  readonly readInput: () => Promise<Buffer>;
  /** Asks for one line. */
  readonly ask: (question: string) => Promise<string>;
  /** Asks for one line that is not shown. */
  readonly askSecret: (question: string) => Promise<string>;
  /** Between two questions to the service about one and the same thing; ends with the signal. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Option extends ParseArgsOptionDescriptor {
  readonly help: string;
}

export interface Command {
  /** `device create` */
  readonly words: string;
  readonly summary: string;
  /** In order; one that ends in `?` may be left out. */
  readonly positionals: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** Needs no kept key, and works when the file that keeps it is broken. */
  readonly anonymous?: true;
  readonly run: (context: Context, given: Arguments) => Promise<void>;
}

/** A text option that was given. */
export const textOption = (given: Arguments, name: string): string | undefined => {
  const value = given.values[name];
  return typeof value === 'string' ? value : undefined;
};

/** An option that was given any number of times; undefined: not at all. */
export const textsOption = (given: Arguments, name: string): readonly string[] | undefined => {
  const value = given.values[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;
};

/** An option that is `on` or `off`. */
export const switchOption = (given: Arguments, name: string): boolean | undefined => {
  const text = textOption(given, name);
  if (text === undefined) return undefined;
  if (text !== 'on' && text !== 'off') throw usageError(`--${name} is on or off`);
  return text === 'on';
};

export const flagOption = (given: Arguments, name: string): boolean => given.values[name] === true;

/** The positional at `index`, which the command requires. */
export const positional = (given: Arguments, index: number): string => given.positionals[index] ?? '';

/** A device id, as the path of the interface takes it. */
export const deviceId = (given: Arguments, index = 0): number => {
  const text = positional(given, index);
  if (!/^\d{1,15}$/.test(text))
    throw usageError(`a device id is a number, as "handset device list" shows it; "${text}" is not`);
  return Number(text);
};

/** Options of a list that is read page by page. */
export const pageOptions = {
  limit: { type: 'string', help: 'at most this many, 1 to 1000; 100 by default' },
  cursor: { type: 'string', help: 'continue after an earlier page' },
} as const;

export const searchOptions = {
  ...pageOptions,
  q: { type: 'string', help: 'only those whose name or number contains this' },
} as const;

/** The options of these names as a query string. */
export const queryOf = (given: Arguments, names: readonly string[]): string => {
  const query = new URLSearchParams();
  for (const name of names) {
    const value = textOption(given, name);
    if (value !== undefined) query.set(name, value);
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
};

/** Says how to read the next page. */
export const noteNext = ({ out }: Context, nextCursor: string | null): void => {
  if (nextCursor !== null) out.note(`More: --cursor ${nextCursor}`);
};
