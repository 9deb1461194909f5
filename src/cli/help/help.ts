/** The text of `--help`. */
import type { Command } from '../command/command.ts';
import { examples } from './examples.ts';
import { type Part, paint } from '../terminal/paint.ts';

const indent = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n');
};

const placeholder = (name: string): string => (name.endsWith('?') ? `[<${name.slice(0, -1)}>]` : `<${name}>`);

const synopsis = ({ words, positionals }: Command): string => [words, ...positionals.map(placeholder)].join(' ');

const globalOptions: readonly (readonly [string, string])[] = [
  ['--json', 'print JSON, one value per line'],
  ['--profile <name>', 'use the service and key of "handset login --profile <name>"'],
  ['-h, --help', 'show help; also "handset help <command>"'],
];

const highlighted = (text: string): readonly Part[] =>
  text.split(/^(Usage:|[A-Z][a-z ]+:(?=$))/m).map((part, index) => (index % 2 === 1 ? paint('strong', part) : part));

const subjects: readonly (readonly [string, readonly string[]])[] = [
  ['Signing in', ['login', 'logout', 'account', 'key']],
  ['Devices', ['device', 'limits', 'usage']],
  ['Messages', ['send', 'message']],
  ['Chats and people', ['chat', 'label', 'contact', 'profile', 'suppression', 'call']],
  ['Groups', ['group', 'community']],
  ['Statuses', ['status']],
  ['Channels', ['channel']],
  ['Events and webhooks', ['events', 'listen', 'webhook', 'delivery']],
  ['Sandbox', ['phone']],
  ['Tools', ['doctor', 'mcp', 'completion']],
];

const forOperator = 'Operation';

/** Operator commands and those on the data folder go under "Operation". */
const subjectOf = ({ words, summary }: Command): string => {
  const known = subjects.find(([, begins]) => begins.includes(words.split(' ')[0]!));
  return known === undefined || summary.endsWith('(operator)') ? forOperator : known[0];
};

const together = (commands: readonly Command[]): readonly Command[] =>
  [...Map.groupBy(commands, ({ words }) => words.split(' ')[0]).values()].flat();

const bySubject = (commands: readonly Command[]): readonly string[] => {
  const groups = Map.groupBy(together(commands), subjectOf);
  const order = [...subjects.map(([name]) => name), forOperator];
  const width = Math.max(...commands.map((command) => synopsis(command).length));
  return order.flatMap((name) => {
    const rows = (groups.get(name) ?? []).map((command) => [synopsis(command).padEnd(width), command.summary] as const);
    return ['', `${name}:`, indent(rows)];
  });
};

export const generalHelp = (commands: readonly Command[]): readonly Part[] =>
  highlighted(
    [
      'Usage: handset <command> [options]',
      '',
      'Service:',
      indent([
        ['start [--sandbox]', 'Run the service; --sandbox adds a local test network'],
        ['sandbox [--port <n>]', 'Run only the test network'],
      ]),
      ...bySubject(commands),
      '',
      'Global options:',
      indent(globalOptions),
      '',
      '"handset --version" prints the version.',
      '',
      'Environment:',
      indent([
        ['HANDSET_URL', 'address of the service, without /v1 (default http://127.0.0.1:8080)'],
        ['HANDSET_KEY', 'API key (default: the one stored by "handset login")'],
        ['HANDSET_PROFILE', 'profile to use, if there is no --profile'],
        ['HANDSET_ADMIN_TOKEN', 'admin token, for the commands of the operator'],
        [
          'HANDSET_DATA_DIR',
          'data folder, for the commands that read the database itself, such as backup (default data)',
        ],
      ]),
      '',
      'Exit codes: 0 success, 1 refused or failed, 2 usage error, 3 service unreachable, 4 not authorized, 5 unknown content (capture compare).',
    ].join('\n'),
  );

export const groupHelp = (word: string, commands: readonly Command[]): readonly Part[] =>
  highlighted(
    [
      `Usage: handset ${word} <command> [options]`,
      '',
      'Commands:',
      indent(commands.map((command) => [synopsis(command), command.summary] as const)),
      '',
      `Run "handset ${word} <command> --help" for options and examples.`,
    ].join('\n'),
  );

const values: Readonly<Record<string, string>> = {
  n: 'last limit device-limit',
  url: 'url forward-to webhook-url proxy picture',
  number: 'phone-number',
  chat: 'chat only except',
  chats: 'presence',
  person: 'member from mention',
  kind: 'event',
  name: 'name username',
  text: 'caption q reason about message description subject address organization option',
  event: 'after',
  time: 'since until expires-at at about-until',
  'time|always|off': 'muted',
  file: 'file creds credential',
  key: 'key username-key idempotency-key',
  ids: 'labels devices',
  messageId: 'quoted-message-id',
  label: 'label',
  group: 'group',
  community: 'community',
  user: 'user',
  cursor: 'cursor',
  type: 'type',
  session: 'session',
  actions: 'actions',
  words: 'stop-words',
  colour: 'background',
  header: 'header',
  duration: 'for',
};

const valueOf = (option: string): string =>
  Object.entries(values).find(([, options]) => options.split(' ').includes(option))?.[0] ?? 'value';

export const commandHelp = (command: Command): readonly Part[] => {
  const own = Object.entries(command.options ?? {}).map(([name, { type, short, help, value }]) => {
    const long = `--${name}${type === 'string' ? ` <${value ?? valueOf(name)}>` : ''}`;
    return [short === undefined ? long : `-${short}, ${long}`, help] as const;
  });
  const shown = (examples[command.words] ?? []).map((example) => `  handset ${example}`);
  return highlighted(
    [
      `Usage: handset ${synopsis(command)} [options]`,
      '',
      `${command.summary}.`,
      '',
      indent([...own, ...globalOptions]),
      ...(shown.length === 0 ? [] : ['', 'Examples:', ...shown]),
    ].join('\n'),
  );
};
