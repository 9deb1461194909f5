/** The guides do what they say: their commands and programs run as they are written, against the service and the sandbox. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** The fenced blocks of a language, but for those that a comment before them takes out. */
const blocksOf = (page: string, language: string): readonly string[] => {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  const fence = new RegExp(`(<!-- not run[^>]*-->\\n)?\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g');
  return [...text.matchAll(fence)].filter(([, out]) => out === undefined).map(([, , code]) => code!);
};

describe('the guides', () => {
  let installation: Installation;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    installation = await startInstallation();
    folder = mkdtempSync(join(tmpdir(), 'handset-guides-'));
    env = {
      ...process.env,
      HANDSET_URL: installation.handset.url,
      HANDSET_KEY: ownerKey,
      SANDBOX: installation.phones.controlUrl,
      NODE_TEST_CONTEXT: undefined,
      npm_config_loglevel: 'error',
    };
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await installation[Symbol.asyncDispose]();
  });

  const runScript = async (lines: readonly string[]): Promise<string> => {
    // npx finds the same program, a few seconds later.
    const npx = `npx() { shift; '${process.execPath}' '${join(root, 'src/cli/handset.ts')}' "$@"; }`;
    const script = [npx, ...lines].join('\n');
    const options = { cwd: root, env, timeout: 60_000 };
    return (await run('bash', ['-euo', 'pipefail', '-c', script], options)).stdout;
  };
  const shell = (page: string): Promise<string> => runScript(blocksOf(page, 'sh'));

  /** A block of the README that a comment names. */
  const readmeBlock = (mark: string): string => {
    const text = readFileSync(join(root, 'README.md'), 'utf8');
    return new RegExp(`<!-- ${mark} -->\\n\`\`\`sh\\n([\\s\\S]*?)\\n\`\`\``).exec(text)?.[1] ?? '';
  };

  it('README.md: the way in the terminal is the one of quick-start-sandbox.md', () => {
    const commands = readmeBlock('terminal')
      .split('\n')
      .map((line) => line.replace(/ *#.*/, ''));
    assert.equal(commands.shift(), 'npx handset login');
    assert.ok(commands.length >= 6);
    const page = blocksOf('quick-start-sandbox.md', 'sh').join('');
    for (const command of commands) assert.ok(page.includes(`${command}\n`), command);
  });

  it('README.md: the first text over HTTP, an image, and an answer', async () => {
    await using own = await startInstallation();
    const script = readmeBlock('http')
      .replace('hs_…', ownerKey)
      .replace('http://127.0.0.1:8080', own.handset.url)
      .replace('http://127.0.0.1:4100/sandbox', own.phones.controlUrl);
    const stdout = await runScript([script]);
    assert.equal(stdout.match(/"status":"success","messageId"/g)?.length, 2);
    assert.match(stdout, /"text":"Hello from Handset"[^]*"caption":"a pixel"/);
    assert.doesNotMatch(stdout, /"error":[^n]/);
  });

  // First: the service is new, and its first device has the id 1.
  it('quick-start-sandbox.md: from nothing to an answer, in the terminal alone', async () => {
    const stdout = await shell('quick-start-sandbox.md');
    assert.match(stdout, /Device 1 is linked to 4915550001111\n/);
    assert.match(stdout, /Sent: [0-9A-F]{16,}\n.* 4915550001111: Hello from Handset\n/);
    assert.match(stdout, /message\.received .*"Hello yourself"\n/);
  });

  it('chats.md: who waits, what is read, tidied and known, in the terminal', async () => {
    const stdout = await shell('chats.md');
    assert.match(stdout, /"unread":[1-9]/);
    assert.match(stdout, /4915550002222: Is the shop open tomorrow\?\n/);
    assert.match(stdout, /Bob from the bakery/);
    await eventually('it is read', async () =>
      (await installation.phones.messages('4915550002222')).some(
        ({ text, state }) => text === 'Is the shop open tomorrow?' && state === 'read',
      ),
    );
  });

  it('testing.md: its test passes, and its faults are known', async () => {
    const [program] = blocksOf('testing.md', 'js run');
    const file = join(folder, 'guide.test.mjs');
    writeFileSync(file, program!);
    const { stdout } = await run(process.execPath, ['--test', file], { env, timeout: 60_000 });
    assert.match(stdout, /pass 1\n/);
    const faults = await shell('testing.md');
    assert.doesNotMatch(faults, /"error"/);
    assert.match(faults, /"latencyMs":2000/);
  });
});

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string): readonly string[] =>
  [
    ...readFileSync(join(root, page), 'utf8')
      .replaceAll(/```[\s\S]*?```/g, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, text]) =>
    text!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it('every link of the guides leads somewhere', () => {
  for (const page of [
    'README.md',
    'SECURITY.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'client/README.md',
    ...globSync('docs/**/*.md', { cwd: root }),
  ]) {
    const text = readFileSync(join(root, page), 'utf8').replace(/```[\s\S]*?```/g, '');
    for (const [, target = '', anchor] of text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g)) {
      const file = target === '' ? page : join(dirname(page), target);
      assert.ok(existsSync(join(root, file)), `${page} links to ${target}`);
      if (anchor !== undefined) assert.ok(anchorsOf(file).includes(anchor), `${page} links to ${target}#${anchor}`);
    }
  }
});

it('every file of code that the guides name is there', () => {
  const named = /`((?:src|test|bench|sandbox|tools|dashboard|client|extension|examples|deploy)\/[\w./-]+\.\w+)`/g;
  for (const page of [
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    'ARCHITECTURE.md',
    ...globSync('docs/**/*.md', { cwd: root }),
  ])
    for (const [, path = ''] of readFileSync(join(root, page), 'utf8').matchAll(named))
      assert.ok(existsSync(join(root, path)), `${page} names ${path}`);
});
