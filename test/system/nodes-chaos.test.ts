/** A short form of `npm run chaos:cluster`: a node is killed while PostgreSQL's clock is set, and one is drained, under traffic; nothing is lost by it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const script = join(import.meta.dirname, 'chaos-cluster.ts');

test('a death and a drain of nodes under traffic lose, double and connect twice nothing', async () => {
  const size = ['--devices', '6', '--minutes', '0.1', '--lease', '5', '--only', 'clock,drain', '--patience', '40'];
  const chaos = spawn(process.execPath, [script, ...size], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => chaos.once('exit', resolve));
  const output = await text(chaos.stdout);
  assert.equal(await ended, 0, output);
  assert.match(output, /nothing lost, doubled, unreadable or connected twice/);
});
