/** A command: its words, options and code, and helpers to read its arguments. */
import { open, rm } from 'node:fs/promises';
import type { ParseArgsOptionDescriptor } from 'node:util';
import type { ClientConfig } from '../../config.ts';
import { plainNumber } from '../../domain/typed-number.ts';
import { type Client, usageError } from '../../mcp/client.ts';
import type { ServiceClient } from '../client/client.ts';
import { type Output, bytesOf } from '../terminal/output.ts';

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
  readonly positionals: readonly (string | undefined)[];
  readonly values: Readonly<Record<string, unknown>>;
}

export interface Context {
  readonly config: ClientConfig;
  readonly client: () => ServiceClient;
  readonly admin: () => Client;
  readonly phones: () => Client;
  readonly out: Output;
  readonly readInput: () => Promise<Buffer>;
  readonly ask: (question: string) => Promise<string>;
  readonly askSecret: (question: string) => Promise<string>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface Option extends ParseArgsOptionDescriptor {
  readonly help: string;
  /** What stands for its value in the help; default: by its name. */
  readonly value?: string;
}

export interface Command {
  readonly words: string;
  readonly summary: string;
  readonly positionals: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  readonly anonymous?: true;
  readonly run: (context: Context, given: Arguments) => Promise<void>;
}

export const textOption = (given: Arguments, name: string): string | undefined => {
  const value = given.values[name];
  return typeof value === 'string' ? value : undefined;
};

export const numberOption = (given: Arguments, name: string): string | undefined => {
  const text = textOption(given, name);
  return text === undefined ? undefined : plainNumber(text);
};

export const textsOption = (given: Arguments, name: string): readonly string[] | undefined => {
  const value = given.values[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;
};

export const eventOption = {
  event: { type: 'string', multiple: true, help: 'only this kind of events; any number of them (default: all)' },
} as const;

/** Each may hold several, separated by commas. */
export const listOption = (given: Arguments, name: string): readonly string[] | undefined =>
  textsOption(given, name)?.flatMap((text) => text.split(',').map((one) => one.trim()));

/** Local time if no zone is given. */
export const timeOption = (given: Arguments, name: string): string | undefined => {
  const text = textOption(given, name);
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i.test(text) ? new Date(text) : null;
  if (time === null || Number.isNaN(time.getTime()))
    throw usageError(`--${name} is a time like 2026-11-27T09:00; "${text}" is not`);
  return time.toISOString();
};

export const flagOption = (given: Arguments, name: string): boolean => given.values[name] === true;

export const positional = (given: Arguments, index: number): string => given.positionals[index] ?? '';

const idOf = (thing: string, text: string): number => {
  if (!/^\d{1,15}$/.test(text))
    throw usageError(`a ${thing} id is a number, as "handset ${thing} list" shows it; "${text}" is not`);
  return Number(text);
};

export const deviceId = (given: Arguments, index = 0): number => idOf('device', positional(given, index));

export const keyId = (given: Arguments, index: number): number => idOf('key', positional(given, index));

export const noteNext = ({ out }: Context, nextCursor: string | null): void => {
  if (nextCursor !== null) out.note(`More: --cursor ${nextCursor}`);
};

export const download = async ({ client, out }: Context, path: string, file: string): Promise<void> => {
  const target = await open(file, 'wx', 0o600);
  try {
    using _ = out.progress('Fetching');
    const response = await client().open(path, '*/*');
    await target.writeFile(response.body ?? '');
    const { size: bytes } = await target.stat();
    out.value({ file, bytes, type: response.headers.get('content-type') });
    out.line(`Saved ${bytesOf(bytes)} to ${file}`);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await target.close();
  }
};

/** Members of the interface whose option or argument has another name. */
export const typedNames: Readonly<Record<string, string>> = {
  toNumber: 'to',
  toUsername: 'to',
  sendAt: 'at',
  sendUntil: 'until',
  mutedUntil: 'muted',
  members: 'member',
  events: 'event',
  mediaUrl: 'picture',
  options: 'option',
  items: 'file',
  mediaCaption: 'caption',
  memberAddMode: 'add-mode',
  mentions: 'mention',
  fileName: 'name',
  mimetype: 'type',
  settleSeconds: 'settle',
  aboutExpiresAt: 'about-until',
  expiresInSeconds: 'timer',
  reaction: 'emoji',
};

/** Of commands written by hand. */
const otherNames: Readonly<Record<string, string>> = {
  limit: 'last',
  types: 'event',
  expiresAt: 'at',
  text: 'content',
  members: 'person',
};

/** An error of the service, with the options and arguments of the command in place of the members of the interface. */
export const asTyped = ({ positionals, options = {} }: Command, message: string): string => {
  const argument = (name: string): string | null => {
    const option = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (positionals.some((known) => known.replace('?', '') === name)) return `<${name}>`;
    return option in options ? `--${option}` : null;
  };
  const typed = (member: string): string =>
    argument(typedNames[member] ?? member) ?? argument(otherNames[member] ?? member) ?? member;
  return message
    .replace(/^(?:audience\.|chats\.)?([a-z]\w*)(?=(\[\d+\])? (is|are|must|has|have|names) )/, (_, member: string) =>
      typed(member),
    )
    .replaceAll(/(?<![-<\w])[a-z]+[A-Z][A-Za-z]*/g, typed);
};
