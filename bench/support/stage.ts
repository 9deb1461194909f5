/** The setup of a measurement: sandbox, bare sockets and service, each in its own process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../../test/system/support/child.ts';
import { nodeOptions } from '../../test/system/support/installation.ts';
import { Requests } from '../../test/system/support/requests.ts';
import { type Place, apiKey, settingsFor } from '../../test/system/support/settings.ts';

export const bareScript = join(import.meta.dirname, '..', 'bare.ts');

/** Devices linked at the same time. */
const atATime = 8;

/** CPU milliseconds between two readings. */
export const cpuBetween = (before: NodeJS.CpuUsage, after: NodeJS.CpuUsage): number =>
  (after.user + after.system - before.user - before.system) / 1000;

export class Stage {
  readonly place: Place;
  readonly sandbox: Child;
  readonly bare: Child;
  readonly ours: Child;
  readonly url: string;
  readonly requests = new Requests();
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
    const place = await sandbox.ask<Place>('start', 'lenient');
    const bare = startChild(bareScript);
    await bare.ask('start', place);
    const settings = {
      ...settingsFor(dataDir, place.controlUrl),
      HANDSET_PORT: '0',
      HANDSET_LOG_LEVEL: 'silent',
      ...env,
    };
    const ours = startChild('handset.ts', settings, nodeOptions);
    const url = await ours.ask<string>('start');
    return new Stage({ place, sandbox, bare, ours, url, dataDir });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.ours.stop(), this.bare.stop(), this.sandbox.stop()]);
    await this.requests.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  /** Calls the service as the owner of its devices. */
  ask<T>(path: string, body: unknown): Promise<T> {
    return this.requests.post<T>(`${this.url}/v1${path}`, body, apiKey);
  }

  get<T>(path: string): Promise<T> {
    return this.requests.ask<T>('GET', `${this.url}/v1${path}`, undefined, apiKey);
  }

  addPhones(numbers: readonly string[]): Promise<void> {
    return this.requests.addPhones(this.place.controlUrl, numbers);
  }

  /** Creates devices with these settings, links them to the phones of these numbers, and waits until they are connected. */
  async connectOurs(numbers: readonly string[], settings: Readonly<Record<string, unknown>> = {}): Promise<number[]> {
    const ids: number[] = [];
    const link = async (number: string): Promise<number> => {
      const { device } = await this.ask<{ device: { id: number; qr: string } }>('/devices', settings);
      await this.requests.post(`${this.place.controlUrl}/phones/${number}/scan`, { qr: device.qr });
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
