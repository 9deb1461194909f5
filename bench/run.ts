/** `npm run bench`: sends and memory, ours against bare Baileys sockets, in one run with the sandbox apart. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { type Child, startChild } from './support/child.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    devices: { type: 'string', default: '50' },
  },
});
const messages = Number(values.messages);
const rounds = Number(values.rounds);
const idleDevices = Number(values.devices);
const inFlight = 16;
const key = `hs_${'B'.repeat(43)}`;
const agent = new Agent({ connections: 64 });

interface Place {
  readonly socketUrl: string;
  readonly rootKey: string;
  readonly mediaCa: string;
  readonly controlUrl: string;
}

const post = async <T>(url: string, body: unknown, bearer?: string): Promise<T> => {
  const answer = await request(url, {
    dispatcher: agent,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200 && answer.statusCode !== 201) throw new Error(`${url}: ${answer.statusCode} ${text}`);
  return JSON.parse(text) as T;
};

const numbersFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(first + index));

const addPhones = async (place: Place, numbers: readonly string[]): Promise<void> => {
  for (const number of numbers) await post(`${place.controlUrl}/phones`, { number, name: `Phone ${number}` });
};

const connectDevices = async (place: Place, url: string, numbers: readonly string[]): Promise<number[]> => {
  const ids: number[] = [];
  for (const number of numbers) {
    const { device } = await post<{ device: { id: number; qr: string } }>(`${url}/v1/devices`, {}, key);
    await post(`${place.controlUrl}/phones/${number}/scan`, { qr: device.qr });
    ids.push(device.id);
  }
  for (const id of ids) {
    for (;;) {
      const answer = await request(`${url}/v1/devices/${id}`, {
        dispatcher: agent,
        headers: { authorization: `Bearer ${key}` },
      });
      const body = (await answer.body.json()) as { device: { status: string } };
      if (body.device.status === 'connected') break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return ids;
};

const sendOurs = async (url: string, device: number, toNumber: string, count: number): Promise<number> => {
  const began = performance.now();
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      await post(`${url}/v1/devices/${device}/messages/text`, { toNumber, message: `ours ${left}` }, key);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return performance.now() - began;
};

const median = (figures: readonly number[]): number =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)]!;
const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(2)} MB`;

type CpuUsage = NodeJS.CpuUsage;

/** CPU milliseconds a message between two readings. */
const cpuPer = (before: CpuUsage, after: CpuUsage, count: number): number =>
  (after.user + after.system - before.user - before.system) / 1000 / count;

const compareSends = async (
  ours: { url: string; device: number; process: Child },
  bare: Child,
  peer: string,
): Promise<void> => {
  const oursRates: number[] = [];
  const bareRates: number[] = [];
  const sendBare = (count: number): Promise<number> =>
    bare.ask<number>('send', { count, devices: 1, inFlight, to: [`${peer}@s.whatsapp.net`] });
  await sendOurs(ours.url, ours.device, peer, Math.ceil(messages / 5));
  await sendBare(Math.ceil(messages / 5));
  const cpu = { ours: await ours.process.ask<CpuUsage>('cpu'), bare: await bare.ask<CpuUsage>('cpu') };
  for (let round = 0; round < rounds; round++) {
    oursRates.push((messages / (await sendOurs(ours.url, ours.device, peer, messages))) * 1000);
    bareRates.push((messages / (await sendBare(messages))) * 1000);
  }
  const cpuOurs = cpuPer(cpu.ours, await ours.process.ask<CpuUsage>('cpu'), messages * rounds);
  const cpuBare = cpuPer(cpu.bare, await bare.ask<CpuUsage>('cpu'), messages * rounds);
  const [mine, theirs] = [median(oursRates), median(bareRates)];
  console.log(`texts a second, one device, ${messages} texts, median of ${rounds} rounds`);
  console.log(`  POST /messages/text   ${mine.toFixed(0)}`);
  console.log(`  bare Baileys socket   ${theirs.toFixed(0)}`);
  console.log(`  ratio                 ${(mine / theirs).toFixed(2)}`);
  console.log(`  CPU a text            ${cpuOurs.toFixed(2)} ms against ${cpuBare.toFixed(2)} ms`);
};

const main = async (): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-bench-'));
  const sandbox = startChild('sandbox.ts');
  const place = await sandbox.ask<Place>('start');
  const bare = startChild('bare.ts');
  const ours = startChild('handset.ts', {
    HANDSET_PORT: '0',
    HANDSET_DATA_DIR: dataDir,
    HANDSET_BOOTSTRAP_KEY: key,
    HANDSET_NETWORK: place.controlUrl,
    HANDSET_RATE_LIMIT: '1000000',
    HANDSET_BOOTSTRAP_DEVICE_LIMIT: '100000',
    HANDSET_LOG_LEVEL: 'silent',
  });
  try {
    const url = await ours.ask<string>('start');
    await bare.ask('start', place);
    const [peer] = numbersFrom(4_915_000_000_001, 1) as [string];
    const oursNumbers = numbersFrom(4_916_000_000_000, idleDevices);
    const bareNumbers = numbersFrom(4_917_000_000_000, idleDevices);
    await addPhones(place, [peer, ...oursNumbers, ...bareNumbers]);

    const [oursWarm] = await connectDevices(place, url, oursNumbers.slice(0, 1));
    await bare.ask('connect', bareNumbers.slice(0, 1));
    const before = { ours: await ours.ask<number>('memory'), bare: await bare.ask<number>('memory') };
    await connectDevices(place, url, oursNumbers.slice(1));
    await bare.ask('connect', bareNumbers.slice(1));
    const after = { ours: await ours.ask<number>('memory'), bare: await bare.ask<number>('memory') };
    const perDevice = {
      ours: (after.ours - before.ours) / (idleDevices - 1),
      bare: (after.bare - before.bare) / (idleDevices - 1),
    };
    console.log(`resident memory per idle connected device, ${idleDevices} devices`);
    console.log(`  Handset               ${megabytes(perDevice.ours)} (process ${megabytes(after.ours)})`);
    console.log(`  bare Baileys socket   ${megabytes(perDevice.bare)} (process ${megabytes(after.bare)})`);
    console.log(`  ratio                 ${(perDevice.ours / perDevice.bare).toFixed(2)}`);
    await compareSends({ url, device: oursWarm!, process: ours }, bare, peer);
  } finally {
    await Promise.all([ours.stop(), bare.stop(), sandbox.stop()]);
    await rm(dataDir, { recursive: true, force: true });
    await agent.close();
  }
};

await main();
