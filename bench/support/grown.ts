/** An installation with a growing number of devices, beside as many bare sockets: linked once, and reconnected as often as needed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fill, Linked } from '../../test/system/support/fill.ts';
import { type Child, startChild } from '../../test/system/support/child.ts';
import { freePort } from '../../test/support/port.ts';
import { Installation, bundle, megabytesOf } from '../../test/system/support/installation.ts';
import { Requests } from '../../test/system/support/requests.ts';
import { type Place, apiKey, numbersFrom, settingsFor } from '../../test/system/support/settings.ts';
import { bareScript } from './stage.ts';

const opened = /^handset_sessions\{state="open"\} (\d+)$/m;
const [firstOurs, firstBare] = [4_915_700_000_000, 4_915_800_000_000];

export class Grown {
  readonly requests = new Requests();
  readonly place: Place;
  readonly service: Installation;
  readonly sandbox: Child;
  readonly #filler: Child;
  readonly #dataDir: string;
  readonly #webhookUrl: string | null;
  readonly #credentials: string[] = [];
  #published = 0;
  #devices = 0;
  #bare: Child | null = null;

  private constructor(parts: {
    place: Place;
    service: Installation;
    sandbox: Child;
    dataDir: string;
    webhookUrl: string | null;
  }) {
    this.place = parts.place;
    this.service = parts.service;
    this.sandbox = parts.sandbox;
    this.#dataDir = parts.dataDir;
    this.#webhookUrl = parts.webhookUrl;
    this.#filler = startChild('fill.ts');
  }

  /** The service is not started yet; its devices will post to `webhookUrl`. */
  static async open(webhookUrl: string | null = null): Promise<Grown> {
    bundle();
    const dataDir = await mkdtemp(join(tmpdir(), 'handset-bench-'));
    const sandbox = startChild('sandbox.ts');
    const place = await sandbox.ask<Place>('start', 'lenient');
    const settings = settingsFor(dataDir, place.controlUrl);
    const service = new Installation(await freePort(), settings, true);
    service.start();
    await service.ready();
    await service.end('SIGTERM');
    return new Grown({ place, service, sandbox, dataDir, webhookUrl });
  }

  get numbers(): readonly string[] {
    return numbersFrom(firstOurs, this.#devices);
  }

  get bareNumbers(): readonly string[] {
    return numbersFrom(firstBare, this.#credentials.length);
  }

  /** Process of the bare sockets. */
  get bare(): Child {
    if (this.#bare === null) throw new Error('no bare sockets are connected');
    return this.#bare;
  }

  /** Its resident memory. */
  get bareMegabytes(): number {
    return megabytesOf(this.bare.process.pid);
  }

  /** Adds devices up to this number, while the service is stopped. */
  async grow(devices: number): Promise<void> {
    const numbers = numbersFrom(firstOurs + this.#devices, devices - this.#devices);
    await this.requests.addPhones(this.place.controlUrl, numbers);
    const fill: Fill = { place: this.place, dataDir: this.#dataDir, numbers, webhookUrl: this.#webhookUrl };
    await this.#filler.ask('fill', fill);
    this.#devices = devices;
  }

  async growBare(sockets: number): Promise<void> {
    const numbers = numbersFrom(firstBare + this.#credentials.length, sockets - this.#credentials.length);
    await this.requests.addPhones(this.place.controlUrl, numbers);
    const { credentials, published } = await this.#filler.ask<Linked>('link', { place: this.place, numbers });
    this.#credentials.push(...credentials);
    this.#published = published;
  }

  /** Seconds from the start of the service until all its devices are connected. `probed`: it can be asked, and loads what that needs. */
  async connect(probed = true): Promise<number> {
    this.service.start(probed);
    for (;;) {
      const metrics = await this.service.ask('/metrics');
      if (Number(opened.exec(metrics?.text ?? '')?.[1] ?? 0) >= this.#devices) return this.service.age / 1000;
      if (this.service.age > 180_000) throw new Error(`not ${this.#devices} sessions within three minutes`);
      // Each poll costs the service work, so it polls less often with many devices.
      await sleep(metrics === null ? 5 : Math.max(20, Math.min(100, this.#devices / 10)));
    }
  }

  /** Starts a new process with bare sockets and measures it. */
  async connectBare(): Promise<number> {
    const began = performance.now();
    this.#bare = startChild(bareScript);
    await this.#bare.ask('start', this.place);
    await this.#bare.ask('resume', { credentials: this.#credentials, published: this.#published } satisfies Linked);
    return (performance.now() - began) / 1000;
  }

  async endBare(): Promise<void> {
    await this.#bare?.stop();
    this.#bare = null;
  }

  /** Ids of the devices, in the order of their numbers. */
  async ids(): Promise<readonly number[]> {
    const url = `${this.service.url}/v1/devices`;
    const list = await this.requests.ask<{ devices: { id: number; name: string }[] }>('GET', url, undefined, apiKey);
    const ids = new Map(list.devices.map(({ id, name }) => [name, id]));
    return this.numbers.map((number) => ids.get(number)!);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.end('SIGKILL');
    await Promise.all([this.endBare(), this.sandbox.stop(), this.#filler.stop()]);
    await this.requests.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}
