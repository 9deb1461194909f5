/**
 * `npm run chaos -- --kills N [--restores N] [--seconds S] [--seed N] [--flushes N[,N…]] [--hurry] [--burst]`: phones write, callers send and arrange chats, the webhook's
 * receiver fails now and then, and the service is killed with SIGKILL at random instants and started again on the same data. Where there
 * is a C compiler, some of the kills are power cuts, which take all that was not flushed, and now and then the disk fails for a
 * while. After some kills, the database is replaced by a copy of earlier. Then nothing may be lost, doubled, out of order or unreadable, but
 * for what a restoration takes. Exit code 1 with a list of what is wrong.
 */
import { parseArgs } from 'node:util';
import { type Disk, makeDisk } from '../support/disk.ts';
import { ChatSettings } from './chaos/chat-settings.ts';
import { drain } from './chaos/drain.ts';
import { cutAtFlushes, killAgainAndAgain } from './chaos/ends.ts';
import { People } from './chaos/people.ts';
import { faultsIn, printLogged } from './support/logged.ts';
import { randomOf } from './support/random.ts';
import { Restores } from './chaos/restores.ts';
import { Sends } from './chaos/sends.ts';
import { type Run, judge, wantSends } from './chaos/verdict.ts';
import { Wanted } from './support/wanted.ts';
import { beMoody, beWell } from './chaos/webhook.ts';
import { makeWorld } from './chaos/world.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    /** After so many of the kills, the database is put back to an earlier state; by default after one of ten. */
    restores: { type: 'string' },
    /** How long the traffic lasts; by default 4 s a kill. */
    seconds: { type: 'string' },
    /** Power cuts and nothing else: one before and one after each of these flushes of a life, `40` being the first 40 of them. */
    flushes: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** For short runs: what waits for a retry at the end is made due by hand, and no post is left without an answer. */
    hurry: { type: 'boolean', default: false },
    /** Callers send up to 60 texts to one person at once, so that sessions are stored far ahead when the service is killed. */
    burst: { type: 'boolean', default: false },
  },
});
const kills = Number(values.kills);
const restorations = Number(values.restores ?? Math.floor(kills / 10));
const seconds = Number(values.seconds ?? kills * 4);
const seed = Number(values.seed);
const flushes = values.flushes?.includes(',')
  ? values.flushes.split(',').map(Number)
  : Array.from({ length: Number(values.flushes ?? 0) }, (_, index) => index + 1);
const hurried = values.hurry;
/** After a restoration a group asks for what it cannot read, and gets ten copies a minute; a refused post is made again after minutes. */
const maxDrainMs = 1_200_000;

const count = <T>(list: readonly T[], fits: (item: T) => boolean): number => list.filter(fits).length;

const printSummary = async ({ world, wanted, sends, restores }: Run, tookMs: number): Promise<void> => {
  const { received } = world.receiver;
  const stats = await world.phones.stats();
  const events = new Set(received.map(({ event }) => event.id)).size;
  const keyed = sends.all.filter(({ key }) => key !== null);
  const { service } = world;
  console.log(
    `seed ${seed}, ${service.kills} kills (${service.killedWhileStarting} while it started, ${service.powerCuts} power cuts), ${(tookMs / 1000).toFixed(0)} s`,
  );
  for (const [way, times] of restores.ways) console.log(`  ${times} × ${way}`);
  console.log(`  wanted at the webhook          ${wanted.names.size}`);
  console.log(`  events that reached it         ${events}, in ${received.length} posts`);
  console.log(`  redelivered by the network     ${String(stats['redelivered'])}`);
  console.log(
    `  sends with an Idempotency-Key  ${keyed.length}, ${count(keyed, ({ troubles }) => troubles.length > 0)} of them repeated after trouble`,
  );
  console.log(
    `  sends without                  ${sends.all.length - keyed.length}, ${count(sends.all, ({ key, messageIds }) => key === null && messageIds.length === 0)} of them without a 200`,
  );
  console.log(`  sends at a time                ${count(sends.all, ({ body }) => 'sendAt' in body)}`);
  console.log(`  copies that phones threw away  ${String(stats['duplicates'])}`);
  console.log(
    `  asked again                    ${String(stats['retriesAnswered'])} of phones, ${String(stats['retriesAsked'])} by phones`,
  );
  printLogged(service.errors);
};

const run = async (disk: Disk | null): Promise<number> => {
  const began = performance.now();
  process.stderr.write(`seed ${seed}\n`);
  const random = randomOf(seed);
  await using world = await makeWorld(disk);
  const wanted = new Wanted();
  const sends = new Sends(world, random.fork(), values.burst);
  const people = new People(world, wanted, sends, random.fork());
  const settings = new ChatSettings(world, random.fork());
  beMoody(world.receiver, random.fork(), { badShare: 0.03, hangs: !hurried });
  const restores = new Restores({
    world,
    wanted,
    sends,
    people,
    random: random.fork(),
    after: new Set(
      Array.from({ length: restorations }, (_, index) => Math.floor(((index + 0.5) * kills) / restorations)),
    ),
    hurried,
  });
  // What a person writes begins a new chain of keys: those that are to be far ahead must be left alone for a while.
  const pauseMs = values.burst ? 500 : 20;
  const busy = [people.run(pauseMs), people.run(pauseMs), sends.run(20), sends.run(20), settings.run(200)];
  const broken = Promise.race(busy).then(() => undefined);
  const ends =
    disk !== null && flushes.length > 0
      ? cutAtFlushes(world, disk, flushes)
      : killAgainAndAgain({ world, restores, random: random.fork(), kills, shareMs: (seconds * 1000) / kills });
  await Promise.race([ends, broken]);
  people.stop();
  sends.stop();
  settings.stop();
  await Promise.all(busy);
  beWell(world.receiver);
  await sends.finish(60_000);
  wantSends({ world, wanted, sends });
  const quiet = await drain(world, wanted, { timeoutMs: hurried ? 180_000 : maxDrainMs, hurried });
  const wrong = [
    ...(quiet ? [] : ['it did not come to rest: see what is missing']),
    ...(await judge({ world, wanted, sends, restores })),
    ...(await settings.judge()),
    ...world.service.ownEnds.map((how) => `the service ended by itself: ${how}`),
    ...faultsIn(world.service.errors),
  ];
  await printSummary({ world, wanted, sends, restores }, performance.now() - began);
  console.log(`  changed settings of chats      ${settings.changes}`);
  for (const line of wrong.slice(0, 100)) console.log(`WRONG  ${line}`);
  if (wrong.length > 100) console.log(`WRONG  and ${wrong.length - 100} more`);
  console.log(
    wrong.length === 0
      ? 'nothing lost, nothing doubled, nothing out of order, nothing unreadable'
      : `${wrong.length} things are wrong`,
  );
  return wrong.length === 0 ? 0 : 1;
};

const disk = await makeDisk();
if (disk === null) console.error('no C compiler: neither power cuts nor failing disks');
try {
  process.exitCode = await run(disk);
} finally {
  await disk?.remove();
}
