/** After the last kill: waits until nothing is under way any more, anywhere. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Wanted } from '../support/wanted.ts';
import { nameOf } from '../support/wanted.ts';
import type { World } from './world.ts';

const pollMs = 250;

interface Delivery {
  readonly id: string;
  readonly attempts: number;
  readonly device: number;
}

/** Stanzas that the network keeps for the linked devices. */
const unacked = async ({ phones }: World): Promise<number> => {
  const { pending } = (await phones.stats()) as { pending: Readonly<Record<string, number>> };
  return Object.values(pending).reduce((sum, count) => sum + count, 0);
};

const pendingDeliveries = async (world: World): Promise<readonly Delivery[]> => {
  const client = await world.api();
  const all: Delivery[] = [];
  for (const { device } of world.linked) {
    const { status, body } = await client.get(`/devices/${device}/deliveries?state=pending&limit=1000`);
    if (status !== 200) throw new Error(`deliveries: ${status} ${JSON.stringify(body)}`);
    for (const { id, attempts } of body.deliveries) all.push({ id, attempts, device });
  }
  return all;
};

/** Lets waiting retries be due now, as a person would who has mended the endpoint. */
const hurry = async (world: World): Promise<void> => {
  const client = await world.api();
  for (const { id, attempts, device } of await pendingDeliveries(world)) {
    if (attempts > 0) await client.post(`/devices/${device}/deliveries/${id}/retry`);
  }
};

const missing = (world: World, wanted: Wanted): number => {
  const got = new Set(world.receiver.received.map(({ event }) => nameOf(event)));
  return [...wanted.names].filter((name) => !got.has(name)).length;
};

/** True when all is quiet and nothing wanted is missing; false when time was up before. */
export const drain = async (
  world: World,
  wanted: Wanted,
  { timeoutMs, hurried }: { readonly timeoutMs: number; readonly hurried: boolean },
): Promise<boolean> => {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end) {
    if (hurried) await hurry(world);
    const left = (await unacked(world)) + (await pendingDeliveries(world)).length + missing(world, wanted);
    if (left === 0) return true;
    await sleep(pollMs);
  }
  return false;
};
