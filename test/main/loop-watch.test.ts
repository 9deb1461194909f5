/** A blocked event loop is told, with the operation that blocked it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { noteOperation } from '../../src/domain/turns.ts';
import { watchLoop } from '../../src/main/loop-watch.ts';
import { eventually } from '../support/wait.ts';

const block = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

test('loop watch: a delay over a second is a warning that names the operation, and is counted', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const { report, stop } = watchLoop({ now: () => 1_700_000_000_000 }, log);
  try {
    noteOperation({ kind: 'request', route: 'GET /v1/devices' });
    noteOperation({ kind: 'message', deviceId: 7 });
    block(1_300);
    // What waited meanwhile comes before the look.
    noteOperation({ kind: 'stanza', deviceId: 8, stanza: 'receipt' });
    const warning = await eventually('the warning', () => lines.find(({ kind }) => kind === 'message'));
    assert.partialDeepStrictEqual(warning, { level: 40, kind: 'message', deviceId: 7 });
    assert.ok(Number(warning['delayMs']) >= 1_000 && Number(warning['cpuMs']) > 0, JSON.stringify(warning));
    const { blocked, longest, lastAt } = report();
    assert.ok(blocked.message >= 1 && longest!.ms >= 1_000 && lastAt === 1_700_000_000_000);
  } finally {
    stop();
  }
});
