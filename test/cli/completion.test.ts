/** Completion scripts and the examples of the help: what they name is there. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { commands, fromContract } from '../../src/cli/commands.ts';
import { completionScript, shells } from '../../src/cli/help/completion.ts';
import { examples } from '../../src/cli/help/examples.ts';
import { createServer } from 'node:net';
import { parse } from '../../src/cli/run.ts';
import { openShell } from './terminal.support.ts';

/** Accepts connections, and says nothing. */
const startSilent = async () => {
  const server = createServer((socket) => void socket.resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

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
  assert.deepEqual(offered('--json', 'key', 'l'), ['list', 'limit']);
  assert.deepEqual(offered('start', '--s'), ['--sandbox']);
});

test('device ids and chats are asked of the service', () => {
  const line = (words: string) =>
    `COMP_WORDS=(handset ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _handset; echo "\${COMPREPLY[@]}"`;
  const asked = (words: string) => {
    const fake = `handset() { [ "$2" = devices ] && printf '1\\tDesk\\n22\\tShop\\n'; [ "$2" = chats ] && echo "491$3"; }`;
    return execFileSync('bash', ['-c', `${fake}\n${script}\n${line(words)}`], { encoding: 'utf8' }).trim();
  };
  assert.equal(asked("device show ''"), '1 22');
  assert.equal(asked('events 2'), '22');
  assert.equal(asked("send text 7 ''"), '4917');
  assert.equal(asked("chat read --json 7 ''"), '4917');
  assert.doesNotMatch(asked('device show --w'), /22/);
});

test('a service that does not answer ends the completion after a second', async () => {
  await using silent = await startSilent();
  await using session = await openShell({ HANDSET_URL: silent.url, HANDSET_KEY: 'hs_x' });
  const began = performance.now();
  assert.deepEqual(await session.handset(['completion', 'devices']), { code: 0, stdout: '', stderr: '' });
  assert.ok(performance.now() - began < 5000);
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

test('every command by hand has examples, and examples name commands and options that exist', async () => {
  for (const command of commands)
    assert.ok(
      fromContract.includes(command) || examples[command.words] !== undefined,
      `${command.words} has no example`,
    );
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
      const { positionals } = parse(command, args);
      assert.ok(positionals.length <= command.positionals.length, line);
    }
  }
  await using session = await openShell();
  const { stdout } = await session.handset(['send', 'text', '--help']);
  assert.match(stdout, /Examples:\n {2}handset send text 1 /);
});
