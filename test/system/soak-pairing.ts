/**
 * `npm run soak:pairing -- [--pairings N] [--seed N]`: people link devices by QR and by code, some of them behind a refresh
 * or a passkey, while the network and the service go wrong in one way after the other. Every pairing ends linked, or in
 * `timeout` with a reason, within its time. Exit code 1 with a list of what is wrong.
 */
import { parseArgs } from 'node:util';
import { faultsIn, printLogged } from './support/logged.ts';
import { type Random, randomOf } from './support/random.ts';
import { type Ending, Person, type Story } from './pairing/person.ts';
import { judge } from './pairing/verdict.ts';
import { forecast, type Spell } from './pairing/weather.ts';
import { makeWorld, type World } from './pairing/world.ts';

const { values } = parseArgs({
  options: {
    pairings: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** At the same time. */
    people: { type: 'string', default: '8' },
    /** How many minutes of the service pass in one: less on a machine that is slow. */
    speed: { type: 'string', default: '10' },
    /** Only what goes wrong in this way; all ways by default. */
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const pairings = Number(values.pairings);
const seed = Number(values.seed);
const people = Number(values.people);
/** Longer than all QRs of one pairing together, and the restarts that a person makes. */
const limitMs = 60_000;

const storyOf = (index: number, { story }: Spell, random: Random, friend: string): Story => {
  const by = random.chance(0.4) ? 'code' : 'qr';
  const linking = random.pick(['plain', 'plain', 'refresh', 'passkey'] as const);
  return {
    number: String(4_915_700_000_000 + index),
    wrongPasskey: random.chance(0.2) ? friend : null,
    idle: false,
    by,
    linking,
    ...story,
  };
};

const runRound = async (world: World, spell: Spell, stories: readonly Story[], random: Random): Promise<Ending[]> => {
  for (const { number, linking } of stories) {
    await world.phones.add(number, `Person ${number}`);
    await world.phones.behave(number, { linking });
  }
  const ended = stories.map((story) => new Person(world, story).run(limitMs));
  await spell.run(world, random);
  return Promise.all(ended);
};

const summary = (endings: readonly Ending[], weather: ReadonlyMap<string, number>, kills: number): void => {
  const count = (how: Ending['how']): number => endings.filter((one) => one.how === how).length;
  const linked = endings.filter(({ how }) => how === 'linked').map(({ ms }) => ms);
  const sorted = linked.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  const restarted = endings.filter(({ how, restarts }) => how === 'linked' && restarts > 0).length;
  console.log(`seed ${seed}, ${endings.length} pairings`);
  console.log(`  linked     ${count('linked')}, ${restarted} of them after a restart that the service had asked for`);
  console.log(`  timeout    ${count('timeout')}, with a reason`);
  console.log(`  time       median ${at(0.5)} ms, 95 of 100 within ${at(0.95)} ms, longest ${at(0.9999)} ms`);
  console.log(`  kills      ${kills}`);
  console.log(`  weather    ${[...weather].map(([name, times]) => `${name} ${times}`).join(', ')}`);
};

const run = async (): Promise<number> => {
  const random = randomOf(seed);
  await using world = await makeWorld(Number(values.speed));
  const friend = '4915699999999';
  await world.phones.add(friend, 'Friend');
  const next = forecast(random.fork());
  const endings: Ending[] = [];
  const wrong: string[] = [];
  const weather = new Map<string, number>();
  while (endings.length < pairings) {
    const spell = next();
    if (values.only !== undefined && !spell.name.includes(values.only)) continue;
    weather.set(spell.name, (weather.get(spell.name) ?? 0) + 1);
    const size = Math.min(people, pairings - endings.length);
    const stories = Array.from({ length: size }, (_, index) => storyOf(endings.length + index, spell, random, friend));
    const begun = performance.now();
    const round = await runRound(world, spell, stories, random);
    if (values.verbose) console.log(`${spell.name}: ${Math.round(performance.now() - begun)} ms`);
    for (const ending of round) {
      const found = (await judge(world, ending, friend)).map((line) => `${spell.name}: ${line}`);
      wrong.push(...found);
      if (values.verbose) {
        for (const line of found) console.log(`WRONG  ${line}`);
        const { story, how, ms, reason, heard } = ending;
        if (ms > 5_000)
          console.log(`  ${Math.round(ms)} ms ${story.by} ${story.linking} ${how} ${reason}: ${heard.join(' | ')}`);
      }
      if (ending.device !== null) await world.ask('DELETE', `/devices/${ending.device}`);
    }
    endings.push(...round);
  }
  summary(endings, weather, world.service.kills);
  printLogged(world.service.errors);
  wrong.push(
    ...world.service.ownEnds.map((how) => `the service ended by itself: ${how}`),
    ...faultsIn(world.service.errors),
  );
  for (const line of wrong.slice(0, 100)) console.log(`WRONG  ${line}`);
  console.log(
    wrong.length === 0
      ? 'every pairing ended linked, or in timeout with a reason, within its time'
      : `${wrong.length} things are wrong`,
  );
  return wrong.length === 0 ? 0 : 1;
};

process.exitCode = await run();
