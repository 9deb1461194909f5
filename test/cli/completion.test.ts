/** Completion scripts and the examples of the help: what they name is there. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { commands } from '../../src/cli/commands.ts';
import { completionScript, shells } from '../../src/cli/help/completion.ts';
import { examples } from '../../src/cli/help/examples.ts';
import { openShell } from './terminal.support.ts';

const script = completionScript('bash', commands);

/** Completions that bash offers after these words; the last one is incomplete. */
const offered = (...words: readonly string[]): readonly string[] => {
  const line = ['handset', ...words].map((word) => `'${word}'`).join(' ');
  const ask = `${script}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _handset; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', ask], { encoding: 'utf8' }).trim().split('\n');
};

test('bash completes commands, their second words and their options', () => {
  const first = new Set(['start', 'sandbox', ...commands.map(({ words }) => words.split(' ')[0]!)]);
  assert.deepEqual(new Set(offered('')), first);
  assert.deepEqual(offered('ev'), ['events']);
  assert.deepEqual(
    new Set(offered('device', '')),
    new Set(commands.filter(({ words }) => words.startsWith('device ')).map(({ words }) => words.split(' ')[1]!)),
  );
  assert.deepEqual(offered('send', 'image', '1', '--c'), ['--caption']);
  assert.deepEqual(offered('events', '1', '--fo'), ['--follow']);
  assert.deepEqual(offered('--json', 'key', 'l'), ['list']);
  assert.deepEqual(offered('start', '--s'), ['--sandbox']);
});

const known: Readonly<Record<string, string>> = { zsh: '/usr/bin/zsh', fish: '/usr/bin/fish' };

for (const shell of shells) {
  test(`the script for ${shell} names every command and option`, async () => {
    await using session = await openShell();
    const { code, stdout } = await session.handset(['completion', shell]);
    assert.equal(code, 0);
    for (const { words, options } of commands) {
      for (const word of words.split(' ')) assert.ok(stdout.includes(word), word);
      for (const name of Object.keys(options ?? {})) assert.ok(stdout.includes(name), name);
    }
    const path = known[shell];
    if (path !== undefined && existsSync(path)) execFileSync(path, ['-n'], { input: stdout });
  });
}

test('another shell is wrong usage', async () => {
  await using session = await openShell();
  assert.equal((await session.handset(['completion', 'tcsh'])).code, 2);
});

test('every command has examples, which name commands and options that exist', async () => {
  for (const { words } of commands) assert.ok(examples[words] !== undefined, `${words} has no example`);
  for (const [words, lines] of Object.entries(examples)) {
    const command = commands.find((one) => one.words === words);
    assert.ok(command !== undefined, words);
    for (const line of lines) {
      assert.ok(line === words || line.startsWith(`${words} `), line);
      const args =
        line
          .split(/ [<>] /)[0]!
          .slice(words.length)
          .trim()
          .match(/'[^']*'|\S+/g) ?? [];
      const options = { ...command.options, json: { type: 'boolean' } } as const;
      const { positionals } = parseArgs({ args, options, allowPositionals: true });
      assert.ok(positionals.length <= command.positionals.length, line);
    }
  }
  await using session = await openShell();
  const { stdout } = await session.handset(['send', 'text', '--help']);
  assert.match(stdout, /Examples:\n {2}handset send text 1 /);
});
