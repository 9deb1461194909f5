/**
 * `npm run bench:disk [-- --flush 10] [--seconds 15]`: what a disk whose flushes take so many ms costs. One text after the other, with
 * and without a key, and 300 texts a second by 20 devices, on this machine's disk and on the slow one. Exit code 1 where the slow
 * one takes more than three flushes a text, or fewer than 300 texts a second.
 */
import { parseArgs } from 'node:util';
import { makeDisk } from '../test/support/disk.ts';
import { median, quantile } from './support/measured.ts';
import { paced } from './support/paced.ts';
import { apiKey } from './support/settings.ts';
import { Stage, numbersFrom } from './support/stage.ts';
import { peer } from './support/texts.ts';

const { values } = parseArgs({
  options: { flush: { type: 'string', default: '10' }, seconds: { type: 'string', default: '15' } },
});
const flushMs = Number(values.flush);
const wantedPerSecond = 300;
const devices = 20;
const lone = 60;

const disk = await makeDisk();
if (disk === null) throw new Error('this needs a C compiler');
await using stage = await Stage.open({ ...disk.env, HANDSET_DATA_DIR: disk.dataDir });
const numbers = numbersFrom(4_916_000_000_000, devices);
await stage.addPhones([peer, ...numbers]);
const ids = await stage.connectOurs(numbers);

let count = 0;
const send = async (id: number, keyed: boolean): Promise<void> => {
  count += 1;
  const answer = await fetch(`${stage.url}/v1/devices/${id}/messages/text`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...(keyed ? { 'idempotency-key': `text ${count}` } : {}),
    },
    body: JSON.stringify({ toNumber: peer, message: `text ${count}` }),
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.text();
};

/** The usual time of one text, ms, while nothing else is sent. */
const alone = async (keyed: boolean): Promise<number> => {
  const times: number[] = [];
  for (let n = 0; n < lone; n += 1) {
    const from = performance.now();
    await send(ids[0]!, keyed);
    times.push(performance.now() - from);
    // Its receipts are written, too, and are no part of its answer.
    await new Promise((resolve) => setTimeout(resolve, 6 * flushMs));
  }
  return median(times);
};

const together = async (): Promise<{ readonly perSecond: number; readonly p50: number; readonly p99: number }> => {
  const total = wantedPerSecond * Number(values.seconds);
  const [flushes, from] = [disk.flushes, performance.now()];
  const times = await paced(() => send(ids[count % devices]!, false), wantedPerSecond, total);
  const seconds = (performance.now() - from) / 1000;
  console.log(`    ${((disk.flushes - flushes) / seconds).toFixed(0)} flushes a second`);
  return { perSecond: total / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
};

for (const id of ids) await send(id, false);
const found: { plain: number; keyed: number; perSecond: number }[] = [];
for (const ms of [0, flushMs]) {
  disk.order({ flushMs: ms });
  const [plain, keyed] = [await alone(false), await alone(true)];
  console.log(`flushes ${ms === 0 ? 'as they are' : `of ${ms} ms`}`);
  console.log(`    a text alone ${plain.toFixed(1)} ms, with an Idempotency-Key ${keyed.toFixed(1)} ms`);
  const { perSecond, p50, p99 } = await together();
  console.log(`    ${perSecond.toFixed(0)} texts a second, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`);
  found.push({ plain, keyed, perSecond });
}
const [quick, slow] = found as [(typeof found)[number], (typeof found)[number]];
/** A timer ends late: a flush of 10 ms takes up to 11. */
const lateness = 1.1;
const added = (name: 'plain' | 'keyed'): number => (slow[name] - quick[name]) / flushMs;
console.log(`a text costs ${added('plain').toFixed(1)} flushes, with an Idempotency-Key ${added('keyed').toFixed(1)}`);
await disk.remove();
// Of 300 a second, the last ones are still on their way when the clock stops.
process.exitCode =
  Math.max(added('plain'), added('keyed')) <= 3 * lateness && slow.perSecond > 0.97 * wantedPerSecond ? 0 : 1;
