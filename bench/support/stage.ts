/** The stage of a measurement: the sandbox, bare sockets and the service, each in a process of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { type Child, startChild } from './child.ts';

export interface Place {
  readonly socketUrl: string;
  readonly rootKey: string;
  readonly mediaCa: string;
  readonly controlUrl: string;
}

/** Devices that are linked at the same time. */
const atATime = 8;

export const apiKey = `hs_${'B'.repeat(43)}`;

export const numbersFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(first + index));

/** CPU milliseconds between two readings. */
export const cpuBetween = (before: NodeJS.CpuUsage, after: NodeJS.CpuUsage): number =>
  (after.user + after.system - before.user - before.system) / 1000;

export class Stage {
  readonly place: Place;
  readonly sandbox: Child;
  readonly bare: Child;
  readonly ours: Child;
  readonly url: string;
  readonly #agent = new Agent({ connections: 512 });
  readonly #dataDir: string;

  private constructor(parts: { place: Place; sandbox: Child; bare: Child; ours: Child; url: string; dataDir: string }) {
    this.place = parts.place;
    this.sandbox = parts.sandbox;
    this.bare = parts.bare;
    this.ours = parts.ours;
    this.url = parts.url;
    this.#dataDir = parts.dataDir;
  }

  static async open(env: Readonly<Record<string, string>> = {}): Promise<Stage> {
    const dataDir = await mkdtemp(join(tmpdir(), 'handset-bench-'));
    const sandbox = startChild('sandbox.ts');
    const place = await sandbox.ask<Place>('start');
    const bare = startChild('bare.ts');
    await bare.ask('start', place);
    const ours = startChild('handset.ts', {
      HANDSET_PORT: '0',
      HANDSET_DATA_DIR: dataDir,
      HANDSET_BOOTSTRAP_KEY: apiKey,
      HANDSET_NETWORK: place.controlUrl,
      HANDSET_RATE_LIMIT: '1000000',
      HANDSET_BOOTSTRAP_DEVICE_LIMIT: '100000',
      HANDSET_LOG_LEVEL: 'silent',
      ...env,
    });
    const url = await ours.ask<string>('start');
    return new Stage({ place, sandbox, bare, ours, url, dataDir });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.ours.stop(), this.bare.stop(), this.sandbox.stop()]);
    await this.#agent.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  async post<T>(url: string, body: unknown, bearer?: string): Promise<T> {
    const answer = await request(url, {
      dispatcher: this.#agent,
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
  }

  /** Asks the service as the owner of its devices. */
  ask<T>(path: string, body: unknown): Promise<T> {
    return this.post<T>(`${this.url}/v1${path}`, body, apiKey);
  }

  async get<T>(path: string): Promise<T> {
    const headers = { authorization: `Bearer ${apiKey}` };
    const answer = await request(`${this.url}/v1${path}`, { dispatcher: this.#agent, headers });
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${await answer.body.text()}`);
    return (await answer.body.json()) as T;
  }

  async addPhones(numbers: readonly string[]): Promise<void> {
    for (const number of numbers)
      await this.post(`${this.place.controlUrl}/phones`, { number, name: `Phone ${number}` });
  }

  /** Devices of the service, linked to the phones of these numbers and connected. */
  async connectOurs(numbers: readonly string[]): Promise<number[]> {
    const ids: number[] = [];
    const link = async (number: string): Promise<number> => {
      const { device } = await this.ask<{ device: { id: number; qr: string } }>('/devices', {});
      await this.post(`${this.place.controlUrl}/phones/${number}/scan`, { qr: device.qr });
      const path = `/devices/${device.id}`;
      while ((await this.get<{ device: { status: string } }>(path)).device.status !== 'connected') await sleep(20);
      return device.id;
    };
    for (let at = 0; at < numbers.length; at += atATime) {
      ids.push(...(await Promise.all(numbers.slice(at, at + atATime).map(link))));
    }
    return ids;
  }

  async connectBare(numbers: readonly string[]): Promise<void> {
    await this.bare.ask('connect', numbers);
  }
}

/** Runs `work` while the processes note where their time goes, and writes `<folder>/<name>.cpuprofile` of each. */
export const profiled = async <T>(
  folder: string | null,
  processes: Readonly<Record<string, Child>>,
  work: () => Promise<T>,
): Promise<T> => {
  if (folder === null) return work();
  for (const process of Object.values(processes)) await process.ask('profile');
  try {
    return await work();
  } finally {
    for (const [name, process] of Object.entries(processes))
      await process.ask('profiled', join(folder, `${name}.cpuprofile`));
  }
};
