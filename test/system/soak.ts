/**
 * `npm run soak -- --minutes N [--devices N] [--seed N]`: many devices, random traffic, bad weather. At the end every message
 * that a phone or the service accepted is on the other side exactly once, no session is stuck, and the memory of the
 * service is flat. Exit code 1 with a list of what is wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { faultsIn, printLogged } from './support/logged.ts';
import { randomOf } from './support/random.ts';
import { Memory } from './support/memory.ts';
import { Traffic } from './soak/traffic.ts';
import { judge, missing, notOpen } from './soak/verdict.ts';
import { Weather } from './soak/weather.ts';
import { type World, makeWorld } from './soak/world.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    devices: { type: 'string', default: '12' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Longest wait for what is still under way when the traffic ends, seconds. */
    patience: { type: 'string', default: '120' },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
/** Allowed growth of the service while all events are read from their start, again and again. */
const readersMb = 8;
const samples = Math.max(6, Math.min(60, Math.round(minutes * 6)));

const waiting = async ({ phones }: World): Promise<number> => {
  const { pending } = (await phones.stats()) as { pending: Readonly<Record<string, number>> };
  return Object.values(pending).reduce((sum, count) => sum + count, 0);
};

/** Every session does its work again: one text out and one in for each. */
const proveAlive = async (world: World, traffic: Traffic): Promise<string[]> => {
  const dead: string[] = [];
  const [other] = world.others;
  for (const linked of world.linked) {
    if (!(await traffic.sendByService(linked, other))) dead.push(`device ${linked.device}: cannot send any more`);
    await traffic.writeOnPhone(other!, linked);
  }
  return dead;
};

const settle = async (world: World, traffic: Traffic): Promise<void> => {
  const end = performance.now() + Number(values.patience) * 1000;
  while (performance.now() < end) {
    const quiet = (await waiting(world)) === 0 && (await notOpen(world)).length === 0;
    if (quiet && (await missing(world, traffic.said)) === 0) return;
    await sleep(250);
  }
};

const printSummary = async (world: World, traffic: Traffic, weather: Weather, memory: Memory): Promise<void> => {
  const stats = await world.phones.stats();
  const accepted = traffic.said.filter(({ id }) => id !== null).length;
  console.log(`seed ${seed}, ${minutes} minutes, ${world.linked.length} devices, ${world.others.length} other phones`);
  console.log(`  written            ${traffic.said.length}, accepted ${accepted}`);
  console.log(`  read               ${traffic.said.filter(({ read }) => read).length}`);
  console.log(`  handshakes         ${String(stats['handshakes'])}`);
  console.log(`  redelivered        ${String(stats['redelivered'])}`);
  console.log(
    `  retries            ${String(stats['retriesAsked'])} asked by phones, ${String(stats['retriesAnswered'])} answered`,
  );
  console.log(`  copies thrown away ${String(stats['duplicates'])}`);
  console.log(`  memory             ${memory.toString()}`);
  console.log(`  weather            ${[...weather.seen].map(([name, count]) => `${name} ${count}`).join(', ')}`);
  for (const [why, count] of traffic.refused) console.log(`  refused            ${count} × ${why}`);
  printLogged(world.service.errors);
};

const run = async (): Promise<number> => {
  const random = randomOf(seed);
  await using world = await makeWorld(Number(values.devices));
  const traffic = new Traffic(world, random.fork());
  const weather = new Weather(world, random.fork(), minutes);
  const memory = new Memory(world.service);
  const senders = Array.from({ length: 6 }, () => traffic.run('service', 40));
  const people = Array.from({ length: 4 }, () => traffic.run('phones', 60));
  const busy = [...senders, ...people, weather.run()];
  const broken = Promise.race(busy).then(() => undefined);
  const began = performance.now();
  for (let sample = 1; sample <= samples; sample += 1) {
    // A collection takes its time as well, and a busy machine more of it.
    const left = began + (sample / samples) * minutes * 60_000 - performance.now();
    await Promise.race([sleep(Math.max(0, left)), broken]);
    await memory.sample();
  }
  traffic.stop();
  weather.stop();
  await Promise.all(busy);
  const held = await world.service.ask<number>('heap');
  await settle(world, traffic);
  const dead = await proveAlive(world, traffic);
  await settle(world, traffic);
  const wrong = [
    ...dead,
    ...(await judge(world, traffic.said)),
    ...memory.judge('the service'),
    ...faultsIn(world.service.errors),
  ];
  const grownMb = ((await world.service.ask<number>('heap')) - held) / 1_048_576;
  if (grownMb > readersMb) wrong.push(`the service keeps ${grownMb.toFixed(1)} MB of what was read from it`);
  await printSummary(world, traffic, weather, memory);
  for (const line of wrong.slice(0, 100)) console.log(`WRONG  ${line}`);
  if (wrong.length > 100) console.log(`WRONG  and ${wrong.length - 100} more`);
  console.log(
    wrong.length === 0
      ? 'every accepted message is on the other side exactly once'
      : `${wrong.length} things are wrong`,
  );
  return wrong.length === 0 ? 0 : 1;
};

process.exitCode = await run();
