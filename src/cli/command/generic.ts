/** Commands of one request each, from the contract (`operations.json`, written by `npm run -s commands`). The others are written by hand. */
import { plainNumbers } from '../../domain/typed-number.ts';
import { type Client, idempotencyHeader, usageError } from '../../mcp/client.ts';
import { fields, table } from '../terminal/output.ts';
import type { Part } from '../terminal/paint.ts';
import {
  type Arguments,
  type Command,
  type Context,
  deviceId,
  download,
  flagOption,
  keyId,
  noteNext,
  type Option,
  textOption,
} from './command.ts';
import { sourceOf } from './media.ts';
import { type Members, membersOf, optionsFor } from './members.ts';
import { adminOption, userOf, userOption } from './operator.ts';
import operations from './operations.json' with { type: 'json' };

interface Operation {
  readonly call: string;
  readonly operator?: boolean;
  readonly words: string;
  readonly positionals: readonly string[];
  /** Asks for the operation where `otherwise` is another one. */
  readonly flag?: string;
  readonly otherwise?: string;
  readonly summary: string;
  readonly query: Members;
  readonly body: Members;
  readonly repeats: boolean;
}

type Id = keyof typeof operations;

const isId = (id = ''): id is Id => id in operations;

interface Declared<Answer extends object> {
  readonly words?: string;
  readonly summary?: string;
  readonly positionals?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  readonly usual?: Readonly<Record<string, string>>;
  /** With which option the operator may do it for another user, or on the device of one. */
  readonly operator?: 'user' | 'admin';
  /** Replaces the members named by positionals and options. */
  readonly body?: (given: Arguments) => object;
  /** Members beside those. `path`: of the request. */
  readonly more?: (given: Arguments, context: Context, path: string) => object | Promise<object>;
  /** The operation when the flag, the last positional or everything to change is left out; default: by the table. */
  readonly otherwise?: Id;
  /** What is lost; the command then requires `--yes`. */
  readonly destroys?: string;
  readonly work?: (members: Readonly<Record<string, unknown>>) => string;
  /** What `--json` prints; default: the answer. */
  readonly value?: (answer: Answer) => unknown;
  /** In place of one value. */
  readonly values?: (answer: Answer) => readonly unknown[];
  /** Default: what the answer has. */
  readonly done?: string | ((answer: Answer, given: Arguments) => readonly Part[]);
  /** Beside what is printed, so that the output is a value alone. */
  readonly note?: (answer: Answer) => string;
}

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const confirmation: Readonly<Record<string, Option>> = {
  yes: { type: 'boolean', short: 'y', help: 'confirm: this cannot be undone' },
};

const repetition: Readonly<Record<string, Option>> = {
  'idempotency-key': { type: 'string', help: 'do it only once, however often the command runs with this key' },
};

/** The members of the body, with what standard input and files hold. */
const contentOf = async (context: Context, { body }: Operation, names: readonly string[], given: Arguments) => {
  const index = names.indexOf('message');
  const text = index !== -1 && given.positionals[index] === '-' ? (await context.readInput()).toString('utf8') : null;
  const members = membersOf(body, names, given);
  const source = Object.keys(body).find((member) => body[member]?.kind === 'source');
  return {
    ...members,
    ...(text !== null && { message: text.replace(/\n$/, '') }),
    ...(source !== undefined &&
      (await sourceOf(context, deviceId(given), given.positionals[names.indexOf(source)] ?? '', source))),
  };
};

/** With the id of a user who is given by id or name. */
const withUser = async (client: Client, path: string, user: string): Promise<string> =>
  path.includes('{userId}') ? path.replace('{userId}', String((await userOf(client, user)).id)) : path;

/** Path parameters are the first positionals. Webhooks of "all" devices have their own path. */
const pathOf = (path: string, given: Arguments): string => {
  let index = -1;
  const scoped = path.startsWith('/devices/{id}/webhooks') && given.positionals[0] === 'all';
  const where = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    index += 1;
    if (name === 'id' || name === 'deviceId') return scoped ? 'all' : String(deviceId(given, index));
    if (name === 'keyId') return String(keyId(given, index));
    return encodeURIComponent(String(plainNumbers({ [name]: given.positionals[index] })[name]));
  });
  return scoped ? where.replace('/devices/all', '') : where;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const cellOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The first member of an answer: a list as a table, an object by its members; otherwise the service’s message. */
const shownOf = (answer: object): readonly Part[] => {
  const { status, ...members }: Readonly<Record<string, unknown>> = { ...answer };
  const [first] = Object.values(members);
  if (first === undefined) return [isRecord(status) ? cellOf(status['message']) : 'Done'];
  if (!Array.isArray(first)) {
    const thing = isRecord(first) ? first : members;
    return fields(Object.entries(thing).map(([name, value]) => [name, value === null ? null : cellOf(value)]));
  }
  const rows = first.filter(isRecord);
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => typeof row[name] !== 'object'));
  return listed(
    rows,
    'None',
    Object.fromEntries(
      names.map((name) => [name.toUpperCase(), (row) => (row[name] === null ? null : cellOf(row[name]))]),
    ),
  );
};

const show = <Answer extends object>(
  context: Context,
  { done, note, value = (whole) => whole, values = (whole) => [value(whole)] }: Declared<Answer>,
  answer: Answer,
  given: Arguments,
): void => {
  const { out } = context;
  for (const one of values(answer)) out.value(one);
  out.line(...(typeof done === 'string' ? [done] : (done?.(answer, given) ?? shownOf(answer))));
  if (note !== undefined && !out.json) out.note(note(answer));
  const next: unknown = Reflect.get(answer, 'nextCursor');
  const since: unknown = Reflect.get(answer, 'searchedSince');
  if (typeof next === 'string') noteNext(context, next);
  else if (typeof since === 'string') out.note(`Earlier messages were not searched. Go on with --until ${since}`);
};

/** The command for when too little is given for this one. */
const otherCommand = <Answer extends object>(
  operation: Operation,
  { done, value, otherwise }: Declared<Answer>,
): Command | undefined => {
  const id: string | undefined = otherwise ?? operation.otherwise;
  return isId(id) ? callCommand(id, { ...(done && { done }), ...(value && { value }) }) : undefined;
};

const optionsOf = <Answer extends object>(
  { flag, summary, query, body, repeats }: Operation,
  declared: Declared<Answer>,
  names: readonly string[],
): Readonly<Record<string, Option>> => ({
  ...(flag !== undefined && { [flag]: { type: 'boolean', help: lowered(summary) } }),
  ...optionsFor(query, names),
  ...(declared.body === undefined && optionsFor(body, names)),
  ...declared.options,
  ...(repeats && repetition),
  ...(declared.operator === 'user' && userOption.options),
  ...(declared.operator === 'admin' && adminOption.options),
  ...(declared.destroys !== undefined && confirmation),
});

export const callCommand = <Answer extends object>(id: Id, declared: Declared<Answer> = {}): Command => {
  const operation: Operation = operations[id];
  const { destroys, more } = declared;
  const other = otherCommand(operation, declared);
  const { flag } = operation;
  const [method = '', path = ''] = operation.call.split(' ');
  const words = declared.words ?? operation.words;
  const positionals = declared.positionals ?? operation.positionals;
  const names = positionals.map((name) => name.replace('?', ''));
  const own = optionsOf(operation, declared, names);
  const options = { ...other?.options, ...own };
  return {
    words,
    summary: `${declared.summary ?? operation.summary}${operation.operator === true ? ' (operator)' : ''}`,
    positionals: positionals.map((name, index) =>
      index < (other ?? { positionals }).positionals.length ? name : `${name}?`,
    ),
    options,
    async run(context, given) {
      const isMeant = flag === undefined ? given.positionals.length >= positionals.length : flagOption(given, flag);
      if (other !== undefined && !isMeant) return other.run(context, given);
      const foreign = Object.keys(options).find((name) => !(name in own) && given.values[name] !== undefined);
      if (foreign !== undefined)
        throw usageError(`--${foreign} does not go with ${flag === undefined ? `<${names.at(-1)}>` : `--${flag}`}`);
      const user = textOption(given, 'user');
      const key = textOption(given, 'idempotency-key');
      if (user !== undefined && key !== undefined) throw usageError('--idempotency-key does not go with --user');
      const isOperator = user !== undefined || flagOption(given, 'admin') || operation.operator === true;
      const client = isOperator ? context.admin() : context.client();
      const whose = user === undefined ? path : `/users/{userId}${path}`;
      const where = pathOf(await withUser(client, whose, user ?? given.positionals[0] ?? ''), given);
      if (destroys !== undefined && !flagOption(given, 'yes')) throw usageError(`${destroys}; add --yes to do it`);
      const query = new URLSearchParams(declared.usual);
      for (const [name, member] of Object.entries(plainNumbers(membersOf(operation.query, names, given))))
        query.set(name, String(member));
      const whole = query.size === 0 ? where : `${where}?${query.toString()}`;
      if (method === 'GET' && names.at(-1) === 'file')
        return download(context, whole, given.positionals[names.length - 1] ?? '');
      const members = plainNumbers({
        ...(declared.body?.(given) ?? (await contentOf(context, operation, names, given))),
        ...(await more?.(given, context, where)),
      });
      const hasBody = declared.body !== undefined || more !== undefined || Object.keys(operation.body).length > 0;
      if (method === 'PUT' && hasBody && Object.values(members).every((member) => member === undefined)) {
        if (other !== undefined) return other.run(context, given);
        throw usageError(`nothing to change is given; see "handset ${words} --help"`);
      }
      using _ = declared.work === undefined ? undefined : context.out.progress(declared.work(members));
      const answer = await client.call<Answer>(method, whole, hasBody ? members : undefined, idempotencyHeader(key));
      show(context, declared, answer, given);
    },
  };
};

/** Commands of the operations that have no handwritten command. */
export const otherCommands = (byHand: readonly Command[]): readonly Command[] => {
  const known = new Set(byHand.map(({ words }) => words));
  const others = new Set(Object.values(operations).map((operation: Operation) => operation.otherwise));
  return Object.keys(operations)
    .filter(isId)
    .filter((id) => !known.has(operations[id].words) && !others.has(id))
    .map((id) => callCommand(id, operations[id].destroys ? { destroys: 'this cannot be undone' } : {}));
};

export const listed = <Item>(
  items: readonly Item[],
  none: string,
  columns: Readonly<Record<string, (item: Item) => Part | null>>,
): readonly Part[] =>
  items.length === 0
    ? [none]
    : table(
        Object.keys(columns),
        items.map((item) => Object.values(columns).map((cell) => cell(item) ?? '')),
      );
