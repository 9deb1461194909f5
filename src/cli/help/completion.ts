/** Completion scripts for bash, zsh and fish, made from the commands. */
import { type Command, positional } from '../command/command.ts';
import { usageError } from '../client/failure.ts';

export const completionOf = (commands: readonly Command[]): Command => {
  const completion: Command = {
    words: 'completion',
    summary: `Print a shell completion script: ${shells.join(', ')}`,
    positionals: ['shell'],
    options: {},
    anonymous: true,
    async run({ out }, given) {
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
const cases = (commands: readonly Command[], shown: (words: readonly Word[]) => string): string =>
  [...followers(commands)]
    .sort(([a], [b]) => b.split(' ').length - a.split(' ').length || b.length - a.length)
    .map(
      ([before, words]) =>
        `    ${before === '' ? "' '" : `'${before}'${before.includes(' ') ? '' : "' '*"}`}) ${shown(words)} ;;`,
    )
    .join('\n');

const bash = (commands: readonly Command[]): string => `# bash completion for handset
_handset() {
  local word first= second= current=\${COMP_WORDS[COMP_CWORD]} candidates=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    if [ -z "$first" ]; then first=$word; elif [ -z "$second" ]; then second=$word; fi
  done
  case "$first $second" in
${cases(commands, (words) => `candidates=${quoted(words.map(({ word }) => word).join(' '))}`)}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || compopt -o default 2> /dev/null
}
complete -F _handset handset
`;

const zsh = (commands: readonly Command[]): string => `#compdef handset
_handset() {
  local word first= second=
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ "$word" == -* ]] && continue
    if [[ -z "$first" ]]; then first=$word; elif [[ -z "$second" ]]; then second=$word; fi
  done
  case "$first $second" in
${cases(commands, (words) => `candidates=(${words.map(({ word, summary }) => quoted(`${word}:${summary}`)).join(' ')})`)}
  esac
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
  return `# fish completion for handset
function __handset_at
  set -l said (string match -v -- '-*' (commandline -opc)[2..-1])
  set -l wanted (string split -n ' ' -- "$argv")
  set -l length (count $wanted)
  if test $length -eq 0
    test (count $said) -eq 0
  else
    test (count $said) -ge $length; and test "$said[1..$length]" = "$wanted"
  end
end
${lines.join('\n')}
`;
};

export const completionScript = (shell: Shell, commands: readonly Command[]): string =>
  ({ bash, zsh, fish })[shell](commands);
