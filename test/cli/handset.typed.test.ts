/** What is typed: values that look like options, the words of errors, and what the completion asks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCredentials } from '../../src/cli/client/client.ts';
import { areasIn } from '../../src/mcp/server.ts';
import { startReceiver } from '../support/receiver.ts';
import { openShell } from './terminal.support.ts';

test('an error of the service names the options and arguments that were typed', async () => {
  await using service = await startReceiver();
  await using shell = await openShell({ HANDSET_URL: service.url, HANDSET_KEY: 'hs_x' });
  const send = ['send', 'text', '1', '4915112345678', 'Hello'];
  const terms = 'The account has not accepted the terms for channels; acceptTerms does so';
  for (const [args, said, expected] of [
    [send, 'toNumber is not on the network', '<to> is not on the network'],
    [send, 'sendAt must be in the future', '--at must be in the future'],
    [send, 'message is required', '<message> is required'],
    [['channel', 'create', '1', 'Bakery'], terms, terms.replace('acceptTerms', '--accept-terms')],
    [['device', 'list'], 'toNumber must be digits', 'toNumber must be digits'],
    [['events', '1', '--last', '0'], 'limit must be a whole number', '--last must be a whole number'],
    [['events', '1', '--event', 'foo'], 'types must be kinds of events', '--event must be kinds of events'],
    [['events', '1', '-f', '--event', 'foo'], 'types must be kinds of events', '--event must be kinds of events'],
    [['message', 'list', '1', '--limit', '0'], 'limit must be a whole number', '--limit must be a whole number'],
    [
      ['key', 'expire', '1', '--at', 'x'],
      'expiresAt must be an RFC 3339 timestamp',
      '--at must be an RFC 3339 timestamp',
    ],
    [
      ['status', 'post', '1', 'text', 'x', '--only', 'a'],
      'audience.only[0] must be digits',
      '--only[0] must be digits',
    ],
    [['status', 'post', '1', 'text', ' '], 'text must be a string', '<content> must be a string'],
    [['group', 'add', '1', '2@g.us', 'a'], 'members[0] must be digits', '<person>[0] must be digits'],
  ] as const) {
    service.answer({ status: 400, body: JSON.stringify({ status: { code: 400, message: said } }) });
    assert.equal((await shell.handset(args)).stderr, `handset: ${expected}\n`);
  }
});

test('numbers of people are taken as they are written, wherever a command takes one', async () => {
  await using service = await startReceiver();
  const group = { jid: '2@g.us' };
  const health = { health: 'healthy', failingSince: null, disabledAt: null, lastSuccessAt: null };
  const webhook = { ...health, id: 'whk_1', url: 'U', events: [], headerNames: [], chats: null, settleSeconds: null };
  const device = { id: 1, status: 'qr', qr: null };
  const answer = {
    secret: 'whsec_x',
    messageId: '3EB0',
    group,
    results: [],
    webhook,
    messageIds: [],
    messages: [],
    device,
    phone: {},
  };
  service.answer({ status: 200, body: JSON.stringify(answer) });
  await using shell = await openShell({ HANDSET_URL: service.url, HANDSET_KEY: 'hs_x' });
  const written = '+49 (0)151 12345678';
  const digits = '4915112345678';
  const contacts = [{ name: 'Ada', numbers: [digits] }];
  const audience = { except: [digits, '2@lid'] };
  for (const [args, path, body] of [
    [
      ['send', 'contact', '1', digits, 'Ada', written],
      '/v1/devices/1/messages/contact',
      { toNumber: digits, contacts },
    ],
    [
      ['group', 'create', '1', 'Tea', '--member', written],
      '/v1/devices/1/groups',
      { subject: 'Tea', members: [digits] },
    ],
    [['group', 'add', '1', '2@g.us', written], '/v1/devices/1/groups/2%40g.us/members', { members: [digits] }],
    [
      ['webhook', 'add', '1', 'https://a.example', '--event', 'call', '--only', written],
      '/v1/devices/1/webhooks',
      { url: 'https://a.example', events: ['call'], chats: { only: [digits] } },
    ],
    [
      ['status', 'post', '1', 'text', 'Open', '--except', `${written}, 2@lid`],
      '/v1/devices/1/status',
      { type: 'text', text: 'Open', audience },
    ],
    [['device', 'create', '--no-wait', '--json', '--phone-number', written], '/v1/devices', { phoneNumber: digits }],
    [['phone', 'add', written], '/sandbox/phones', { number: digits }],
    [['phone', 'write', written, written, 'Hi'], `/sandbox/phones/${digits}/messages`, { to: digits, text: 'Hi' }],
  ] as const) {
    const { code, stderr } = await shell.handset(args);
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    const request = service.received.at(-1)!;
    assert.deepEqual([request.path, JSON.parse(request.body)], [path, body]);
  }
});

test('an option of a poll may have a comma, and counts are told before anything is asked', async () => {
  await using service = await startReceiver();
  service.answer({ status: 200, body: '{"messageId":"3EB0"}' });
  await using shell = await openShell({ HANDSET_URL: service.url, HANDSET_KEY: 'hs_x' });
  const poll = ['send', 'poll', '1', '4915112345678', 'When?', '--option', 'Yes, at noon'];
  assert.equal((await shell.handset([...poll, '--option', 'No', '--several'])).code, 0);
  const { options, maxAnswers } = JSON.parse(service.received.at(-1)!.body);
  assert.deepEqual([options, maxAnswers], [['Yes, at noon', 'No'], 2]);
  for (const [args, said] of [
    [poll, 'give --option 2 to 12 times'],
    [['send', 'album', '1', '4915112345678', '--file', 'one.jpg'], 'give --file 2 to 30 times'],
    [
      ['send', 'contact', '1', '4915112345678', 'Ada', 'abc'],
      '<number> is a phone number with its country code; "abc" is not',
    ],
    [['message', 'pin', '1', '3EB0', '--days', '3'], '--days is 1, 7 or 30'],
  ] as const) {
    const { code, stderr } = await shell.handset(args);
    assert.deepEqual([code, stderr], [2, `handset: ${said}\n`]);
  }
  assert.equal(service.received.length, 1);
});

test('values may begin with a minus, or with a dash and a space', async () => {
  await using service = await startReceiver();
  service.answer({ status: 200, body: '{"messageId":"3EB0"}' });
  await using shell = await openShell({ HANDSET_URL: service.url, HANDSET_KEY: 'hs_x' });
  const sent = async (...args: readonly string[]): Promise<unknown> => {
    assert.equal((await shell.handset(['send', ...args])).code, 0);
    return JSON.parse(service.received.at(-1)!.body);
  };
  const [latitude, longitude] = [-33.8568, -151.2];
  assert.deepEqual(await sent('location', '1', '4915112345678', '-33.8568', '-151.2', '--name', '- a -'), {
    toNumber: '4915112345678',
    latitude,
    longitude,
    name: '- a -',
  });
  assert.deepEqual(await sent('text', '1', '4915112345678', '- a list'), {
    toNumber: '4915112345678',
    message: '- a list',
  });
});

test('what is given chooses between two requests of one command, and a word says null', async () => {
  await using service = await startReceiver();
  await using shell = await openShell({ HANDSET_URL: service.url, HANDSET_KEY: 'hs_x' });
  const settings = { rejectCalls: false, history: 'full', proxy: null, channels: 'none', stopWords: [], presence: [] };
  const profile = { number: '4915112345678', username: null, name: null, about: null, aboutExpiresAt: null };
  const group = { subject: 'Tea', description: null, memberAddMode: 'admins', expiresInSeconds: null };
  const health = { health: 'healthy', failingSince: null, disabledAt: null, lastSuccessAt: null };
  const webhook = { ...health, id: 'whk_1', url: 'U', events: [], headerNames: [], chats: null, settleSeconds: null };
  const answered = {
    settings,
    profile,
    group,
    webhook,
    invite: { link: 'L' },
    secret: 'S',
    usage: [],
    status: { message: 'Done' },
  };
  service.answer({ status: 200, body: JSON.stringify(answered) });
  const requestOf = async (line: string) => {
    const { code, stderr } = await shell.handset(line.split(' '), 'socks5://a:b@proxy:1080');
    assert.equal(code, 0, `${line}: ${stderr}`);
    const { method, path, body } = service.received.at(-1)!;
    return [`${method} ${path.slice('/v1'.length)}`, ...(body === '' ? [] : [JSON.parse(body)])];
  };
  const many = '--reject-calls off --history full --new-chats-per-day 20 --stop-words stop,quit';
  const manyOf = { rejectCalls: false, history: 'full', newChatsPerDay: 20, stopWords: ['stop', 'quit'] };
  const none = '--presence none --new-chats-per-day none --stop-words none --proxy none';
  const noneOf = { presence: [], newChatsPerDay: null, stopWords: [], proxy: null };
  const about = { about: 'Away', aboutExpiresAt: '2030-01-07T06:00:00.000Z' };
  const groupOf = { locked: true, memberAddMode: 'admins', expiresInSeconds: 604_800 };
  const chatOf = { mutedUntil: null, labels: [], expiresInSeconds: null };
  const webhookOf = { enabled: false, settleSeconds: 10, chats: null };
  const liked = { reaction: '💚' };
  const statusOf = { type: 'text', text: 'Open', font: 2, audience: 'contacts' };
  const pictureOf = { type: 'image', mediaUrl: 'http://a.example/cat.png', audience: { only: ['49151'] } };
  for (const [line, ...request] of [
    ['device settings 1', 'GET /devices/1/settings'],
    [`device settings 1 ${many}`, 'PUT /devices/1/settings', manyOf],
    [`device settings 1 ${none}`, 'PUT /devices/1/settings', noneOf],
    ['device settings 1 --reject-calls Write!', 'PUT /devices/1/settings', { rejectCalls: 'Write!' }],
    ['device settings 1 --proxy ask', 'PUT /devices/1/settings', { proxy: 'socks5://a:b@proxy:1080' }],
    ['profile 1', 'GET /devices/1/profile'],
    [
      'profile 1 --username none --username-key 4711',
      'PUT /devices/1/profile',
      { username: null, usernameKey: '4711' },
    ],
    ['profile 1 --about Away --about-until 2030-01-07T06:00:00Z', 'PUT /devices/1/profile', about],
    ['group set 1 2@g.us', 'GET /devices/1/groups/2%40g.us'],
    ['group set 1 2@g.us --locked on --timer 7d --add-mode admins', 'PUT /devices/1/groups/2%40g.us', groupOf],
    ['chat set 1 4915 --muted off --labels off --timer off', 'PUT /devices/1/chats/4915', chatOf],
    [
      'chat set 1 4915 --labels 7,8 --muted always',
      'PUT /devices/1/chats/4915',
      { mutedUntil: 'always', labels: ['7', '8'] },
    ],
    ['webhook update 1 whk_1 --enabled off --settle 10 --all-chats', 'PUT /devices/1/webhooks/whk_1', webhookOf],
    ['group invite 1 2@g.us', 'GET /devices/1/groups/2%40g.us/invite'],
    ['group invite 1 2@g.us --rotate', 'POST /devices/1/groups/2%40g.us/invite/rotate'],
    ['webhook secret all whk_1', 'GET /webhooks/whk_1'],
    ['webhook secret 1 whk_1 --rotate', 'POST /devices/1/webhooks/whk_1/rotate-secret'],
    ['delivery replay all whk_1', 'POST /webhooks/whk_1/deliveries/retry', {}],
    ['delivery replay 1 primary dlv_1', 'POST /devices/1/webhooks/primary/deliveries/dlv_1/retry'],
    ['send reaction 1 3EB0 none', 'PUT /devices/1/messages/3EB0/reaction', { reaction: null }],
    ['status reaction 1 3EB0 none', 'PUT /devices/1/status/3EB0/reaction', { reaction: null }],
    ['channel reaction 1 2@newsletter 101 💚', 'PUT /devices/1/channels/2%40newsletter/messages/101/reaction', liked],
    ['usage --by day', 'GET /usage?by=day'],
    ['usage 1', 'GET /devices/1/usage'],
    ['device settings 1 --reject-calls text', 'PUT /devices/1/settings', { rejectCalls: 'text' }],
    ['status post 1 text Open --font 2 --except nobody', 'POST /devices/1/status', statusOf],
    ['status post 1 image http://a.example/cat.png --only 49151', 'POST /devices/1/status', pictureOf],
  ] as const)
    assert.deepEqual(await requestOf(line), request, line);
  await requestOf('profile 1 --picture none');
  assert.deepEqual(
    service.received.slice(-2).map(({ method, path }) => `${method} ${path}`),
    ['DELETE /v1/devices/1/profile/picture', 'GET /v1/devices/1/profile'],
  );
  for (const [line, expected] of [
    ['status post 1 gif cat.gif', '<type> is text, image, video or voice'],
    ['device settings 1 --history all', '--history is none, recent or full'],
    ['device settings 1 --new-chats-per-day few', '--new-chats-per-day is a number or none; "few" is not'],
    ['delivery replay 1 whk_1 dlv_1 --since 2026-11-27T09:00', '--since does not go with <delivery>'],
  ] as const) {
    const { code, stderr } = await shell.handset(line.split(' '));
    assert.deepEqual([code, stderr], [2, `handset: ${expected}\n`]);
  }
});

test('messages are a line each, also as JSON, and how far was searched is noted', async () => {
  await using service = await startReceiver();
  await using shell = await openShell({ HANDSET_URL: service.url, HANDSET_KEY: 'hs_x' });
  const message = { direction: 'out', chatNumber: '4915112345678', timestamp: 'T', type: 'text', deletedAt: null };
  const messages = ['Hello', 'Hello again'].map((text, index) => ({ ...message, text, id: `3EB${index}` }));
  const page = { messages, nextCursor: null, searchedSince: '2026-11-01T00:00:00.000Z' };
  service.answer({ status: 200, body: JSON.stringify(page) });
  assert.deepEqual(await shell.handset(['message', 'list', '1', '--q', 'hello']), {
    code: 0,
    stdout: 'T  3EB0  to 4915112345678: Hello\nT  3EB1  to 4915112345678: Hello again\n',
    stderr: 'Earlier messages were not searched. Go on with --until 2026-11-01T00:00:00.000Z\n',
  });
  assert.equal(service.received.at(-1)!.path, '/v1/devices/1/messages?q=hello');
  assert.deepEqual(await shell.json(['message', 'list', '1']), messages);
});

test('a file of an album that is not there is said, and nothing is sent', async () => {
  await using service = await startReceiver();
  await using shell = await openShell({ HANDSET_URL: service.url, HANDSET_KEY: 'hs_x' });
  const { code, stderr } = await shell.handset([
    'send',
    'album',
    '1',
    '4915112345678',
    '--file',
    'gone.jpg',
    '--file',
    'two.jpg',
  ]);
  assert.deepEqual([code, stderr], [1, 'handset: the file gone.jpg cannot be read: there is no such file\n']);
  assert.equal(service.connections, 0);
});

test('the completion uses the key that was stored, and the help of mcp names every area', async () => {
  await using service = await startReceiver();
  service.answer({ status: 200, body: '{"devices":[{"id":7,"name":"Support"}]}' });
  await using shell = await openShell();
  await writeCredentials(shell.credentialsFile, { url: service.url, key: 'hs_secret' });
  assert.equal((await shell.handset(['completion', 'devices'])).stdout, '7\tSupport\n');
  const { stdout } = await shell.handset(['mcp', '--help']);
  assert.ok(stdout.includes(`: ${areasIn(undefined).join(', ')}\n`));
});
