/** The short form of `npm run load`; the long one is for releases. */
import { test } from 'node:test';
import { shortForm } from './support/short-form.ts';

test('a hundred clients of one user: 200 and 429 only, flat memory, and others go on as before', async (t) => {
  // Other tests run beside this one: what is slower by less than a quarter of a second may be their doing.
  t.diagnostic(await shortForm('load.ts', ['--seconds', '3', '--clients', '100', '--slack', '250']));
});
