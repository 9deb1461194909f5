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
  ] as const) {
    service.answer({ status: 400, body: JSON.stringify({ status: { code: 400, message: said } }) });
    assert.equal((await shell.handset(args)).stderr, `handset: ${expected}\n`);
  }
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

test('a file of an album that is not there is said, and nothing is sent', async () => {
  await using service = await startReceiver();
  await using shell = await openShell({ HANDSET_URL: service.url, HANDSET_KEY: 'hs_x' });
  const { code, stderr } = await shell.handset(['send', 'album', '1', '4915112345678', '--file', 'gone.jpg']);
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
