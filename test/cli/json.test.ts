/** Every command with --json: what it prints is JSON, one value a line, and a refusal prints none. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandOf } from '../../src/cli/run.ts';
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
    await does('device create --name Second --no-wait --history full');
    assert.equal((await does('device settings 1')).settings.history, 'full');
    await does('device qr 1');
    await does(`phone scan ${ada} 1`);
    await untilOpen(installation, 1);
    await does('device show 1');
    await does('device rename 1', 'Front desk');
    assert.deepEqual((await does('device list'))[0].name, 'Front desk');
    for (const line of ['device settings 1', 'limits 1', 'usage 1', 'account show', 'account list']) await does(line);

    const { messageId } = await does(`send text 1 ${bob}`, 'Hello');
    const naming = await does(`send text 1 ${bob} --mention ${ada}`, `Ask @${ada}`);
    const { mentions } = await does(`message show 1 ${naming.messageId}`);
    assert.equal(mentions[0].number, ada);
    await does(`send image 1 ${bob} ${image} --quoted-message-id ${messageId}`);
    await does(`send document 1 ${bob} ${image}`);
    await does(`send album 1 ${bob} --file ${image} --file ${image} --caption Twice`);
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
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const later = await does(`send text 1 ${bob} Later --at ${tomorrow}`);
    assert.equal(later.sendAt, tomorrow);
    assert.equal((await does('send scheduled 1')).scheduled[0].text, 'Later');
    await does(`send reschedule 1 ${later.messageId} --message Tomorrow`);
    await does(`send cancel 1 ${later.messageId}`);
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
    const label = await does('label create 1 Waiting --color 4');
    await does(`label set 1 ${label.id} --name Paid`);
    assert.deepEqual((await does(`message label 1 ${sent} --labels ${label.id}`)).message.labels, [label.id]);
    assert.equal((await does('label list 1')).length, 1);
    await does(`label delete 1 ${label.id} --yes`);
    await does(`chat history 1 ${bob} 5`);
    await does(`chat clear 1 ${bob} --yes`);
    await isRefused('call reject 1 nobody');
    for (const what of ['show', 'block', 'unblock']) await does(`contact ${what} 1 ${bob}`);
    await does(`contact name 1 ${bob} Robert`);
    await does(`contact lookup 1 ${bob}`);
    await does(`phone username ${bob} bob.baker`);
    assert.equal((await does('contact find 1 @bob.baker')).contacts[0].number, bob);
    await does('contact list 1');
    await isRefused(`contact picture 1 ${bob} ${folder}/picture`);
    const { statusId } = await does('status post 1 text Open --except nobody --background #1f7aec');
    assert.equal((await does(`status post 1 image ${image} --only ${bob} --caption Pixel`)).recipients, 1);
    assert.equal((await does('status list 1 --own')).statuses.length, 2);
    await does(`status viewers 1 ${statusId}`);
    await does(`status delete 1 ${statusId}`);
    for (const line of [`status view 1 ${statusId}`, `status reaction 1 ${statusId} 💚`]) await isRefused(line);
    await isRefused(`status media 1 ${statusId} ${folder}/status`);
    await does('profile 1');
    await does(`suppressions add 4915550009999`);
    await does('suppressions list');
    await does('suppressions remove 4915550009999');

    const { group } = await does('groups create 1 Friends');
    await does(`groups add 1 ${group.jid} ${bob}`);
    await does(`groups admin 1 ${group.jid} ${bob} on`);
    await does(`group show 1 ${group.jid}`);
    const channel = await does('channel create 1 News --description new --accept-terms on');
    await does(`channel set 1 ${channel.jid} --name Newer --reactions all`);
    const post = await does(`channel post 1 ${channel.jid} hello`);
    await does(`channel edit 1 ${channel.jid} ${post.serverId} hallo`);
    await does(`channel reaction 1 ${channel.jid} ${post.serverId} 💚`);
    await does(`channel view 1 ${channel.jid} ${post.serverId}`);
    assert.equal((await does(`channel messages 1 ${channel.jid}`))[0].text, 'hallo');
    await does(`channel delete-post 1 ${channel.jid} ${post.serverId} --yes`);
    for (const line of ['list 1', `show 1 ${channel.jid}`, `follow 1 ${channel.jid}`]) await does(`channel ${line}`);
    await isRefused(`channel unfollow 1 ${channel.jid}`);
    await does(`channel delete 1 ${channel.jid} --yes`);
    const { community } = await does(`community create 1 Town --group ${group.jid}`);
    for (const what of ['remove', 'add']) await does(`community ${what} 1 ${community.jid} ${group.jid}`);
    assert.equal((await does('community list 1')).length, 1);
    assert.equal((await does(`community show 1 ${community.jid}`)).groups.length, 2);
    await does(`community end 1 ${community.jid} --yes`);
    const club = (await does('community create 1 Club')).community;
    await does(`community leave 1 ${club.jid} --yes`);
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
    const webhooks = (await does('webhook list 1')) as { readonly id: string }[];
    assert.deepEqual(
      webhooks.map(({ id }) => id),
      [webhook.id, 'primary'],
    );
    for (const what of ['show', 'test', 'secret']) await does(`webhook ${what} 1 ${webhook.id}`);
    await does(`webhook update 1 ${webhook.id} --enabled on`);
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
    await does(`key limit ${made.id} --devices 1 --actions read`);
    await does(`key revoke ${made.id}`);
    for (const line of ['reread', 'audit', 'node list', 'doctor']) await does(line);
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
    await does(`device release 2 ${folder}/session`);
    await does('device delete 2 --yes');
    await does(`device adopt ${folder}/session --stopped`);
    await does('device disconnect 3');
    await does('device delete 3 --yes');
    await does('logout');
    await does(`login --url ${url}`);
    await does('completion bash');
    assert.deepEqual((await does('completion devices')).length, 0);

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
