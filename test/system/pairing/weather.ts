/** Faults while people link their devices: one in each round, for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import type { World } from './world.ts';

export interface Spell {
  readonly name: string;
  /** How often, against the others. */
  readonly weight: number;
  /** Common settings of every story of the round. */
  readonly story?: { readonly linking?: 'passkey'; readonly by?: 'qr' | 'code'; readonly idle?: true };
  /** From its begin to its end; the round goes on after it. */
  run(world: World, random: Random): Promise<void>;
}

const faultsFor =
  (low: number, high: number, ...faults: readonly object[]) =>
  async ({ phones }: World, random: Random): Promise<void> => {
    await phones.faults(random.pick(faults));
    await sleep(random.between(low, high));
    await phones.faults({});
  };

const dropAfter =
  (times: number, body: object = {}) =>
  async ({ phones }: World, random: Random): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      await sleep(random.between(20, 400));
      await phones.request('POST', '/drop', body);
    }
  };

const restart =
  (how: 'kill' | 'stop') =>
  async (world: World, random: Random): Promise<void> => {
    await sleep(random.between(20, 600));
    await world.restart(how);
  };

/** Every kind of break comes several times in one round, one after the other. */
const breaks =
  (at: string, times: number) =>
  async ({ phones }: World, random: Random): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      await phones.faults({ breakPairing: at });
      await sleep(random.between(100, 400));
    }
    await phones.faults({});
  };

const spells: readonly Spell[] = [
  { name: 'calm', weight: 3, run: async () => {} },
  { name: 'slow network', weight: 2, run: faultsFor(500, 1500, { latencyMs: 60 }, { latencyMs: 200 }) },
  { name: 'connection dropped', weight: 3, run: dropAfter(1) },
  { name: 'connection dropped again and again', weight: 2, run: dropAfter(4) },
  { name: 'stream error', weight: 1, run: dropAfter(2, { streamError: 503 }) },
  { name: 'dropped after the scan', weight: 2, run: breaks('scan', 3) },
  { name: '515 after the scan, then nothing', weight: 3, run: breaks('restart', 3) },
  { name: 'dropped before our signature', weight: 2, run: breaks('sign', 1) },
  { name: 'dropped after the link', weight: 2, run: breaks('linked', 3) },
  { name: '401 after the scan', weight: 3, run: faultsFor(600, 1200, { refuseLogins: 1 }, { refuseLogins: 3 }) },
  {
    name: 'new QR wanted of everybody',
    weight: 2,
    run: faultsFor(500, 1500, { rotateQr: 'companion_reg_refresh' }, { rotateQr: 'pair-device-rotate-qr' }),
  },
  {
    name: 'codes refused when asked for',
    weight: 1,
    story: { by: 'code' },
    run: faultsFor(300, 900, { refuseCode: { at: 'hello', code: 429 } }, { refuseCode: { at: 'hello', code: 500 } }),
  },
  {
    name: 'codes refused late',
    weight: 2,
    story: { by: 'code' },
    run: faultsFor(300, 1200, { refuseCode: { at: 'finish', code: 400 } }, { refuseCode: { at: 'finish', code: 500 } }),
  },
  {
    name: 'refs that end soon',
    weight: 2,
    run: faultsFor(400, 1500, { expireQrAfterMs: 60 }, { expireQrAfterMs: 300 }),
  },
  { name: 'nobody comes in', weight: 2, run: faultsFor(300, 1500, { refuseConnections: true }) },
  {
    name: 'stanzas lost with their connections',
    weight: 2,
    run: faultsFor(500, 1500, { dropEvery: 6 }, { dropEvery: 15 }),
  },
  { name: 'nothing goes through', weight: 1, run: faultsFor(300, 900, { halfOpen: true }) },
  { name: 'everybody is asked for a passkey', weight: 2, run: faultsFor(400, 1500, { passkeyGate: true }) },
  {
    name: 'passkeys later than five minutes',
    weight: 2,
    // A code ends when time jumps, and has to be given anew.
    story: { linking: 'passkey', by: 'qr' },
    async run(world, random) {
      await sleep(random.between(50, 300));
      await world.ahead(301_000);
    },
  },
  { name: 'service killed', weight: 3, run: restart('kill') },
  { name: 'service stopped and started', weight: 2, run: restart('stop') },
  { name: 'nobody scans', weight: 1, story: { idle: true }, run: faultsFor(1000, 1500, { expireQrAfterMs: 100 }) },
];

/** Each in proportion to its weight, and none a second time before all have come: in the order of chance. */
export const forecast = (random: Random): (() => Spell) => {
  let waiting: Spell[] = [];
  return () => {
    if (waiting.length === 0) waiting = spells.flatMap((spell) => Array.from({ length: spell.weight }, () => spell));
    const [next] = waiting.splice(random.between(0, waiting.length - 1), 1);
    return next!;
  };
};
