#!/usr/bin/env node
/** Writes src/cli/command/operations.json: what commands take from the contract. They read the table, as the contract takes 0.6 s to load. */
import { writeFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { usageOf, type Declaration, type Usage } from '../src/contract/operation.ts';
import { adminOperations, operations } from '../src/contract/operations/all.ts';

export const target = new URL('../src/cli/command/operations.json', import.meta.url);

/** Members that one word says; objects are given by hand. Of a few words, all of them. */
const kinds: ReadonlyMap<unknown, string> = new Map([
  ['string', 'text'],
  ['integer', 'number'],
  ['number', 'number'],
  ['boolean', 'on|off'],
]);

const maxChoices = 5;
const daySeconds = 86_400;

const said = (help: string, words: Readonly<Record<string, string>>): string =>
  help.replaceAll(/\b(?:true|false|null)\b/gi, (word) => {
    const typed = words[word.toLowerCase()] ?? word;
    return word.startsWith(word.charAt(0).toLowerCase()) ? typed : typed.charAt(0).toUpperCase() + typed.slice(1);
  });

/** In the words of the command line. A flag has no value, so the words on `true` are enough. */
const helpOf = (name: string, member: TSchema, kind: string, nullWord: string | undefined): string => {
  const choices: unknown = Reflect.get(member, 'enum');
  const described: unknown = Reflect.get(member, 'description');
  const fallback = Array.isArray(choices) ? choices.join(', ') : name;
  const help = (typeof described === 'string' ? described : fallback).replaceAll('`', '');
  const short = kind === 'flag' ? help.replace(/^true: /i, '').replace(/; false: .*$|; false if omitted$/, '') : help;
  const whole = said(short, {
    ...(kind.startsWith('on|off') && { true: 'on', false: 'off' }),
    ...(nullWord !== undefined && { null: nullWord === '' ? '""' : nullWord }),
  });
  return /^[A-Z][^A-Z]/.test(whole) ? whole.charAt(0).toLowerCase() + whole.slice(1) : whole;
};

type Place = 'query' | 'body' | 'send';

const kindOf = (member: object, place: Place): string | undefined => {
  const type: unknown = Reflect.get(member, 'type');
  const items: unknown = Reflect.get(member, 'items') ?? {};
  if (Reflect.get(member, 'format') === 'date-time') return place === 'query' ? 'text' : 'time';
  if (type === 'array' && typeof items === 'object' && items !== null && Reflect.get(items, 'type') === 'string')
    return 'list';
  const choices: unknown = Reflect.get(member, 'enum');
  if (Array.isArray(choices)) {
    const days = choices.filter((choice) => Number.isInteger(choice / daySeconds) && choice > 0);
    if (days.length > 0) return days.map((seconds) => `${seconds / daySeconds}d`).join('|');
    if (type === 'string' && choices.length > 1 && choices.length <= maxChoices) return choices.join('|');
  }
  if (Array.isArray(type) && type.includes('object')) return undefined;
  const found = kinds.get(Array.isArray(type) ? type[0] : type);
  if (found === 'on|off' && Array.isArray(type) && type.includes('string')) return 'on|off|text';
  return place !== 'body' && found === 'on|off' ? 'flag' : found;
};

/** One positional says who gets a message, and one which file; of a status, the file or the text. */
const recipient: ReadonlySet<string> = new Set(['to', 'toNumber', 'toUsername', 'usernameKey']);
const sources: ReadonlySet<string> = new Set(['mediaUrl', 'mediaBase64', 'fileId']);

const membersIn = (
  schema: TSchema | undefined,
  place: Place,
  usage?: Usage,
  nullWords: Declaration['nullWords'] = {},
): Record<string, object> => {
  const properties: unknown = Reflect.get(schema ?? {}, 'properties') ?? {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- members of a schema are schemas
  const members = Object.entries(properties as Record<string, TSchema>);
  const isFile = members.some(([name]) => sources.has(name));
  const source = isFile ? usage?.positionals[2]?.name : undefined;
  const isPositional = (name: string): boolean =>
    (isFile && (sources.has(name) || name === 'text')) || (place === 'send' && recipient.has(name));
  return Object.fromEntries([
    ...(place === 'send' ? [['to', { kind: 'recipient', help: '' }] as const] : []),
    ...(place === 'send' && source !== undefined ? [[source, { kind: 'source', help: '' }] as const] : []),
    ...members.flatMap(([name, member]) => {
      const kind = kindOf(member, place);
      if (kind === undefined || isPositional(name)) return [];
      const none = nullWords[name];
      return [[name, { kind, ...(none !== undefined && { none }), help: helpOf(name, member, kind, none) }] as const];
    }),
  ]);
};

const listed = [...operations, ...adminOperations].filter(
  ({ command, path }) => command !== null && !path.startsWith('/webhooks'),
);

/** The operation of the same command for when too little is given for this one: it only reads, or takes fewer arguments. */
const otherwiseOf = ({ id, effect, command }: Declaration): string | undefined => {
  const { words, positionals } = usageOf(command!);
  return listed.find((other) => {
    const usage = usageOf(other.command!);
    const isLess = (other.effect === 'reads' && effect !== 'reads') || usage.positionals.length < positionals.length;
    return other.id !== id && usage.words === words && isLess;
  })?.id;
};

const rowOf = (declaration: Declaration) => {
  const { id, method, path, command, summary, effect, action, query, body, headers, nullWords } = declaration;
  const usage = usageOf(command!);
  const { words, positionals, flag } = usage;
  const sends = method === 'POST' && words.startsWith('send ');
  const row = {
    call: `${method} ${path}`,
    ...(action === 'operator' && { operator: true }),
    words,
    positionals: positionals.map(({ name, optional }) => (optional ? `${name}?` : name)),
    ...(flag !== null && { flag }),
    otherwise: otherwiseOf(declaration),
    summary: summary.replace(/^Retrieve/, 'Show'),
    repeats: Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'idempotency-key'),
    destroys: effect === 'destroys',
    query: membersIn(query, 'query'),
    body: membersIn(body?.schema, sends ? 'send' : 'body', usage, nullWords),
  };
  return `${JSON.stringify(id)}:${JSON.stringify(row)}`;
};

/** One line for each operation with a command, so that changes of two people merge. */
export const commandTable = (): string => `{\n${listed.map(rowOf).join(',\n')}\n}\n`;

if (import.meta.main) writeFileSync(target, commandTable());
