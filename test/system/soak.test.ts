/** A short soak: random traffic through a bad network, and every accepted message on the other side exactly once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortForm } from './support/short-form.ts';

test('four seconds of bad weather lose, double and stop nothing', async () => {
  // Of this seed's weather are most kinds, and none after which a handshake is waited for until it is given up; the long form has all.
  const options = ['--minutes', '0.07', '--devices', '5', '--patience', '40', '--seed', '2'];
  assert.match(await shortForm('soak.ts', options), /every accepted message is on the other side exactly once/);
});
