/** The command line against the real service and the sandbox: from the first device to the last event. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import sharp from 'sharp';
import type { Device } from '../../src/domain/device.ts';
import { ownerKey, startInstallation } from '../support/installation.ts';
import { samplePath } from '../support/media.ts';
import { startReceiver, verify } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { openShell } from './terminal.support.ts';

test('a device is made, linked, used, watched and removed from the command line', async (t) => {
  await using installation = await startInstallation();
  const { phones, handset } = installation;
  await using shell = await openShell();
  await phones.add('4915550000001', 'Ada');
  await phones.add('4915550000002', 'Bob');

  await t.test('login keeps a key that works, and no other', async () => {
    const wrong = await shell.handset(['login', '--url', handset.url], `hs_${'B'.repeat(43)}`);
    assert.equal(wrong.code, 4);
    assert.match(
      wrong.stderr,
      /^handset: http:\S+ does not accept this key: check HANDSET_KEY, or run "handset login"/,
    );
    const right = await shell.handset(['login', '--url', handset.url], ownerKey);
    assert.equal(right.code, 0, right.stderr);
    assert.match(right.stdout, /Logged in at .* as owner/);
    assert.ok(!right.stdout.includes(ownerKey));
  });

  await t.test('device create draws a QR and waits for the link', async () => {
    const creating = shell.handset(['device', 'create', '--name', 'Front desk', '--wait']);
    const device = await eventually('a device', async () => {
      const [devices] = (await shell.json(['device', 'list'])) as [readonly Device[]];
      return devices[0]?.qr == null ? null : devices[0];
    });
    await phones.scan('4915550000001', device.qr!);
    const { code, stdout, stderr } = await creating;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Device 1 created\n[█▀▄ \n]{500,}Scan it with the phone/);
    assert.match(stdout, /Device 1 is connected/);
  });

  await t.test('device list and show', async () => {
    const list = await shell.handset(['device', 'list']);
    assert.match(list.stdout, /^ID {2}STATUS .*\n1 +connected +active +4915550000001 +0 +no +Front desk\n$/);
    // Linked a moment ago, it connects once more.
    const show = await shell.handset(['device', 'show', '1', '--wait']);
    assert.match(show.stdout, /Session: +open\n/);
    assert.match(show.stdout, /Account: +4915550000001\n/);
    const missing = await shell.handset(['device', 'show', '99']);
    assert.equal(missing.code, 1);
    assert.equal(missing.stderr, 'handset: Device not found\n');
    const qr = await shell.handset(['device', 'qr', '1']);
    assert.equal(qr.code, 1);
    assert.equal(qr.stderr, 'handset: device 1 is already linked, so it has no QR\n');
  });

  await t.test('device settings shows settings, and changes those given', async () => {
    const before = await shell.handset(['device', 'settings', '1']);
    assert.match(before.stdout, /^Online: +off: senders see one tick until the phone is online$/m);
    const [changed] = await shell.json(['device', 'settings', '1', '--online', 'on']);
    assert.partialDeepStrictEqual((changed as { settings: object }).settings, { online: true });
    assert.match((await shell.handset(['device', 'settings', '1'])).stdout, /on: the account appears online/);
    const wrong = await shell.handset(['device', 'settings', '1', '--online', 'yes']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--online is on or off/);
    await shell.json(['device', 'settings', '1', '--online', 'off']);
  });

  const following = shell.follow(['events', '1', '--follow', '--json']);
  await using receiver = await startReceiver();
  const listening = shell.follow(['listen', '1', '--forward-to', `${receiver.url}/hook`, '--event', 'message.sent']);
  await eventually('a stream', () => listening.notes().includes('Forwarding'));

  await t.test('send text and image, once per idempotency key', async () => {
    const first = await shell.handset([
      'send',
      'text',
      '1',
      '+49 1555 0000002',
      'Hello, Bob',
      '--idempotency-key',
      'k1',
    ]);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /^Sent: \S+\n$/);
    const again = await shell.handset([
      'send',
      'text',
      '1',
      '+49 1555 0000002',
      'Hello, Bob',
      '--idempotency-key',
      'k1',
    ]);
    assert.equal(again.stdout, first.stdout);
    const piped = await shell.handset(['send', 'text', '1', '4915550000002@s.whatsapp.net', '-'], 'From a pipe\n');
    assert.equal(piped.code, 0, piped.stderr);
    const file = join(dirname(dirname(shell.credentialsFile)), 'red.png');
    const red = sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } });
    await writeFile(file, await red.png().toBuffer());
    const image = await shell.handset(['send', 'image', '1', '4915550000002', file, '--caption', 'Red']);
    assert.equal(image.code, 0, image.stderr);
    const got = await eventually('three messages', async () => {
      const messages = await phones.messages('4915550000002');
      return messages.length >= 3 && messages;
    });
    assert.deepEqual(
      got.map((message) => message.text ?? message.image?.caption),
      ['Hello, Bob', 'From a pipe', 'Red'],
    );
    const none = await shell.handset(['send', 'image', '1', '4915550000002', `${file}.none`]);
    assert.match(none.stderr, /the image .*red\.png\.none cannot be read: there is no such file/);
    const large = `${file}.large`;
    await writeFile(large, Buffer.alloc(10_485_761));
    const uploaded = await shell.handset(['send', 'document', '1', '4915550000002', large]);
    assert.equal(uploaded.code, 0, uploaded.stderr);
    await rm(large);
  });

  await t.test('send and change messages of other kinds', async () => {
    const run = async (...args: string[]) => {
      const done = await shell.handset(['send', ...args]);
      assert.equal(done.code, 0, done.stderr);
      return done.stdout.replace(/^Sent: |\n$/g, '');
    };
    const to = ['1', '4915550000002'] as const;
    const place = await run('location', ...to, '52.5', '13.4', '--name', 'Here');
    await run('contact', ...to, 'Ada', '+49 1555 0000001', '--organization', 'Engines');
    await run('poll', ...to, 'When?', '--option', 'now', '--option', 'never', '--several');
    await run('document', ...to, import.meta.filename, '--caption', 'This');
    await run('video', ...to, samplePath('gif.mp4'), '--gif', '--caption', 'Loop');
    await run('audio', ...to, samplePath('voice.ogg'), '--voice');
    await run('sticker', ...to, samplePath('still.webp'));
    // This service has no ffmpeg.
    const music = await shell.handset(['send', 'audio', ...to, samplePath('audio.mp3'), '--voice']);
    assert.match(music.stderr, /Ogg with Opus in one channel; other forms are converted only where/);
    const reply = await run('reply', ...to, place, 'There');
    assert.equal(await run('edit', '1', reply, 'Over there'), 'Message edited');
    assert.equal(await run('reaction', '1', place, '👍'), 'Reaction set');
    assert.equal(await run('reaction', '1', place, 'none'), 'Reaction set');
    await run('forward', '1', place, '4915550000002');
    const message = async (...args: string[]) => (await shell.handset(['message', ...args])).stdout.trim();
    assert.equal(await message('star', '1', place), 'Message starred');
    assert.equal(await message('star', '1', place, '--off'), 'Star removed');
    assert.equal(await message('delete', '1', place, '--for-me'), 'Message deleted');
    assert.equal(await run('delete', '1', reply), 'Message deleted');
    const shown = await eventually('all of them', async () => {
      const messages = (await phones.messages('4915550000002')).slice(4);
      return messages.length === 9 && messages;
    });
    assert.deepEqual(
      shown.map(({ type }) => type),
      ['location', 'contact', 'poll', 'document', 'video', 'audio', 'sticker', 'text', 'location'],
    );
    const file = { fileName: 'handset.service.test.ts', mimetype: 'application/octet-stream', caption: 'This' };
    assert.partialDeepStrictEqual(shown[3], { media: file });
    assert.partialDeepStrictEqual(shown[4], { media: { gif: true, caption: 'Loop' } });
    const wrong = await shell.handset(['send', 'location', ...to, 'north', '1']);
    assert.match(wrong.stderr, /<latitude> is a number; "north" is not/);
  });

  await t.test('events are followed, and forwarded with the signature of the webhook', async () => {
    await phones.write('4915550000002', { to: '4915550000001', text: 'Hi, \u001b[31mAda' });
    await eventually('the answer in the stream', () => following.printed().includes('"message.received"'));
    const posts = await receiver.until(3);
    const [{ webhook }] = [(await installation.api.get('/devices/1/webhook')).body as { webhook: { secret: string } }];
    for (const post of posts) {
      verify(webhook.secret, post);
      assert.equal(post.event.type, 'message.sent');
    }
    assert.equal((await following.stop()).code, 0);
    const listened = await listening.stop();
    assert.equal(listened.code, 0);
    assert.match(listened.stdout, /message\.sent +evt_\S+ {2}200\n/);
    const log = await shell.handset(['events', '1']);
    assert.match(log.stdout, /message\.received +from 4915550000002: text "Hi, \ufffd\[31mAda"/);
    const all = (await shell.json(['events', '1'])) as readonly { id: string }[];
    const first = all.at(-1)!;
    const rest = await shell.json(['events', '1', '--after', first.id]);
    assert.deepEqual(all, [...rest.toReversed(), first], 'the newest is first');
    assert.deepEqual(await shell.json(['events', '1', '--last', '2']), all.slice(0, 2));
    assert.ok(rest.length > 0);
  });

  await t.test('the phones of the sandbox are used from the command line, too', async () => {
    assert.match((await shell.handset(['phone', 'list'])).stdout, /^4915550000001 +1 +Ada$/m);
    assert.match((await shell.handset(['phone', 'add', '+49 1555 0000003', 'Zoe'])).stdout, /Zoe has the number 4915/);
    const nobody = await shell.handset(['phone', 'messages', '4915550000009']);
    assert.equal(nobody.stderr, 'handset: there is no phone 4915550000009\n');
    const shown = await shell.handset(['phone', 'messages', '4915550000002']);
    assert.match(shown.stdout, /4915550000001: Hello, Bob\n.*\n.*\(image, 40 × 30\) Red\n/);
    const watching = shell.follow(['phone', 'messages', '4915550000003', '--follow']);
    const written = await shell.handset(['phone', 'write', '4915550000002', '4915550000003', 'Hello, Zoe']);
    assert.equal(written.code, 0, written.stderr);
    await eventually('the text', () => watching.printed().includes('4915550000002: Hello, Zoe\n'));
    await watching.stop();
    assert.match((await shell.handset(['phone', 'scan', '4915550000003', '1'])).stderr, /1 is linked already, to 49/);
    assert.equal((await shell.handset(['device', 'create', '--name', 'Second'])).code, 0);
    assert.match((await shell.handset(['phone', 'scan', '4915550000003', '2'])).stdout, /Device 2 is linked to 4915/);
    assert.equal((await shell.handset(['device', 'show', '2', '--wait'])).code, 0);
    assert.equal((await shell.handset(['device', 'delete', '2', '--yes'])).code, 0);
  });

  await t.test('in a terminal a pairing is watched until it is done, QR by QR in one place', async () => {
    await using terminal = await openShell({ HANDSET_URL: handset.url, HANDSET_KEY: ownerKey }, true);
    const creating = terminal.follow(['device', 'create', '--name', 'Watched']);
    const id = await eventually('a device', async () => {
      const [devices] = (await shell.json(['device', 'list'])) as [readonly Device[]];
      return devices.find(({ name, qr }) => name === 'Watched' && qr !== null)?.id;
    });
    await eventually('the first QR', () => creating.printed().includes('Scan it with the phone'));
    assert.match(creating.notes(), /Waiting for device \d+ to be linked/);
    assert.equal((await shell.handset(['device', 'restart', String(id)])).code, 0);
    // So many lines up, and everything below away.
    // oxlint-disable-next-line no-control-regex -- escape sequences are what it looks for
    await eventually('the next QR in its place', () => /\u001b\[\d+A\u001b\[J[█▀▄ ]{20}/.test(creating.printed()));
    assert.equal((await shell.handset(['phone', 'scan', '4915550000003', String(id)])).code, 0);
    await eventually('the end', () => creating.printed().includes(`\u001b[32mDevice ${id} is connected\u001b[39m\n`));
    assert.equal((await creating.stop()).code, 0);
    assert.equal((await shell.handset(['device', 'delete', String(id), '--yes'])).code, 0);
  });

  await t.test('keys are made, listed and revoked', async () => {
    const made = await shell.handset(['key', 'create', 'ci']);
    const secret = made.stdout.trim();
    assert.match(secret, /^hs_[\w-]{43}$/);
    await using other = await openShell({ HANDSET_URL: handset.url, HANDSET_KEY: secret });
    assert.equal((await other.handset(['device', 'list'])).code, 0);
    const [keys] = (await shell.json(['key', 'list'])) as [readonly { id: number; name: string }[]];
    const id = keys.find((key) => key.name === 'ci')!.id;
    assert.equal((await shell.handset(['key', 'revoke', String(id)])).code, 0);
    assert.equal((await other.handset(['device', 'list'])).code, 4);
  });

  await t.test('a device is restarted, its session waited for, and one that is linked to nobody is not', async () => {
    const restarted = await shell.handset(['device', 'restart', '1', '--wait']);
    assert.equal(restarted.code, 0, restarted.stderr);
    assert.match(restarted.stdout, /Device 1 is connected\n/);
    assert.match((await shell.handset(['device', 'show', '1', '--wait'])).stdout, /Session: +open\n/);
    assert.equal((await shell.handset(['device', 'create', '--json', '--no-wait'])).code, 0);
    const unlinked = await shell.handset(['device', 'show', '4', '--wait']);
    assert.equal(unlinked.code, 1);
    assert.match(unlinked.stderr, /Device 4 is not connected: /);
    assert.equal((await shell.handset(['device', 'delete', '4', '--yes'])).code, 0);
  });

  await t.test('doctor finds what is wrong', async () => {
    const well = await shell.handset(['doctor']);
    assert.equal(well.code, 0, well.stdout);
    assert.match(well.stdout, /ok +device 1 \(Front desk\) is connected/);
    assert.match(well.stdout, /warning +the network is the sandbox/);
    assert.equal((await shell.handset(['device', 'disconnect', '1'])).code, 0);
    const ill = await shell.handset(['doctor']);
    assert.equal(ill.code, 1);
    assert.match(ill.stdout, /PROBLEM +device 1 \(Front desk\) is not connected: \S/);
    assert.match(ill.stderr, /1 problem found/);
  });

  await t.test('a device is restarted for a code, and deleted', async () => {
    const restarted = await shell.handset(['device', 'restart', '1', '--phone-number', '4915550000001']);
    assert.equal(restarted.code, 0, restarted.stderr);
    assert.match(restarted.stdout, /Pairing code: [A-Z0-9]{4}-[A-Z0-9]{4}\n/);
    assert.equal((await shell.handset(['device', 'delete', '1', '--yes'])).code, 0);
    assert.match((await shell.handset(['device', 'list'])).stdout, /No devices yet/);
  });

  await t.test('the program itself runs', async () => {
    const program = join(import.meta.dirname, '..', '..', 'src', 'cli', 'handset.ts');
    const env = { PATH: process.env['PATH'] ?? '', HANDSET_URL: handset.url, HANDSET_KEY: ownerKey };
    const child = spawn(process.execPath, [program, 'device', 'list', '--json'], { env });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 0);
    assert.equal(text, '[]\n');
  });

  await t.test('the sandbox runs alone, and ends when it is told to', async () => {
    const program = join(import.meta.dirname, '..', '..', 'src', 'cli', 'handset.ts');
    const child = spawn(process.execPath, [program, 'sandbox', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { controlUrl } = JSON.parse(line) as { controlUrl: string };
    assert.equal((await fetch(`${controlUrl}/phones`)).status, 200);
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  });
});
