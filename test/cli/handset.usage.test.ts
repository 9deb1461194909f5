/** Words, options, help and exit codes: what needs no service. */
import assert from 'node:assert/strict';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { parseStream } from '../../src/mcp/event-feed.ts';
import { table } from '../../src/cli/terminal/output.ts';
import { plain, printable } from '../../src/cli/terminal/paint.ts';
import { recipientOf } from '../../src/mcp/people.ts';
import { commands } from '../../src/cli/commands.ts';
import { writeCredentials } from '../../src/cli/client/client.ts';
import { readClientConfig } from '../../src/config.ts';
import { startReceiver } from '../support/receiver.ts';
import { openShell } from './terminal.support.ts';

test('help tells every command, and each command has its own', async () => {
  await using shell = await openShell();
  for (const args of [[], ['--help'], ['-h'], ['help']]) {
    const { code, stdout } = await shell.handset(args);
    assert.equal(code, 0);
    for (const command of commands) assert.ok(stdout.includes(`  ${command.words}`), command.words);
  }
  for (const command of commands) {
    const { code, stdout } = await shell.handset([...command.words.split(' '), '--help']);
    assert.equal(code, 0);
    assert.ok(stdout.startsWith(`Usage: handset ${command.words}`), command.words);
    for (const [name, { help }] of Object.entries(command.options ?? {})) {
      assert.ok(stdout.includes(`--${name}`), `${command.words} --${name}`);
      assert.notEqual(help, '', `${command.words} --${name} is not explained`);
    }
  }
});

test('a word that begins several commands has a help of its own, and the version is told', async () => {
  await using shell = await openShell();
  for (const args of [
    ['device', '--help'],
    ['help', 'device'],
    ['-h', 'device'],
  ]) {
    const { code, stdout } = await shell.handset(args);
    assert.equal(code, 0);
    assert.ok(stdout.startsWith('Usage: handset device <command>'), args.join(' '));
    assert.match(stdout, /device create .*\n/);
    assert.doesNotMatch(stdout, /send text/);
  }
  for (const args of [
    ['help', 'send', 'text'],
    ['send', 'text', '1', '--nonsense', '--help'],
  ]) {
    assert.match((await shell.handset(args)).stdout, /^Usage: handset send text /);
  }
  assert.match((await shell.handset(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
});

test('commands are told by subject, and one or several of a thing are one word', async () => {
  await using shell = await openShell();
  const { stdout } = await shell.handset(['--help']);
  const sections = stdout.split('\n\n');
  const sectionOf = (words: string) => sections.find((section) => section.includes(`\n  ${words}`))?.split('\n')[0];
  const wanted = { 'device list': 'Devices:', 'message show': 'Messages:', 'delivery list': 'Events and webhooks:' };
  for (const [words, heading] of Object.entries({ ...wanted, 'user list': 'Operation:', backup: 'Operation:' }))
    assert.equal(sectionOf(words), heading, words);
  for (const [given, words] of [
    ['messages list', 'message list'],
    ['deliveries show', 'delivery show'],
    ['groups add', 'group add'],
  ] as const) {
    const help = await shell.handset([...given.split(' '), '--help']);
    assert.ok(help.stdout.startsWith(`Usage: handset ${words} `), given);
  }
});

test('where PostgreSQL has the data, the commands for the data folder leave it alone', async () => {
  const databaseUrl = 'postgres://nobody:nothing@127.0.0.1:1/nowhere';
  await using shell = await openShell({
    HANDSET_DATABASE_URL: databaseUrl,
    HANDSET_SECRET: 'x'.repeat(32),
    // The doctor looks for the real network otherwise.
    HANDSET_NETWORK: 'http://127.0.0.1:1',
  });
  for (const [args, expected] of [
    [['backup', 'copy.db'], /in the PostgreSQL of HANDSET_DATABASE_URL: back it up with pg_dump/],
    [['restore', 'copy.db', '--yes'], /in the PostgreSQL of HANDSET_DATABASE_URL: restore it with/],
    [['rotate-secret'], /Set HANDSET_SECRET to the present secret, and HANDSET_NEW_SECRET/],
  ] as const) {
    const { code, stderr } = await shell.handset(args);
    assert.equal(code, 1, args[0]);
    assert.match(stderr, expected, args[0]);
  }
  assert.match((await shell.handset(['doctor'])).stdout, /PROBLEM .*the database cannot be reached/);
});

test('wrong usage is exit code 2 and says what is wrong', async () => {
  await using shell = await openShell({ HANDSET_KEY: 'hs_x', HANDSET_URL: 'http://127.0.0.1:1' });
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['nonsense'], /unknown command "nonsense"; "handset --help" lists all/],
    [['devcie', 'list'], /unknown command "devcie list"; did you mean "device list"\?/],
    [['event', '1'], /did you mean "events"\?/],
    [['text', '1'], /did you mean "send text"\?/],
    [['qr', '1'], /did you mean "device qr"\?/],
    [['version'], /did you mean "--version"\?/],
    [['whoami'], /did you mean "account show"\?/],
    [['device', 'list', '--profile', 'a/b'], /A profile is named with/],
    [['docter'], /did you mean "doctor"\?/],
    [['help', 'nonsense'], /unknown command "nonsense"/],
    [['device'], /"device" needs one more word: device create, device list/],
    [['device', 'creat'], /unknown command "device creat"; did you mean "device create"\?/],
    [['device', 'list', '--colour'], /^handset: unknown option '--colour'; see "handset device list --help"\n$/],
    [['device', 'create', '--name'], /^handset: option '--name <value>' argument missing; see/],
    [['device', 'list', 'extra'], /unexpected argument "extra"; a text with spaces needs quotes/],
    [
      ['send', 'text', '1', 'Bob', 'hi'],
      /"Bob" is neither a phone number with its country code, nor @ and a username, nor a JID/,
    ],
    [['device', 'show'], /<device> is missing; see "handset device show --help"/],
    [['device', 'show', 'x'], /a device id is a number, as "handset device list" shows it; "x" is not/],
    [['device', 'delete', '1'], /add --yes/],
    [['send', 'text', '1', '4915112345678'], /<message> is missing/],
    [['key', 'revoke', 'ci'], /a key id is a number, as "handset key list" shows it/],
    [['listen', '1'], /--forward-to must be/],
    [['listen', '1', '--forward-to', 'ftp://x/'], /--forward-to must be/],
    [['login', '--url', 'localhost'], /--url must be/],
    [['--colour'], /unknown option --colour/],
    [['xyz'], /^handset: unknown command "xyz"; "handset --help" lists all\n$/],
    [['chat', 'set', '1', '4915112345678'], /nothing to change is given; see "handset chat set --help"/],
    [['group', 'set', '1', '120363025246125486@g.us', '--timer', '7'], /--timer is off, 1d, 7d or 90d/],
    [['webhook', 'add', '1', 'https://example.com/bot'], /--event is missing/],
  ];
  for (const [args, expected] of cases) {
    const { code, stdout, stderr } = await shell.handset(args);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, expected);
    assert.equal(stdout, '');
  }
});

test('no service is exit code 3, no key is 4', async () => {
  const gone = await startReceiver();
  await gone.close();
  await using shell = await openShell({ HANDSET_KEY: 'hs_x', HANDSET_URL: gone.url });
  for (const args of [['device', 'list'], ['events', '1', '--follow'], ['doctor']]) {
    const { code, stderr } = await shell.handset(args);
    assert.equal(code, 3, args.join(' '));
    assert.match(stderr, /no service answers at http:\/\/127\.0\.0\.1:\d+ \(.*ECONNREFUSED/);
  }
  await using anonymous = await openShell();
  const { code, stderr } = await anonymous.handset(['device', 'list']);
  assert.equal(code, 4);
  assert.match(stderr, /no key for http:\/\/127\.0\.0\.1:8080: set HANDSET_KEY, or run "handset login"/);
});

test('a kept key goes to the address it was kept for, and to no other', async () => {
  await using mine = await startReceiver();
  await using other = await startReceiver();
  mine.answer({ status: 200, body: '{"devices":[]}' });
  await using shell = await openShell();
  await writeCredentials(shell.credentialsFile, { url: mine.url, key: 'hs_secret' });
  assert.equal((await stat(shell.credentialsFile)).mode & 0o777, 0o600);
  assert.equal((await stat(dirname(shell.credentialsFile))).mode & 0o777, 0o700);
  assert.equal((await shell.handset(['device', 'list'])).code, 0);
  assert.equal(mine.received[0]?.headers.authorization, 'Bearer hs_secret');
  await using elsewhere = await openShell({ HANDSET_URL: other.url });
  await writeCredentials(elsewhere.credentialsFile, { url: mine.url, key: 'hs_secret' });
  assert.equal((await elsewhere.handset(['device', 'list'])).code, 4);
  assert.equal(other.connections, 0);
});

test('a profile has a service and a key of its own, which count more than the environment', async () => {
  await using usual = await startReceiver();
  await using staging = await startReceiver();
  for (const one of [usual, staging]) one.answer({ status: 200, body: '{"user":{"name":"owner"},"devices":[]}' });
  await using shell = await openShell({ HANDSET_URL: usual.url, HANDSET_KEY: 'hs_usual' });
  const login = ['login', '--profile', 'staging', '--url', staging.url, '--key', 'hs_staging'];
  assert.equal((await shell.handset(login)).code, 0);
  const keyOf = (one: typeof usual) => one.received.at(-1)?.headers.authorization;
  for (const args of [
    ['--profile', 'staging', 'device', 'list'],
    ['device', 'list', '--profile=staging'],
  ])
    assert.equal((await shell.handset(args)).code, 0);
  assert.deepEqual([staging.received.length, keyOf(staging)], [3, 'Bearer hs_staging']);
  assert.equal((await shell.handset(['device', 'list'])).code, 0);
  assert.equal(keyOf(usual), 'Bearer hs_usual');
  const unknown = await shell.handset(['device', 'list', '--profile', 'other']);
  const advice = 'run "handset login --profile other"';
  assert.deepEqual(unknown, { code: 4, stdout: '', stderr: `handset: no key for the profile "other": ${advice}\n` });
  const file = readClientConfig({ XDG_CONFIG_HOME: '/home/a', HANDSET_PROFILE: 'staging' }).credentialsFile;
  assert.equal(file, '/home/a/handset/credentials.staging.json');
});

test('usage leaves out what was idle, begins with the newest and ends with the totals', async () => {
  await using service = await startReceiver();
  const of = (from: string, sent: number, delivered: number) => ({
    from: `${from}T00:00:00.000Z`,
    sent,
    received: 0,
    failed: 0,
    failedPosts: 0,
    deliveries: { delivered, pending: 0, failed: 0 },
  });
  const usage = [of('2026-11-01', 1, 0), of('2026-11-02', 0, 0), of('2026-11-03', 2, 40)];
  service.answer({ status: 200, body: JSON.stringify({ usage }) });
  await using shell = await openShell({ HANDSET_URL: service.url, HANDSET_KEY: 'hs_x' });
  const { stdout } = await shell.handset(['usage', '1', '--by', 'day']);
  const columns = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/).slice(0, 5));
  assert.deepEqual(columns.slice(1), [
    ['2026-11-03 00:00Z', '2', '0', '0', '40'],
    ['2026-11-01 00:00Z', '1', '0', '0', '0'],
    ['total', '3', '0', '0', '40'],
  ]);
  service.answer({ status: 200, body: JSON.stringify({ usage: usage.slice(1, 2) }) });
  assert.match((await shell.handset(['usage'])).stdout, /^Nothing was sent or received/);
});

test('a credentials file that is broken is told, and log in and out still work', async () => {
  await using service = await startReceiver();
  service.answer({ status: 200, body: '{"user":{"name":"owner"}}' });
  await using shell = await openShell();
  await mkdir(dirname(shell.credentialsFile), { recursive: true });
  await writeFile(shell.credentialsFile, '{"url": 1}');
  const { code, stderr } = await shell.handset(['device', 'list']);
  assert.equal(code, 1);
  assert.match(stderr, /is damaged; run "handset login" again/);
  assert.equal((await shell.handset(['login', '--url', `${service.url}/v1/`], 'hs_typed\n')).code, 0);
  assert.equal(service.received[0]?.headers.authorization, 'Bearer hs_typed');
  assert.equal(service.received[0]?.path, '/v1/me');
  assert.equal((await shell.handset(['logout'])).code, 0);
  assert.equal((await shell.handset(['device', 'list'])).code, 4);
});

test('what is no Handset service is told', async () => {
  await using page = await startReceiver();
  page.answer({ status: 200, body: '<html>' });
  await using shell = await openShell({ HANDSET_URL: page.url, HANDSET_KEY: 'hs_x' });
  assert.match((await shell.handset(['device', 'list'])).stderr, /is not a Handset service/);
  page.answer({ status: 302, headers: { location: 'http://127.0.0.1:1/' } });
  assert.match((await shell.handset(['device', 'list'])).stderr, /answered HTTP 302/);
  page.answer({ status: 429, headers: { 'retry-after': '7' }, body: '{"status":{"code":429,"message":"Slow down"}}' });
  assert.match((await shell.handset(['device', 'list'])).stderr, /Slow down \(try again in 7 s\)/);
});

test('recipients are numbers in the usual spellings, or JIDs', () => {
  for (const number of ['4915112345678', '+49 151 12345678', '+49 (151) 1234-5678', '49.151.1234/5678']) {
    assert.deepEqual(recipientOf(number), { toNumber: '4915112345678' });
  }
  assert.deepEqual(recipientOf('123@g.us'), { to: '123@g.us' });
});

test('server-sent events are read however they are cut', async () => {
  const text =
    'retry: 2000\n: connected\n\nid: evt_1\nevent: call\ndata: {"a":1}\n\nid: evt_2\r\ndata: x\r\ndata: y\r\n\r\n';
  for (const size of [1, 2, 3, 7, 1000]) {
    const pieces = async function* (): AsyncGenerator<string> {
      for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
    };
    const messages = await Array.fromAsync(parseStream(pieces()));
    assert.deepEqual(messages, [
      { id: 'evt_1', data: '{"a":1}' },
      { id: 'evt_2', data: 'x\ny' },
    ]);
  }
});

test('what others wrote cannot command the terminal', () => {
  assert.equal(printable('a\u001b[2Jb\u009b1mc\rd\u202ee\tf\ng'), 'a\ufffd[2Jb\ufffd1mc\ufffdd\ufffde\tf\ng');
  assert.equal(
    table(['A', 'B'], [['long', 'x']])
      .map(plain)
      .join(''),
    'A     B\nlong  x',
  );
});
