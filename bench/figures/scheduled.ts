/** Sends at a time: how late each of 10,000 texts of 100 devices is accepted by the network, with all of them waiting at first. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inLines } from '../../test/system/support/lines.ts';
import { numbersFrom } from '../../test/system/support/settings.ts';
import { type Measured, type Scale, quantile, rounded } from '../support/measured.ts';
import { Stage } from '../support/stage.ts';
import { peer } from '../support/texts.ts';

const devices = 100;
const perDevice = 100;
/** The last is due so long after the first. */
const windowMs = 120_000;
const callers = 32;

interface Waiting {
  readonly scheduled: readonly unknown[];
}

interface Page {
  readonly messages: readonly { readonly id: string; readonly acceptedAt: string | null }[];
}

const lateness = async (stage: Stage, device: number, due: ReadonlyMap<string, number>): Promise<number[]> => {
  const { messages } = await stage.get<Page>(`/devices/${device}/messages?limit=1000`);
  return messages.flatMap(({ id, acceptedAt }) => {
    const sendAt = due.get(id);
    if (sendAt === undefined) return [];
    if (acceptedAt === null) throw new Error(`message ${id} was not sent`);
    return [Date.parse(acceptedAt) - sendAt];
  });
};

export const measure = async ({ short }: Scale): Promise<Measured> => {
  // There are no ratios.
  if (short) return { figures: {} };
  await using stage = await Stage.open();
  const numbers = numbersFrom(4_915_584_000_000, devices);
  await stage.addPhones([peer, ...numbers]);
  const ids = await stage.connectOurs(numbers);
  const due = new Map<string, number>();
  const began = Date.now();
  // What is kept takes this long at most.
  const first = began + 60_000;
  await inLines(devices * perDevice, callers, async (_, left) => {
    const sendAt = first + Math.floor(Math.random() * windowMs);
    const body = { toNumber: peer, message: `at a time ${left}`, sendAt: new Date(sendAt).toISOString() };
    const { messageId } = await stage.ask<{ messageId: string }>(`/devices/${ids[left % devices]}/messages/text`, body);
    due.set(messageId, sendAt);
  });
  if (Date.now() > first) throw new Error('some were due before all of them waited');
  await sleep(first + windowMs - Date.now());
  for (const device of ids) {
    const path = `/devices/${device}/messages/scheduled`;
    while ((await stage.get<Waiting>(path)).scheduled.length > 0) await sleep(100);
  }
  const late = (await Promise.all(ids.map((device) => lateness(stage, device, due)))).flat();
  if (late.length !== due.size) throw new Error(`${late.length} of ${due.size} were sent`);
  return {
    figures: { scheduledLateP50Ms: rounded(quantile(late, 0.5)), scheduledLateP99Ms: rounded(quantile(late, 0.99)) },
  };
};
