/**
 * `npm run hot-paths [-- --check] [--quiet]`: the files and functions of `src` run by one warm text, from the route to the answer with its
 * acknowledgement, receipt and webhooks, and by one incoming message, from the stanza to the webhook. Counted by V8's precise coverage as
 * the functions that ran in each of several rounds, which excludes occasional timers. Printed in the order of first calls, from a further
 * round with a breakpoint in each function; functions that round did not reach come last. `--check` exits with 1 above the bars, `--quiet`
 * prints totals only.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readFileSync } from 'node:fs';
import type { Ran } from './hot-paths/service.ts';
import { type Child, startChild } from '../test/system/support/child.ts';
import { Requests } from '../test/system/support/requests.ts';
import { type Place, apiKey, settingsFor } from '../test/system/support/settings.ts';

/** Upper limits of each path. */
const bars = {
  // Of 2026-11-29, with one file and five functions to spare: timers are in some counts and not in others. The goal is 60 and 320, 44 and 230.
  text: { files: 82, functions: 376 },
  inbound: { files: 50, functions: 267 },
} as const;

const rounds = 4;
/** On a busy machine a timer may fire in each of the first ones. */
const maxRounds = 12;
const warmUps = 15;
const own = '4915550001111';
const peer = '4915550002222';
const root = join(import.meta.dirname, '..');

type Path = keyof typeof bars;
type Act = () => Promise<unknown>;

const keyOf = ({ url, start, end }: Ran): string => `${url} ${start} ${end}`;

/** The record of a post follows its response, and cannot be observed. */
const settle = (): Promise<void> => sleep(200);

/** A login that has held for 5 s is noted as sound (`receive/begun.ts`). */
const loginMs = 6_000;

const filesOf = (ran: readonly Ran[]): number => new Set(ran.map(({ url }) => url)).size;

const isWithin = (path: Path, ran: readonly Ran[]): boolean =>
  filesOf(ran) <= bars[path].files && ran.length <= bars[path].functions;

/** Functions that ran in every round; nothing is pending between rounds. More rounds are added above the bar. */
const measure = async (service: Child, path: Path, act: Act): Promise<Ran[]> => {
  let common: Ran[] | null = null;
  for (let round = 0; round < maxRounds; round += 1) {
    if (round >= rounds && isWithin(path, common!)) break;
    await settle();
    await service.ask('take');
    await act();
    await settle();
    const ran = await service.ask<Ran[]>('take');
    const keys = new Set(ran.map(keyOf));
    common = common === null ? ran : common.filter((one) => keys.has(keyOf(one)));
  }
  return common!;
};

const inOrder = async (service: Child, ran: readonly Ran[], act: Act): Promise<Ran[]> => {
  await service.ask('trace', ran);
  await act();
  await settle();
  const order = await service.ask<number[]>('traced');
  const met = new Set(order);
  return [...order.map((at) => ran[at]!), ...ran.filter((_, at) => !met.has(at))];
};

const lineOf = ({ url, start }: Ran): number =>
  readFileSync(fileURLToPath(url), 'utf8').slice(0, start).split('\n').length;

const byFile = (ran: readonly Ran[]): ReadonlyMap<string, readonly string[]> => {
  const files = new Map<string, string[]>();
  for (const one of ran) {
    const file = relative(root, fileURLToPath(one.url));
    const names = files.get(file) ?? [];
    files.set(file, [...names, `${one.name === '' ? 'anonymous' : one.name}:${lineOf(one)}`]);
  }
  return files;
};

/** Returns true within the bars. */
const print = (path: Path, ran: readonly Ran[], quiet: boolean): boolean => {
  const files = byFile(ran);
  const bar = bars[path];
  if (!quiet) for (const [file, names] of files) console.log(`${file} (${names.length})\n    ${names.join(', ')}`);
  console.log(
    `${path}: ${files.size} files (at most ${bar.files}), ${ran.length} functions (at most ${bar.functions})`,
  );
  return isWithin(path, ran);
};

/** The two actions, once everything is linked; each resolves when all its consequences have happened. */
const openActs = async (url: string, place: Place, receiver: Child, requests: Requests): Promise<Record<Path, Act>> => {
  await requests.addPhones(place.controlUrl, [own, peer]);
  const settings = {
    webhookUrl: await receiver.ask<string>('start'),
    webhookEvents: ['message.received', 'message.sent', 'message.updated'],
  };
  const path = `${url}/v1/devices`;
  const { device } = await requests.post<{ device: { id: number; qr: string } }>(path, settings, apiKey);
  await requests.post(`${place.controlUrl}/phones/${own}/scan`, { qr: device.qr });
  const status = async (): Promise<string> =>
    (await requests.ask<{ device: { status: string } }>('GET', `${path}/${device.id}`, undefined, apiKey)).device
      .status;
  while ((await status()) !== 'connected') await sleep(20);
  await sleep(loginMs);
  /** Waits for its webhooks. */
  const withPosts = (posts: number, act: Act) => (): Promise<unknown> =>
    Promise.all([act(), receiver.ask('heard', posts)]);
  return {
    // A text has two events: sent, and delivered.
    text: withPosts(2, () =>
      requests.post(`${path}/${device.id}/messages/text`, { toNumber: peer, message: 'text' }, apiKey),
    ),
    inbound: withPosts(1, () =>
      requests.post(`${place.controlUrl}/phones/${peer}/messages`, { to: own, text: 'inbound' }),
    ),
  };
};

const run = async (): Promise<boolean> => {
  const { values } = parseArgs({
    options: { check: { type: 'boolean', default: false }, quiet: { type: 'boolean', default: false } },
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-hot-paths-'));
  const requests = new Requests();
  const [sandbox, receiver] = [startChild('sandbox.ts'), startChild('receiver.ts')];
  const place = await sandbox.ask<Place>('start');
  const env = { ...settingsFor(dataDir, place.controlUrl), HANDSET_PORT: '0', HANDSET_LOG_LEVEL: 'silent' };
  const service = startChild(join(import.meta.dirname, 'hot-paths/service.ts'), env);
  try {
    const acts = await openActs(await service.ask<string>('start'), place, receiver, requests);
    for (let n = 0; n < warmUps; n += 1) for (const act of Object.values(acts)) await act();
    let within = true;
    for (const path of ['text', 'inbound'] as const) {
      const ran = await measure(service, path, acts[path]);
      const ordered = values.quiet ? ran : await inOrder(service, ran, acts[path]);
      within = print(path, ordered, values.quiet) && within;
    }
    return within || !values.check;
  } finally {
    await Promise.all([service.stop(), receiver.stop(), sandbox.stop()]);
    await requests.close();
    await rm(dataDir, { recursive: true, force: true });
  }
};

process.exitCode = (await run()) ? 0 : 1;
