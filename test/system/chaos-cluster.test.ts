/** A short form of `npm run chaos:cluster`: a node is killed while PostgreSQL's clock is set, and one is drained, under traffic; nothing is lost by it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortForm } from './support/short-form.ts';

test('a death and a drain of nodes under traffic lose, double and connect twice nothing', async () => {
  const size = ['--devices', '6', '--minutes', '0.1', '--lease', '5', '--only', 'clock,drain', '--patience', '40'];
  assert.match(await shortForm('chaos-cluster.ts', size), /nothing lost, doubled, unreadable or connected twice/);
});
