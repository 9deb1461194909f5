/** Cards that phones are sent by anybody. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readContacts } from '../../../sandbox/src/phones/kinds/cards.ts';
import { cpuMsOf } from '../../support/cpu.ts';

test('a phone reads cards that only end in marks, or never end, in no time', () => {
  // Each took 8 to 20 s.
  for (const vcard of [`ORG:${';'.repeat(65_000)}x`, 'a'.repeat(65_000), `item1.${'a'.repeat(65_000)}`]) {
    const ms = cpuMsOf(() => void readContacts({ contactMessage: { vcard } }));
    assert.ok(ms < 1_000, `${vcard.slice(0, 8)}… took ${ms} ms`);
  }
  const card = readContacts({ contactMessage: { vcard: 'FN:Ann\nORG:Sales;;\nitem1.TEL;waid=1:+1 23' } });
  assert.partialDeepStrictEqual(card?.members.contacts?.[0], { name: 'Ann', numbers: ['123'], organization: 'Sales' });
});
