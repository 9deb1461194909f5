/** The command line about the client version: doctor warns of an old one, and a pairing that fails says what to do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ada, addPhones } from '../flows/steps.ts';
import { bundledRevision } from '../../src/whatsapp/login/client-version/bundled.ts';
import { shiftedClock } from '../support/clock.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { openShell } from './terminal.support.ts';

const bundled = bundledRevision.revision;

const shellOf = ({ handset, phones }: Installation) =>
  openShell({ HANDSET_URL: handset.url, HANDSET_KEY: ownerKey, HANDSET_NETWORK: phones.controlUrl });

test('doctor tells the client version that the service has read', async () => {
  await using installation = await startInstallation();
  await using shell = await shellOf(installation);
  await eventually('the page is read', async () => {
    const { stdout } = await shell.handset(['doctor']);
    return /ok +client version 2\.3000\.1052000000 \(fetched, 0 days old\)/.test(stdout);
  });
});

test('doctor warns of an old client version, and so do a pairing and its end', async () => {
  const clock = shiftedClock();
  clock.ahead(bundledRevision.since! + 75 * 86_400_000 - Date.now());
  await using installation = await startInstallation({ HANDSET_CLIENT_VERSION: String(bundled) }, undefined, clock);
  await using shell = await shellOf(installation);
  await addPhones(installation);
  const { code, stdout } = await shell.handset(['doctor']);
  assert.equal(code, 0, stdout);
  assert.match(
    stdout,
    /warning +Client version 2\.3000\.\d+ \(pinned, 75 days old\) is about to be too old.*set HANDSET_CLIENT_VERSION to a newer one, or unset it \(docs\/linking\.md\)/,
  );
  await installation.phones.faults({ clientRevision: { linkable: bundled + 1 } });
  const creating = shell.handset(['device', 'create', '--wait']);
  const qr = await eventually('a QR', async () => {
    const { devices } = (await installation.api.get('/devices')).body;
    return (devices[0]?.qr ?? null) as string | null;
  });
  await assert.rejects(installation.phones.scan(ada, qr), /Couldn't link device/);
  // The refs of this connection live for long; those of the next one do not.
  await installation.phones.faults({ clientRevision: { linkable: bundled + 1 }, expireQrAfterMs: 50 });
  await installation.phones.request('POST', '/drop', {});
  const ended = await creating;
  assert.equal(ended.code, 1);
  assert.match(
    ended.stdout,
    /If the phone says "Couldn't link device", scan the next QR\. If it says so each time, run "handset doctor"\./,
  );
  assert.match(
    ended.stderr,
    /not scanned in time: restart .*\(client version 2\.3000\.\d+ \(pinned, 75 days old\) may be too old to be linked: set HANDSET_CLIENT_VERSION to a newer one/,
  );
  await installation.phones.faults({ clientRevision: { accepted: bundled + 1 } });
  const refused = await shell.handset(['device', 'create']);
  assert.match(
    refused.stderr,
    /the network refuses client version 2\.3000\.\d+ \(pinned, 75 days old\), and it is pinned/,
  );
});
