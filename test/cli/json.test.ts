/** Every command with --json: what it prints is JSON, one value a line, and a refusal prints none. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandOf } from '../../src/cli/words.ts';
import { commands } from '../../src/cli/commands.ts';
import { ada, bob, untilChat, untilOpen } from '../flows/steps.ts';
import { ownerKey, startInstallation } from '../support/installation.ts';
import { startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { openShell } from './terminal.support.ts';

const adminToken = 'the-admin-token-of-the-installation';
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Commands that print no value of their own; other tests run them. */
const apart: Readonly<Record<string, string>> = {
  mcp: 'speaks JSON-RPC, in mcp.test.ts',
  listen: 'runs until it is ended',
  capture: 'runs until it is ended',
  'capture compare': 'reads a capture, in capture.test.ts',
  'device passkey': 'needs a gate, in handset.passkey.test.ts',
  'migrate-to-postgres': 'needs a server, in migrate-to-postgres.test.ts',
};

test('every command prints JSON', async () => {
  await using installation = await startInstallation({ HANDSET_ADMIN_TOKEN: adminToken });
  await using receiver = await startReceiver();
  const { url } = installation.handset;
  const folder = await mkdtemp(join(tmpdir(), 'handset-json-'));
  await using shell = await openShell({
    HANDSET_URL: url,
    HANDSET_KEY: ownerKey,
    HANDSET_ADMIN_TOKEN: adminToken,
    HANDSET_DATA_DIR: installation.dataDir,
    HANDSET_NETWORK: installation.phones.controlUrl,
  });
  const ran = new Set<string>();
  const begin = async (line: string, more: readonly string[]) => {
    const args = [...line.split(' '), ...more];
    ran.add(commandOf(args)!.words);
    const input = line.startsWith('login') ? ownerKey : 'correct horse battery staple';
    return shell.handset([...args, '--json'], input);
  };
  /** The first value that it prints. */
  const does = async (line: string, ...more: readonly string[]) => {
    const { code, stdout, stderr } = await begin(line, more);
    assert.equal(code, 0, `${line}: ${stderr}`);
    assert.notEqual(stdout, '', line);
    const [first] = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    return first;
  };
  const isRefused = async (line: string, ...more: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await begin(line, more);
    assert.deepEqual([code, stdout], [1, ''], line);
    assert.match(stderr, /^handset: \S/, line);
  };
  try {
    const image = join(folder, 'pixel.png');
    await writeFile(image, Buffer.from(pixel, 'base64'));
    await does(`phone add ${ada} Ada`);
    await does(`phone add ${bob} Bob`);
    await does('phone list');
    await does('device create --name Second --no-wait');
    await does('device qr 1');
    await does(`phone scan ${ada} 1`);
    await untilOpen(installation, 1);
    await does('device show 1');
    await does('device rename 1', 'Front desk');
    assert.deepEqual((await does('device list'))[0].name, 'Front desk');
    for (const line of ['device settings 1', 'limits 1', 'usage 1', 'account show', 'account list']) await does(line);

    const { messageId } = await does(`send text 1 ${bob}`, 'Hello');
    await does(`send image 1 ${bob} ${image}`);
    await does(`send document 1 ${bob} ${image}`);
    await does(`send sticker 1 ${bob} ${image}`);
    await isRefused(`send video 1 ${bob} ${image}`);
    await isRefused(`send audio 1 ${bob} ${image}`);
    await does(`send location 1 ${bob} 52.5 13.4`);
    await does(`send contact 1 ${bob} Ada ${ada}`);
    const poll = await does(`send poll 1 ${bob} Where --option Lisbon --option Oslo`);
    await does(`send reply 1 ${bob} ${messageId} Yes`);
    await does(`send reaction 1 ${messageId} 👍`);
    await does(`send edit 1 ${messageId} Hello!`);
    await does(`send forward 1 ${messageId} ${bob}`);
    assert.equal((await does(`messages show 1 ${messageId}`)).text, 'Hello!');
    await does(`message receipts 1 ${messageId}`);
    assert.equal((await does(`message votes 1 ${poll.messageId}`)).options.length, 2);
    await does(`message pin 1 ${messageId}`);
    await does(`message star 1 ${messageId}`);
    await does('message list 1');
    await does(`message delete 1 ${messageId} --for-me`);
    await does(`send delete 1 ${poll.messageId}`);
    await does(`phone messages ${bob}`);
    await does(`phone write ${bob} ${ada} Hi`);
    await untilChat(installation, 1, bob);
    await isRefused(`message media 1 ${messageId} ${folder}/media`);
    const [sent] = await installation.phones.write(bob, { to: ada, imageBase64: pixel });
    await eventually('the image has come', async () => {
      const { body } = await installation.api.get('/devices/1/messages?type=image&from=' + bob);
      return body.messages.length === 1;
    });
    assert.equal((await does(`message media 1 ${sent} ${folder}/media`)).file, `${folder}/media`);
    assert.deepEqual(await readFile(`${folder}/media`), Buffer.from(pixel, 'base64'));
    // A file that is there is not overwritten.
    await isRefused(`message media 1 ${sent} ${folder}/media`);

    for (const line of [`chat show 1 ${bob}`, `chat typing 1 ${bob} text`, `chat read 1 ${bob}`]) await does(line);
    await does('chat list 1');
    await does(`chat set 1 ${bob} --archived on`);
    await does(`chat history 1 ${bob} 5`);
    await isRefused('call reject 1 nobody');
    for (const what of ['show', 'block', 'unblock']) await does(`contact ${what} 1 ${bob}`);
    await does(`contact name 1 ${bob} Robert`);
    await does(`contact lookup 1 ${bob}`);
    await does('contact list 1');
    await isRefused(`contact picture 1 ${bob} ${folder}/picture`);
    await does('profile 1');
    await does(`suppressions add 4915550009999`);
    await does('suppressions list');
    await does('suppressions remove 4915550009999');

    const { group } = await does('groups create 1 Friends');
    await does(`groups add 1 ${group.jid} ${bob}`);
    await does(`groups admin 1 ${group.jid} ${bob} on`);
    await does(`group show 1 ${group.jid}`);
    await does(`groups set 1 ${group.jid} --locked on`);
    const { link } = await does(`groups invite 1 ${group.jid}`);
    await does(`groups preview 1 ${link}`);
    await does(`groups requests 1 ${group.jid}`);
    await isRefused(`groups decide 1 ${group.jid} ${bob} approve`);
    await isRefused(`groups picture 1 ${group.jid} ${folder}/group`);
    await isRefused('groups join 1 https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv');
    await does(`groups remove 1 ${group.jid} ${bob}`);
    await does('groups list 1');
    await does(`groups leave 1 ${group.jid} --yes`);

    await does(`webhook set 1 ${receiver.url}/hook`);
    const { webhook } = await does(`webhook add 1 ${receiver.url}/bot --event message.received`);
    await does('webhook list 1');
    for (const what of ['show', 'test', 'secret', 'update']) await does(`webhook ${what} 1 ${webhook.id}`);
    await does(`phone write ${bob} ${ada} Again`);
    await receiver.until(1, ({ path, event }) => path === '/bot' && event.type === 'message.received');
    const [delivery] = await does(`deliveries list 1 ${webhook.id}`);
    await does(`deliveries show 1 ${webhook.id} ${delivery.id}`);
    await does(`deliveries replay 1 ${webhook.id}`);
    await does(`webhook delete 1 ${webhook.id} --yes`);
    await does('events 1');

    await does('user create acme');
    await does('user list');
    await does('user update acme --device-limit 5');
    await does('user delete acme --yes');
    const made = await does('key create ci');
    await does('key list');
    await does(`key expire ${made.id} --never`);
    await does(`key revoke ${made.id}`);
    for (const line of ['reread', 'audit', 'doctor']) await does(line);
    await does(`backup ${folder}/backup`);

    await does('device stop 1');
    await does('device start 1');
    await untilOpen(installation, 1);
    await does('device restart 1');
    await untilOpen(installation, 1);
    await does(`device export 1 ${folder}/device`);
    await does('device forget 1');
    const [owner] = await does('user list');
    await does(`device import ${folder}/device --user ${owner.name}`);
    await untilOpen(installation, 2);
    await does('device disconnect 2');
    await does('device delete 2 --yes');
    await does('logout');
    await does(`login --url ${url}`);
    await does('completion bash');

    await installation.stop();
    await does('migrate --check');
    await does(`restore ${folder}/backup --yes`);
    await does('rotate-secret');
    await does('compact');
    const missing = commands.map(({ words }) => words).filter((words) => !ran.has(words) && apart[words] === undefined);
    assert.deepEqual(missing, []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
