/** Linking behind a passkey from the command line. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { ada, addPhones, bob, deviceBeforeGate, untilOpen, untilPasskey, untilStatus } from '../flows/steps.ts';
import { shiftedClock } from '../support/clock.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { openShell, type Shell } from './terminal.support.ts';

describe('a passkey, from the command line', () => {
  const clock = shiftedClock();
  let installation: Installation;
  let shell: Shell;
  let terminal: Shell;
  before(async () => {
    installation = await startInstallation({}, undefined, clock);
    await addPhones(installation);
    await installation.phones.behave(ada, { linking: 'passkey' });
    const env = { HANDSET_URL: installation.handset.url, HANDSET_KEY: ownerKey };
    [shell, terminal] = await Promise.all([openShell(env), openShell(env, true)]);
  });
  after(async () => {
    await shell[Symbol.asyncDispose]();
    await terminal[Symbol.asyncDispose]();
    await installation[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    const { devices } = (await installation.api.get('/devices')).body;
    for (const { id } of devices) await installation.api.delete(`/devices/${id}`);
  });

  const credentialOf = async (id: number, number: string = ada): Promise<string> => {
    const { options } = (await installation.api.get(`/devices/${id}/passkey`)).body.passkey;
    return JSON.stringify(await installation.phones.passkey(number, options));
  };

  it('shows the link, takes a credential, and a code is confirmed', async () => {
    const id = String(await deviceBeforeGate(installation));
    const told = await shell.handset(['device', 'passkey', id]);
    assert.equal(told.code, 0, told.stderr);
    assert.match(told.stdout, /asks for the passkey of this account/);
    assert.match(told.stdout, /^https:\/\/web\.whatsapp\.com\/#handset=[\w-]{200,}$/m);
    const [{ passkey }] = (await shell.json(['device', 'passkey', id])) as [{ passkey: { link: string } }];
    assert.ok(told.stdout.includes(passkey.link));
    clock.ahead(301_000);
    const file = join(dirname(dirname(shell.credentialsFile)), 'credential.json');
    await writeFile(file, await credentialOf(Number(id)));
    const given = await shell.handset(['device', 'passkey', id, '--credential', file]);
    assert.equal(given.code, 0, given.stderr);
    const { code } = await untilPasskey(installation, Number(id), 'confirm');
    const compared = await shell.handset(['device', 'passkey', id]);
    assert.match(
      compared.stdout,
      new RegExp(`Code to compare with the phone: ${code}\\nIf both codes match: .* --confirm`),
    );
    assert.equal((await shell.handset(['device', 'passkey', id, '--confirm'])).code, 0);
    await untilOpen(installation, Number(id));
    const over = await shell.handset(['device', 'passkey', id]);
    assert.equal(over.code, 1);
    assert.match(over.stderr, /asks for no passkey/);
  });

  it('says what the network said to a wrong one, and what is no credential at all', async () => {
    const id = await deviceBeforeGate(installation);
    const args = ['device', 'passkey', String(id), '--credential', '-'];
    const wrong = await shell.handset(args, await credentialOf(id, bob));
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /credential: the network refused it: credential-unknown/);
    assert.match(
      (await shell.handset(['device', 'passkey', String(id)])).stdout,
      /refused the last one: credential-un/,
    );
    assert.equal((await shell.handset(args, 'hsp_')).code, 2);
    assert.match((await shell.handset([...args.slice(0, -1), '/nowhere'])).stderr, /cannot be read/);
  });

  it('doctor tells what keeps a device from being linked, and what to do', async () => {
    const gated = await deviceBeforeGate(installation);
    await installation.phones.faults({ refuseCode: { at: 'finish', code: 400 } });
    const created = (await installation.api.post('/devices', { phoneNumber: bob })).body;
    const refused: number = created.device.id;
    await assert.rejects(installation.phones.enterCode(bob, created.pairingCode), /refused/);
    await installation.phones.faults({ expireQrAfterMs: 40 });
    const expired: number = (await installation.api.post('/devices', {})).body.device.id;
    await untilStatus(installation, expired, 'timeout');
    await installation.phones.faults({});
    const { code, stdout } = await shell.handset(['doctor']);
    assert.equal(code, 1);
    const told = (id: number): string => stdout.split('\n').find((line) => line.includes(`device ${id} (`)) ?? '';
    assert.match(
      told(gated),
      /^warning .* waits for a passkey: .*Run "handset device passkey \d+"; see docs\/linking\.md$/,
    );
    assert.match(
      told(refused),
      /^warning .* not linked yet: The network refused the pairing code \(bad-request \(400\)\)/,
    );
    assert.match(
      told(expired),
      /^PROBLEM .* not connected: The QR code was not scanned in time: restart .*docs\/linking\.md/,
    );
  });

  it('whoever watches a pairing is told of it, asked to compare, and sees the end', async () => {
    const creating = terminal.follow(['device', 'create', '--name', 'Watched'], 'y');
    const id = await eventually('a device', async () => {
      const { devices } = (await installation.api.get('/devices')).body;
      return devices[0]?.qr !== null && (devices[0]?.id as number | undefined);
    });
    const { device } = (await installation.api.get(`/devices/${id}`)).body;
    await assert.rejects(installation.phones.scan(ada, device.qr), /passkey/);
    await eventually('the link', () => creating.printed().includes('https://web.whatsapp.com/#handset='));
    clock.ahead(301_000);
    await installation.api.post(`/devices/${id}/passkey/response`, JSON.parse(await credentialOf(id)));
    await eventually('the end', () => creating.printed().includes(`Device ${id} is connected`));
    assert.match(creating.printed(), /Code to compare with the phone: .*[1-9A-Z]{4}-[1-9A-Z]{4}/);
    assert.match(creating.printed(), /Confirmed\./);
    assert.equal((await creating.stop()).code, 0);
  });

  it('a pairing that ends while it is watched says why', async () => {
    await installation.phones.faults({ expireQrAfterMs: 150 });
    const ended = await shell.handset(['device', 'create', '--wait']);
    await installation.phones.faults({});
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /Device \d+ was not linked: The QR code was not scanned in time: restart/);
  });
});
