#!/usr/bin/env node
/** Writes src/cli/command/operations.json: what commands take from the contract. They read the table, as the contract takes 0.6 s to load. */
import { writeFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { usageOf, type Declaration } from '../src/contract/operation.ts';
import { operations } from '../src/contract/operations/all.ts';

export const target = new URL('../src/cli/command/operations.json', import.meta.url);

/** Members that one word says; lists and objects are given by hand. */
const kinds: ReadonlyMap<unknown, string> = new Map([
  ['string', 'text'],
  ['integer', 'number'],
  ['boolean', 'switch'],
]);

/** A flag has no value, so the words on `true` are enough. */
const helpOf = (name: string, member: TSchema, isFlag: boolean): string => {
  const choices: unknown = Reflect.get(member, 'enum');
  const described: unknown = Reflect.get(member, 'description');
  const fallback = Array.isArray(choices) ? choices.join(', ') : name;
  const help = (typeof described === 'string' ? described : fallback).replaceAll('`', '');
  const short = isFlag ? help.replace(/^true: /i, '').replace(/; false: .*$/, '') : help;
  return /^[A-Z][^A-Z]/.test(short) ? short.charAt(0).toLowerCase() + short.slice(1) : short;
};

const membersIn = (schema: TSchema | undefined, isQuery: boolean): Record<string, object> => {
  const properties: unknown = Reflect.get(schema ?? {}, 'properties') ?? {};
  return Object.fromEntries(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- members of a schema are schemas
    Object.entries(properties as Record<string, TSchema>).flatMap(([name, member]) => {
      const type: unknown = Reflect.get(member, 'type');
      const found = kinds.get(Array.isArray(type) ? type[0] : type);
      if (found === undefined) return [];
      const kind = isQuery && found === 'switch' ? 'flag' : found;
      return [[name, { kind, help: helpOf(name, member, kind === 'flag') }]];
    }),
  );
};

const rowOf = ({ id, method, path, command, summary, effect, query, body, headers }: Declaration) => {
  const { words, positionals } = usageOf(command!);
  const row = {
    call: `${method} ${path}`,
    words,
    positionals: positionals.map(({ name, optional }) => (optional ? `${name}?` : name)),
    summary: summary.replace(/^Retrieve/, 'Show'),
    repeats: Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'idempotency-key'),
    destroys: effect === 'destroys',
    query: membersIn(query, true),
    body: membersIn(body?.schema, false),
  };
  return `${JSON.stringify(id)}:${JSON.stringify(row)}`;
};

/** One line for each operation with a command, so that changes of two people merge. */
export const commandTable = (): string =>
  `{\n${operations
    .filter(({ command, path }) => command !== null && !path.startsWith('/webhooks'))
    .map(rowOf)
    .join(',\n')}\n}\n`;

if (import.meta.main) writeFileSync(target, commandTable());
