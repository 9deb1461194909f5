/** Whether the database answers, by a probe that does what it is told. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HandsetError } from '../../src/errors.ts';
import { DatabaseHealth } from '../../src/store/postgres/database-health.ts';
import { eventually } from '../support/wait.ts';

const times = { silentMs: 30, probeMs: 10_000, againMs: 20 };

const start = (t: TestContext) => {
  const probe = { answers: true, asked: 0 };
  const health = new DatabaseHealth(async () => {
    probe.asked += 1;
    if (!probe.answers) throw new Error('refused');
  }, times);
  t.after(() => health.close());
  const turns = async (answers: boolean): Promise<void> => {
    probe.answers = answers;
    health.suspect();
    await eventually('the database to be seen as it is', () => (health.away === null) === answers);
  };
  return { health, turns };
};

test('a database that comes and goes leaves no timers behind', async (t) => {
  const running = new Set<unknown>();
  const { setInterval: begin, clearInterval: end } = globalThis;
  t.mock.method(globalThis, 'setInterval', (work: () => void, ms: number) => {
    const timer = begin(work, ms);
    running.add(timer);
    return timer;
  });
  t.mock.method(globalThis, 'clearInterval', (timer: NodeJS.Timeout) => {
    running.delete(timer);
    end(timer);
  });
  const { turns } = start(t);
  for (let time = 0; time < 5; time += 1) {
    await turns(false);
    assert.equal(running.size, 1);
    await turns(true);
    assert.equal(running.size, 0);
  }
});

test('whoever has no patience is told at once that it is away, and whoever has some when that is at its end', async (t) => {
  const { health, turns } = start(t);
  await turns(false);
  const away = (error: unknown): boolean => error instanceof HandsetError && error.name === 'Unavailable';
  const never = (): Promise<void> => new Promise(() => undefined);
  await assert.rejects(health.ask(0, never), away);
  await assert.rejects(health.ask(50, never), away);
  await assert.rejects(
    health.ask(0, async () => 'written'),
    away,
  );
  await turns(true);
  assert.equal(await health.ask(0, async () => 'written'), 'written');
});
