/** A short form of `npm run simulate`: one cell of nodes, of which one dies and some join. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortForm } from './support/short-form.ts';

test('a simulated cell takes over from a dead node and shares with new ones', async () => {
  assert.notEqual(await shortForm('simulate.ts', ['--nodes', '10', '--devices', '1000', '--cells', '1']), '');
});
