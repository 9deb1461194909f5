/**
 * `node test/system/large-group.ts [--members 1000]`: texts to a large group: time, CPU time, memory, and bytes on the wire; fails where a member gets
 * one twice, or none, or where the tenth hands out keys.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuBetween, Stage } from '../../bench/support/stage.ts';
import { numbersFrom } from './support/settings.ts';

const { values } = parseArgs({ options: { members: { type: 'string', default: '1000' } } });
const members = Number(values.members);
const texts = 10;

interface Stats {
  readonly phonesReceived: number;
  readonly duplicates: number;
  readonly decryptFailures: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

await using stage = await Stage.open();
const numbers = numbersFrom(4_915_000_000_000, members);
const [owner, ...others] = numbers;
const { controlUrl } = stage.place;
const stats = async (): Promise<Stats> => stage.requests.ask('GET', `${controlUrl}/stats`, undefined, '');
await stage.addPhones(numbers);
const [id] = await stage.connectOurs([owner!]);
const wanted = { subject: 'Large', owner, participants: others };
const { jid } = await stage.requests.post<{ jid: string }>(`${controlUrl}/groups`, wanted);
const before = await stats();
const received = async (): Promise<number> => (await stats()).phonesReceived - before.phonesReceived;
/** Waits for the phones, and until nothing goes over the wire any more, so that their receipts are not counted with the next text. */
const settled = async (due: number): Promise<void> => {
  const until = Date.now() + 120_000;
  while ((await received()) < due && Date.now() < until) await sleep(100);
  for (let last = -1; Date.now() < until; await sleep(1_000)) {
    const { bytesIn } = await stats();
    if (bytesIn === last) return;
    last = bytesIn;
  }
};
let sent = 0;
for (let n = 1; n <= texts; n += 1) {
  const [cpu, wire] = [await stage.ours.ask<NodeJS.CpuUsage>('cpu'), await stats()];
  const began = performance.now();
  await stage.ask(`/devices/${id}/messages/text`, { to: jid, message: `text ${n}` });
  const ms = Math.round(performance.now() - began);
  const after = await stats();
  const spent = Math.round(cpuBetween(cpu, await stage.ours.ask('cpu')));
  const resident = Math.round((await stage.ours.ask<number>('resident')) / 1_048_576);
  sent = after.bytesIn - wire.bytesIn;
  const kept = `CPU ${spent} ms, ${resident} MB resident`;
  const bytes = `${sent} bytes sent, ${after.bytesOut - wire.bytesOut} received`;
  if (n === 1 || n === texts) process.stdout.write(`text ${n}: ${ms} ms, ${kept}, ${bytes}\n`);
  await settled(members * n);
}
const { duplicates, decryptFailures } = await stats();
assert.deepEqual([await received(), duplicates, decryptFailures], [members * texts, 0, 0]);
// Receipts of members that are still acknowledged are few; a key for each member is not.
assert.ok(sent < members * 100, `the last text took ${sent} bytes`);
process.stdout.write(`${members} members have each text once\n`);
