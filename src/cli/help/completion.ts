/** Completion scripts for bash, zsh and fish, made from the commands. */
import { type Command, type Context, deviceId, positional } from '../command/command.ts';
import { usageError } from '../../mcp/client.ts';

export const completionOf = (commands: readonly Command[]): Command => {
  const completion: Command = {
    words: 'completion',
    summary: `Print a shell completion script (${shells.join(', ')}), or what it completes: devices, chats`,
    positionals: ['shell', 'device?'],
    options: {},
    async run(context, given) {
      const { out } = context;
      const asked = positional(given, 0);
      if (asked === 'devices' || asked === 'chats') {
        const words = await wordsFromService(context, asked === 'devices' ? null : deviceId(given, 1));
        out.value(words);
        for (const { word, summary } of words) out.line(`${word}\t${summary}`);
        return;
      }
      const shell = shells.find((one) => one === positional(given, 0));
      if (shell === undefined) throw usageError(`the shell must be one of ${shells.join(', ')}`);
      const script = completionScript(shell, [...commands, completion]);
      out.line(script.trimEnd());
      out.value({ shell, script });
    },
  };
  return completion;
};

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface Word {
  readonly word: string;
  readonly summary: string;
}

const maxWaitMs = 1000;

interface Listed {
  readonly devices?: readonly { readonly id: number; readonly name: string }[];
  readonly chats?: readonly {
    readonly chat: string;
    readonly chatNumber: string | null;
    readonly name: string | null;
  }[];
}

const wordsFromService = async ({ client }: Context, device: number | null): Promise<readonly Word[]> => {
  const path = device === null ? '/devices' : `/devices/${device}/chats`;
  try {
    const response = await client().open(path, 'application/json', {}, AbortSignal.timeout(maxWaitMs));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface is the contract
    const { devices = [], chats = [] } = (await response.json()) as Listed;
    return [
      ...devices.map(({ id, name }) => ({ word: String(id), summary: name })),
      ...chats.map(({ chat, chatNumber, name }) => ({ word: chatNumber ?? chat, summary: name ?? '' })),
    ];
  } catch {
    return [];
  }
};

const chatNames: ReadonlySet<string> = new Set(['chat', 'to', 'person', 'group']);

/** How many words precede one that the service completes, by the words of the command. */
const askedOf = (commands: readonly Command[]): ReadonlyMap<string, { devices: number; chats: number }> =>
  new Map(
    commands
      .filter(({ positionals: [first] }) => first === 'device' || first === 'device?')
      .map(({ words, positionals: [, second = ''] }) => {
        const devices = words.split(' ').length;
        return [words, { devices, chats: chatNames.has(second) ? devices + 1 : -1 }];
      }),
  );

const optionsOf = (command: Command): readonly Word[] => [
  ...Object.entries(command.options ?? {}).map(([name, { help }]) => ({ word: `--${name}`, summary: help })),
  { word: '--json', summary: 'print JSON' },
  { word: '--help', summary: 'show the help' },
];

const services: readonly Word[] = [
  { word: 'start', summary: 'Run the service' },
  { word: 'sandbox', summary: 'Run only the test network' },
];

const optionsOfServices: Readonly<Record<string, readonly Word[]>> = {
  start: [
    { word: '--sandbox', summary: 'with a messaging network on this machine' },
    { word: '--lenient', summary: 'with --sandbox: accept stock Baileys' },
    { word: '--help', summary: 'show the help' },
  ],
  sandbox: ['--port', '--host', '--advertise', '--data', '--lenient'].map((word) => ({
    word,
    summary: 'of the sandbox',
  })),
};

const followers = (commands: readonly Command[]): ReadonlyMap<string, readonly Word[]> => {
  const map = new Map<string, Word[]>([['', [...services]]]);
  const add = (before: string, word: Word): void => {
    const known = map.get(before) ?? [];
    if (!known.some((one) => one.word === word.word)) known.push(word);
    map.set(before, known);
  };
  for (const [name, words] of Object.entries(optionsOfServices)) for (const word of words) add(name, word);
  for (const command of commands) {
    const [first = '', second] = command.words.split(' ');
    add('', { word: first, summary: second === undefined ? command.summary : `${first} …` });
    if (second !== undefined) add(first, { word: second, summary: command.summary });
    for (const option of optionsOf(command)) add(command.words, option);
  }
  return map;
};

const quoted = (text: string): string => `'${text.replaceAll("'", '’').replaceAll('\\', '/')}'`;

/** Longer prefixes first: `key list` before `key`. */
const cases = (commands: readonly Command[], shown: (words: readonly Word[]) => string): string => {
  const asked = askedOf(commands);
  return [...followers(commands)]
    .sort(([a], [b]) => b.split(' ').length - a.split(' ').length || b.length - a.length)
    .map(([before, words]) => {
      const pattern = before === '' ? "' '" : `'${before}'${before.includes(' ') ? '' : "' '*"}`;
      const { devices, chats } = asked.get(before) ?? { devices: -1, chats: -1 };
      return `    ${pattern}) devices=${devices} chats=${chats} ${shown(words)} ;;`;
    })
    .join('\n');
};

const bash = (commands: readonly Command[]): string => `# bash completion for handset
_handset() {
  local word first= second= last= said=0 devices=-1 chats=-1 current=\${COMP_WORDS[COMP_CWORD]} candidates= asked=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    said=$((said + 1)) last=$word
    if [ -z "$first" ]; then first=$word; elif [ -z "$second" ]; then second=$word; fi
  done
  case "$first $second" in
${cases(commands, (words) => `candidates=${quoted(words.map(({ word }) => word).join(' '))}`)}
  esac
  case "$current" in
    -*) ;;
    *)
      if [ $said -eq $devices ]; then asked=$("\${COMP_WORDS[0]}" completion devices 2> /dev/null | cut -f 1); fi
      if [ $said -eq $chats ]; then asked=$("\${COMP_WORDS[0]}" completion chats "$last" 2> /dev/null | cut -f 1); fi ;;
  esac
  [ -z "$asked" ] || candidates=$asked
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || compopt -o default 2> /dev/null
}
complete -F _handset handset
`;

const zsh = (commands: readonly Command[]): string => `#compdef handset
_handset() {
  local word first= second= last=
  local -i said=0 devices=-1 chats=-1
  local -a candidates asked
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ "$word" == -* ]] && continue
    said+=1
    last=$word
    if [[ -z "$first" ]]; then first=$word; elif [[ -z "$second" ]]; then second=$word; fi
  done
  case "$first $second" in
${cases(commands, (words) => `candidates=(${words.map(({ word, summary }) => quoted(`${word}:${summary}`)).join(' ')})`)}
  esac
  if [[ "\${words[CURRENT]}" != -* ]]; then
    ((said == devices)) && asked=("\${(@f)$("\${words[1]}" completion devices 2> /dev/null)}")
    ((said == chats)) && asked=("\${(@f)$("\${words[1]}" completion chats "$last" 2> /dev/null)}")
    [[ -n "$asked" ]] && candidates=("\${(@)asked/$'\t'/:}")
  fi
  _describe handset candidates || _files
}
compdef _handset handset
`;

const fish = (commands: readonly Command[]): string => {
  const lines = [...followers(commands)].flatMap(([before, words]) => {
    return words.map(({ word, summary }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c handset -n "__handset_at '${before}'" ${what} -d ${quoted(summary)}`;
    });
  });
  const asked = [...askedOf(commands)].flatMap(([words, { devices, chats }]) => {
    const condition = (count: number) => `"__handset_at '${words}'; and __handset_said ${count}"`;
    return [
      `complete -c handset -f -n ${condition(devices)} -a '(handset completion devices 2> /dev/null)'`,
      ...(chats === -1
        ? []
        : [
            `complete -c handset -f -n ${condition(chats)} -a '(handset completion chats (__handset_last) 2> /dev/null)'`,
          ]),
    ];
  });
  return `# fish completion for handset
function __handset_words
  string match -v -- '-*' (commandline -opc)[2..-1]
end
function __handset_said
  test (count (__handset_words)) -eq $argv[1]
end
function __handset_last
  set -l said (__handset_words)
  echo $said[-1]
end
function __handset_at
  set -l said (__handset_words)
  set -l wanted (string split -n ' ' -- "$argv")
  set -l length (count $wanted)
  if test $length -eq 0
    test (count $said) -eq 0
  else
    test (count $said) -ge $length; and test "$said[1..$length]" = "$wanted"
  end
end
${[...lines, ...asked].join('\n')}
`;
};

export const completionScript = (shell: Shell, commands: readonly Command[]): string =>
  ({ bash, zsh, fish })[shell](commands);
