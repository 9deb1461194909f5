/** Colours and progress: for a person at a terminal, and for nobody else. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeOutput } from '../../src/cli/terminal/output.ts';
import { paint } from '../../src/cli/terminal/paint.ts';
import { openStore } from '../../src/store/open-sqlite.ts';
import { startReceiver } from '../support/receiver.ts';
import { openShell } from './terminal.support.ts';

const device = {
  id: 1,
  name: 'Front \u001b[2Jdesk',
  status: 'connected',
  subscription_status: 'active',
  messagesSent: 0,
};
const green = '\u001b[32mconnected\u001b[39m';

test('colours are for terminals; NO_COLOR and FORCE_COLOR decide otherwise, and --json is never coloured', async () => {
  await using service = await startReceiver();
  service.answer({
    status: 200,
    body: JSON.stringify({ devices: [{ ...device, webhookUrl: null }], accounts: [], nextCursor: null }),
  });
  const listed = async (env: Readonly<Record<string, string>>, isTTY: boolean, ...more: readonly string[]) => {
    await using shell = await openShell({ HANDSET_URL: service.url, HANDSET_KEY: 'hs_x', ...env }, isTTY);
    const { code, stdout, stderr } = await shell.handset(['device', 'list', ...more]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const pipe = await listed({}, false);
  assert.ok(!pipe.includes('\u001b'));
  const terminal = await listed({}, true);
  assert.ok(terminal.includes(green));
  assert.ok(terminal.includes('Front \ufffd[2Jdesk'), 'what others wrote still commands nothing');
  // oxlint-disable-next-line no-control-regex -- escape sequences are what it takes away
  assert.equal(terminal.replaceAll(/\u001b\[\d+m/g, ''), pipe, 'the columns are the same');
  assert.equal(await listed({ NO_COLOR: '1' }, true), pipe);
  assert.equal(await listed({ NO_COLOR: '' }, true), terminal);
  assert.equal(await listed({ TERM: 'dumb' }, true), pipe);
  assert.equal(await listed({ FORCE_COLOR: '1' }, false), terminal);
  assert.equal(await listed({ FORCE_COLOR: '1', NO_COLOR: '1' }, false), terminal);
  assert.equal(await listed({ FORCE_COLOR: '0' }, true), pipe);
  const json = await listed({}, false, '--json');
  assert.equal(await listed({ FORCE_COLOR: '1' }, true, '--json'), json);
  assert.deepEqual((JSON.parse(json) as readonly { name: string }[])[0]?.name, device.name);
});

test('errors and help are coloured for a terminal', async () => {
  await using shell = await openShell({}, true);
  assert.ok((await shell.handset(['nonsense'])).stderr.startsWith('\u001b[31mhandset:\u001b[39m unknown command'));
  assert.match((await shell.handset(['nonsense', '--json'])).stderr, /^handset: unknown command/);
  assert.ok((await shell.handset([])).stdout.startsWith('\u001b[1mUsage:\u001b[22m handset <command>'));
});

test('progress is seen on a terminal, gone when it is done, and never in what is printed', async () => {
  for (const isTTY of [true, false]) {
    await using shell = await openShell({}, isTTY);
    const data = join(shell.credentialsFile, '..', '..', 'data');
    await mkdir(data, { recursive: true });
    await (await openStore({ dataDir: data, secret: null })).close();
    const { code, stdout, stderr } = await shell.handset(['backup', join(data, 'copy.db')]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Backed up the database of /);
    if (isTTY) assert.match(stderr, /Copying to .*Checking the copy/s);
    if (isTTY) assert.ok(stderr.endsWith('\r\u001b[K'));
    if (!isTTY) assert.equal(stderr, '');
  }
});

test('what is printed meanwhile stands above the progress, not in it', () => {
  const written: string[] = [];
  const screen = { isTTY: true, columns: 30, rows: 20, write: (text: string) => written.push(text) };
  const out = makeOutput({ stdout: screen, stderr: screen }, { json: false, colours: null });
  {
    using progress = out.progress('Working on something whose name is long');
    out.line('one ', paint('bad', 'two'));
    progress.tell('Done');
  }
  const lines = written.join('').split('\r\u001b[K');
  // oxlint-disable-next-line no-control-regex -- escape sequences are what it takes away
  const shown = lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, ''));
  assert.deepEqual(shown, [
    '',
    '⠋ Working on something whose ',
    'one two\n',
    '⠋ Working on something whose ',
    '⠋ Done',
    '',
  ]);
});
