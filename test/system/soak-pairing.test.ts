/** A short soak of pairings: in each kind of trouble every one ends linked, or in timeout with a reason. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortForm } from './support/short-form.ts';

test('eight pairings through what goes wrong most often', async () => {
  // With this seed: a kill of the service, and logins that are refused right after the link.
  const options = ['--pairings', '8', '--people', '4', '--speed', '4', '--seed', '3'];
  const output = await shortForm('soak-pairing.ts', options);
  assert.match(output, /every pairing ended linked, or in timeout with a reason, within its time/);
  assert.match(output, /kills +1\n/);
});
