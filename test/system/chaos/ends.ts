/** How the lives of a service end in the chaos: by SIGKILL, by a power cut, after a time on a disk that fails, and with an earlier database. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Disk } from '../../support/disk.ts';
import type { Random } from '../support/random.ts';
import type { Restores } from './restores.ts';
import type { World } from './world.ts';

/** About as long as a start takes. */
const startMs = 1500;
/** A life in which the flush never comes ends by itself. */
const longestLifeMs = 20_000;

interface Ends {
  readonly world: World;
  readonly restores: Restores;
  readonly random: Random;
  readonly kills: number;
  /** Average length of one run of the service. */
  readonly shareMs: number;
}

const live = async ({ world, restores, random }: Ends, kill: number, lifeMs: number): Promise<void> => {
  const { phones, disk } = world;
  await sleep(lifeMs / 3);
  await restores.alive(kill);
  if (random.chance(0.2)) await phones.request('POST', '/drop', {});
  if (random.chance(0.3)) disk?.order({ failing: random.pick(['flushes', 'writes', 'both']) });
  await sleep(lifeMs / 3);
  // Some lives end on a disk that still fails.
  if (random.chance(0.7)) disk?.order({});
  await sleep(lifeMs / 3);
};

/** Some ends come while it starts, some when it has just started, most in the middle of traffic. */
export const killAgainAndAgain = async (ends: Ends): Promise<void> => {
  const { world, restores, random, kills, shareMs } = ends;
  const { service, disk } = world;
  for (let kill = 0; kill < kills; kill += 1) {
    const { ready } = kill === 0 ? { ready: Promise.resolve(true) } : service.start();
    const lifeMs = random.between(0, 2 * shareMs);
    if (kill > 0 && random.chance(0.2)) await Promise.race([ready, sleep(random.between(0, startMs))]);
    else if (await ready) await live(ends, kill, lifeMs);
    if (disk !== null && random.chance(0.5)) await service.losePower(disk);
    else await service.kill();
    disk?.order({});
    await restores.dead(kill);
    process.stderr.write('.');
  }
  process.stderr.write('\n');
  await service.start().ready;
};

/** The power is cut before and after each of these flushes, counted from the start of a life. */
export const cutAtFlushes = async ({ service }: World, disk: Disk, flushes: readonly number[]): Promise<void> => {
  await service.losePower(disk);
  for (const flush of flushes) {
    for (const when of ['before', 'after'] as const) {
      disk.order({ cutAt: { flush, when } });
      const { ready } = service.start();
      await Promise.race([service.ended(), sleep(longestLifeMs, undefined, { ref: false })]);
      await service.losePower(disk);
      await ready;
      process.stderr.write('.');
    }
  }
  process.stderr.write('\n');
  disk.order({});
  await service.start().ready;
};
