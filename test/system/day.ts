/**
 * `npm run day -- [--devices N] [--minutes N] [--hours N]`: many devices in one process, and what a day brings each of them,
 * without the pauses between: a keep-alive every 30 seconds, each hour a text and a received message, once a day a cut connection. An hour lasts
 * until all of it was played, so a slow machine takes longer than `--minutes`. Says whether the memory of the service is flat, and captures one
 * device's traffic, whose shapes must all be known (docs/internals/wire.md, Capture).
 * Exit code 1 when one of these is not so, when a message did not come, or when devices are not connected at the end.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import known from '../../src/cli/commands/capture-baseline.json' with { type: 'json' };
import { type World, makeWorld } from './day/world.ts';
import { Memory } from './support/memory.ts';
import { inLines } from './support/lines.ts';
import { faultsIn, printLogged } from './support/logged.ts';
import { adminToken, apiKey } from './support/settings.ts';

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '2000' },
    minutes: { type: 'string', default: '8' },
    hours: { type: 'string', default: '24' },
  },
});
const [devices, minutes, hours] = [Number(values.devices), Number(values.minutes), Number(values.hours)];
const hourMs = (minutes * 60_000) / hours;
/** For each device. */
const keepAlivesAnHour = 120;
/** For what an hour brings, on a machine that is busy. */
const longestHourMs = 300_000;
/** Hours. */
const sampleEvery = Math.max(1, Math.floor(hours / 24));
const mega = 1_048_576;

/** Repeated requests, by their first answer. */
const repeated = new Map<string, number>();

/** Again when the connection was cut in the middle of it, as a client would: the key makes one message of all attempts. */
const sendText = async ({ requests, url }: World, id: number, body: object, hour: number): Promise<void> => {
  const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': `hour ${hour}` };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await requests.send('POST', `${url}/v1/devices/${id}/messages/text`, body, headers);
      return;
    } catch (error) {
      if (attempt === 20) throw error;
      const said = error instanceof Error ? error.message.replace(/^\S+ /, '') : String(error);
      repeated.set(said, (repeated.get(said) ?? 0) + 1);
      await sleep(1000);
    }
  }
};

/** Each device sends a text. */
const texts = async (world: World, hour: number): Promise<void> => {
  const { linked } = world;
  const left = [...linked];
  await inLines(linked.length, 16, async () => {
    const { id, peer } = left.pop()!;
    await sendText(world, id, { toNumber: peer, message: `the text of hour ${hour}` }, hour);
  });
};

/** Each device is written to. */
const messages = async ({ requests, place, linked }: World, hour: number): Promise<void> => {
  const left = [...linked];
  await inLines(linked.length, 16, async () => {
    const { number, peer } = left.pop()!;
    const body = { to: number, text: `the message of hour ${hour}` };
    await requests.post(`${place.controlUrl}/phones/${peer}/messages`, body);
  });
};

/** The connections of those whose turn it is are cut, spread over the hour. */
const cuts = async ({ requests, place, linked }: World, hour: number, ms: number): Promise<number> => {
  const chosen = linked.filter((_, index) => index % hours === hour);
  for (const { number } of chosen) {
    await requests.post(`${place.controlUrl}/drop`, { number });
    await sleep(ms / chosen.length);
  }
  return chosen.length;
};

const connected = async (world: World): Promise<void> => {
  const end = performance.now() + 60_000;
  while ((await world.stats()).loggedIn < devices && performance.now() < end) await sleep(50);
};

/** A message may wait for a connection that was cut. */
const inTime = (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), sleep(120_000, false, { ref: false })]);

/** Until all keep-alives up to the end of this hour were answered, on the average of the devices. */
const keptAlive = async (world: World, hour: number, before: number): Promise<void> => {
  const wanted = before + (hour + 1) * keepAlivesAnHour * devices;
  const end = performance.now() + longestHourMs;
  while ((await world.stats()).keepAlives < wanted) {
    if (performance.now() > end) throw new Error(`not all keep-alives of hour ${hour + 1} were played`);
    await sleep(100);
  }
};

/** Plays one hour of each device's day; resolves with the number of connections cut. `before`: keep-alives before the day. */
const play = async (world: World, hour: number, before: number): Promise<number> => {
  const heard = world.receiver.ask('heard', devices);
  // What ends the run is told, and not that the receiver ended with it.
  heard.catch(() => undefined);
  const cutting = cuts(world, hour, hourMs * 0.6);
  await texts(world, hour);
  await messages(world, hour);
  const cut = await cutting;
  if (!(await inTime(heard))) throw new Error(`not all messages of hour ${hour + 1} have come to the webhook`);
  await keptAlive(world, hour, before);
  await connected(world);
  return cut;
};

/** Captures the traffic of one device until the returned function ends it and says what is wrong with it. */
const capture = async ({ requests, url, linked }: World): Promise<() => Promise<string[]>> => {
  const path = `${url}/admin/v1/devices/${linked[0]!.id}/capture`;
  await requests.post(path, { seconds: 86_400 }, adminToken);
  return async () => {
    const { capture: taken } = await requests.ask<{ capture: { shapes: { shape: string }[] } }>(
      'GET',
      path,
      undefined,
      adminToken,
    );
    const shapes = taken.shapes.map(({ shape }) => shape);
    console.log(`${shapes.length} shapes of stanzas were captured of one device`);
    if (shapes.length === 0) return ['the capture is empty'];
    return shapes.filter((shape) => !known.includes(shape)).map((shape) => `a stanza of unknown shape: ${shape}`);
  };
};

const run = async (): Promise<number> => {
  const loads = [loadavg()[0]!];
  // The silence after which the probe asks is noticed at a tenth of it.
  const silenceMs = hourMs / keepAlivesAnHour / 1.1;
  await using world = await makeWorld(devices, { silenceMs, answerMs: 10_000 });
  const { service } = world;
  const memory = new Memory(service, { share: 0.05, bytes: 8 * mega });
  const resident: number[] = [];
  const begun = await world.stats();
  const began = performance.now();
  const cpu = await service.ask<NodeJS.CpuUsage>('cpu');
  const captured = await capture(world);
  let cut = 0;
  for (let hour = 0; hour < hours; hour += 1) {
    cut += await play(world, hour, begun.keepAlives);
    if ((hour + 1) % sampleEvery > 0) continue;
    await memory.sample();
    resident.push((await service.ask<number>('resident')) / mega);
    loads.push(loadavg()[0]!);
    const [held = 0, all = 0] = [memory.megabytes.at(-1), resident.at(-1)];
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    console.log(
      `hour ${hour + 1}: ${held.toFixed(1)} MB after a collection, ${all.toFixed(0)} MB resident, ${seconds} s`,
    );
  }
  const { user, system } = await service.ask<NodeJS.CpuUsage>('cpu');
  const ended = await world.stats();
  const keepAlives = (ended.keepAlives - begun.keepAlives) / devices;
  const minutesTaken = (performance.now() - began) / 60_000;
  const reconnects = ended.handshakes - begun.handshakes;
  console.log(
    `${devices} devices, ${hours} hours in ${minutesTaken.toFixed(1)} min at a load of up to ${Math.max(...loads).toFixed(1)}, ` +
      `${((user + system - cpu.user - cpu.system) / 1e6).toFixed(0)} s of CPU time`,
  );
  console.log(
    `trend of the memory after a collection: ${memory.trendMb.toFixed(2)} MB, ${((memory.trendMb * 1024) / devices).toFixed(2)} kB a device`,
  );
  const wrong = [...memory.judge('the service'), ...(await captured()), ...faultsIn(service.errors)];
  printLogged(service.errors);
  if (ended.loggedIn < devices) wrong.push(`only ${ended.loggedIn} devices are connected`);
  for (const line of wrong) console.log(`WRONG  ${line}`);
  const hoursOf = (keepAlives / keepAlivesAnHour).toFixed(1);
  console.log(`${cut} connections were cut, ${reconnects} made again; ${hoursOf} hours' worth of keep-alives`);
  for (const [said, count] of repeated) console.log(`${count} texts were asked again: ${said}`);
  return wrong.length === 0 ? 0 : 1;
};

process.exitCode = await run();
