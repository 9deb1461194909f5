/** The power cuts of `npm run chaos`, in short: judged from outside by a receiver, by answers of the interface and by the sandbox's phones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeDisk } from '../../support/disk.ts';
import { shortForm } from '../../system/support/short-form.ts';

/** Flushes at which a run is cut: during the start, and in traffic. */
const flushes = '9,40';

test('the power is cut before and after flushes: nothing lost, doubled, out of order or unreadable', async (t) => {
  const disk = await makeDisk();
  await disk?.remove();
  if (disk === null) return t.skip('no C compiler');
  const output = await shortForm('chaos.ts', ['--flushes', flushes, '--hurry']);
  assert.match(output, /5 power cuts/);
  t.diagnostic(output);
});
