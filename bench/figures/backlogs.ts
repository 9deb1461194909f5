/**
 * Texts of members of a group against texts of persons, waiting for the same device when it connects, to the webhook's receiver: what each
 * costs, and how fast 200 are read where each flush of the disk takes 10 ms.
 */
import { type Child, startChild } from '../../test/system/support/child.ts';
import { makeDisk } from '../../test/support/disk.ts';
import { phonesOf } from '../../test/support/phones.ts';
import { numbersFrom } from '../../test/system/support/settings.ts';
import { type Burst, heardBy } from '../support/arrivals.ts';
import { compare, type Compared, type Side } from '../support/compare.ts';
import { type Measured, type Scale, rounded } from '../support/measured.ts';
import { Stage } from '../support/stage.ts';

const [owner] = numbersFrom(4_915_591_000_000, 1) as [string];
const writers = numbersFrom(4_915_592_000_000, 8);
const flushMs = 10;

const sidesOf = async (stage: Stage, receiver: Child): Promise<readonly [persons: Side<Burst>, group: Side<Burst>]> => {
  const phones = phonesOf(stage.place.controlUrl);
  const heard = heardBy(receiver);
  await stage.addPhones([owner, ...writers]);
  const webhookUrl = await receiver.ask<string>('start');
  await stage.connectOurs([owner], { webhookUrl, webhookEvents: ['message.received'] });
  const made = { subject: 'Backlog', owner, participants: writers };
  const { jid } = await phones.request<{ jid: string }>('POST', '/groups', made);
  const side = (to: string): Side<Burst> => ({
    async work({ count }) {
      await phones.faults({ refuseConnections: true });
      await phones.request('POST', '/drop', { number: owner });
      const each = { to, text: 'burst {n}', count: count / writers.length };
      await Promise.all(writers.map((from) => phones.write(from, each)));
      await phones.faults({});
      // When the next attempt to connect comes is chance.
      await heard(1);
      const began = performance.now();
      await heard(count - 1);
      return performance.now() - began;
    },
    cpu: () => stage.ours.ask('cpu'),
  });
  return [side(owner), side(jid)];
};

const compared = async (env: Readonly<Record<string, string>>, count: number, rounds: number): Promise<Compared> => {
  await using stage = await Stage.open({ HANDSET_ALLOW_PRIVATE_URLS: 'true', ...env });
  const receiver = startChild('receiver.ts');
  try {
    const [persons, group] = await sidesOf(stage, receiver);
    return await compare(group, persons, { count }, rounds);
  } finally {
    await receiver.stop();
  }
};

const onSlowDisk = async (rounds: number): Promise<Readonly<Record<string, number>>> => {
  const disk = await makeDisk();
  if (disk === null) return {};
  try {
    disk.order({ flushMs });
    const { ratio, ours, bare } = await compared({ ...disk.env, HANDSET_DATA_DIR: disk.dataDir }, 200, rounds);
    return {
      groupBacklogRatio: rounded(ratio),
      groupBacklogPerSecond: rounded(ours),
      personBacklogPerSecond: rounded(bare),
    };
  } finally {
    await disk.remove();
  }
};

export const measure = async ({ short }: Scale): Promise<Measured> => {
  const { ratioByCpu, cpuOurs, cpuBare } = await compared({}, short ? 400 : 1_600, short ? 3 : 9);
  return {
    figures: {
      groupReceiveCost: rounded(1 / ratioByCpu),
      groupReceiveCpuMs: rounded(cpuOurs),
      personReceiveCpuMs: rounded(cpuBare),
      ...(await onSlowDisk(short ? 3 : 9)),
    },
  };
};
