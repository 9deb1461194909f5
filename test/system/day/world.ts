/** The stage of the day: a sandbox, a webhook receiver and the service in processes of their own, with devices linked before. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProbePace } from '../../../src/whatsapp/connection/probe.ts';
import type { Fill } from '../support/fill.ts';
import { type Child, startChild } from '../support/child.ts';
import { Requests } from '../support/requests.ts';
import { type Place, adminToken, apiKey, numbersFrom, settingsFor } from '../support/settings.ts';

export interface Stats {
  readonly keepAlives: number;
  readonly handshakes: number;
  readonly loggedIn: number;
  readonly redelivered: number;
}

export interface Linked {
  readonly id: number;
  readonly number: string;
  /** The person who writes to it, and is written to. */
  readonly peer: string;
}

export interface World extends AsyncDisposable {
  readonly requests: Requests;
  readonly place: Place;
  readonly url: string;
  readonly service: Child;
  readonly receiver: Child;
  readonly linked: readonly Linked[];
  stats(): Promise<Stats>;
}

const peers = numbersFrom(4_915_000_000_000, 64);

/** All of them are connected. */
export const makeWorld = async (devices: number, probePace: ProbePace): Promise<World> => {
  await using opened = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-day-'));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const requests = new Requests();
  opened.defer(() => requests.close());
  const started = (script: string, env: Readonly<Record<string, string>> = {}): Child => {
    const child = startChild(script, env);
    opened.defer(() => child.stop());
    return child;
  };
  const sandbox = started('sandbox.ts');
  const place = await sandbox.ask<Place>('start');
  const receiver = started('receiver.ts');
  const webhookUrl = await receiver.ask<string>('start');
  // One thread: its heap is all there is.
  const settings = {
    ...settingsFor(dataDir, place.controlUrl),
    HANDSET_PORT: '0',
    HANDSET_ADMIN_TOKEN: adminToken,
    HANDSET_LOG_LEVEL: 'silent',
  };
  // The first start makes the user whom the devices are for.
  const first = startChild('handset.ts', settings);
  await first.ask('start');
  await first.ask('stop');
  await first.stop();
  const numbers = numbersFrom(4_915_700_000_000, devices);
  await requests.addPhones(place.controlUrl, [...peers, ...numbers]);
  const filler = startChild('fill.ts');
  await filler.ask('fill', { place, dataDir, numbers, webhookUrl } satisfies Fill);
  await filler.stop();
  const service = started('handset.ts', settings);
  const url = await service.ask<string>('start', { probePace });
  const stats = (): Promise<Stats> => requests.ask('GET', `${place.controlUrl}/stats`);
  while ((await stats()).loggedIn < devices) await sleep(100);
  const list = await requests.ask<{ devices: { id: number; name: string }[] }>(
    'GET',
    `${url}/v1/devices`,
    undefined,
    apiKey,
  );
  const linked = list.devices.map(({ id, name }, index) => ({ id, number: name, peer: peers[index % peers.length]! }));
  const held = opened.move();
  return {
    requests,
    place,
    url,
    service,
    receiver,
    linked,
    stats,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
};
