/** The short form of `npm run chaos`; the long one is for releases. */
import { test } from 'node:test';
import { shortForm } from './support/short-form.ts';

test('killed twice in the middle of everything, then put back: nothing lost, doubled, out of order or unreadable', async (t) => {
  t.diagnostic(await shortForm('chaos.ts', ['--kills', '2', '--restores', '1', '--seconds', '3', '--hurry']));
});
