/** Files that are too large for one request, sent from the terminal. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { addPhones, bob, linkDevice } from '../flows/steps.ts';
import { ownerKey, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { openShell } from './terminal.support.ts';

it('a file of 12 MB is uploaded with a bar, and sent under its name', async () => {
  await using installation = await startInstallation({ HANDSET_MAX_MEDIA_MB: '15' });
  await using shell = await openShell({ HANDSET_URL: installation.handset.url, HANDSET_KEY: ownerKey }, true);
  await addPhones(installation);
  const id = await linkDevice(installation);
  const path = join(installation.dataDir, 'backup.bin');
  await writeFile(path, randomBytes(12_000_000));
  const sent = await shell.handset(['send', 'document', String(id), bob, path]);
  assert.equal(sent.code, 0, sent.stderr);
  assert.match(sent.stderr, /Uploading \[─{24}\] 0% of/);
  assert.match(sent.stderr, /Uploading \[█{24}\] 100% of/);
  const message = await eventually('it arrives', async () => (await installation.phones.messages(bob))[0]);
  assert.partialDeepStrictEqual(message, { media: { bytes: 12_000_000, fileName: 'backup.bin' } });
  const image = await shell.handset(['send', 'image', String(id), bob, path]);
  assert.deepEqual([image.code, /larger than 10 MB/.test(image.stderr)], [1, true]);
  await writeFile(path, new Uint8Array(16_000_000));
  const refused = await shell.handset(['send', 'document', String(id), bob, path]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Request payload too large/);
});
