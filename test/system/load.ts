/**
 * Many clients of one user against the limits (`npm run load`): 200 connections that ask as fast as they are answered,
 * and beside them users who keep to the limit. Answers may be 200 and 429 only, memory stays flat, and the others are no
 * slower than twice what they are alone (half of their answers, and nearly all). Exits with 1 when it is not so.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask, receiver } from './load/ask.ts';
import type { Crowd, CrowdResult } from './load/crowd.ts';
import { type Quiet, Times, compare } from './load/quiet.ts';
import { faultsIn } from './support/logged.ts';
import { Memory } from './support/memory.ts';
import { startChild } from './support/child.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '200' },
    // For machines that do other things meanwhile: so much slower is not counted, and only half of the answers are.
    slack: { type: 'string', default: '0' },
  },
});
const [seconds, clients, slackMs] = [Number(values.seconds), Number(values.clients), Number(values.slack)];
/** Several who keep to their limit of 100 a minute, whatever the length of the run: one alone would give few times. */
const quietUsers = 3;
const paceMs = 60_000 / (92 * quietUsers);
const quietRequests = Math.round((seconds * 1000) / paceMs);

const adminToken = randomBytes(24).toString('hex');
const dataDir = await mkdtemp(join(tmpdir(), 'handset-load-'));
const sandbox = startChild('sandbox.ts');
const { controlUrl } = await sandbox.ask<{ controlUrl: string }>('start');
const service = startChild('handset.ts', {
  HANDSET_PORT: '0',
  HANDSET_DATA_DIR: dataDir,
  HANDSET_NETWORK: controlUrl,
  HANDSET_BOOTSTRAP_KEY: `hs_${randomBytes(32).toString('base64url')}`,
  HANDSET_ADMIN_TOKEN: adminToken,
  HANDSET_LOG_LEVEL: 'warn',
});
const crowd = startChild(join(import.meta.dirname, 'load/crowd.ts'));
const url = await service.ask<string>('start');
const agent = new Agent({ keepAlive: true });

/** A user with a linked device. */
const userWith = async (name: string, number: string): Promise<Quiet> => {
  const admin = async (path: string, body: Readonly<Record<string, unknown>>) =>
    (await ask(agent, url, adminToken, 'POST', `/admin/v1${path}`, body)).body;
  const { user } = await admin('/users', { name, deviceLimit: 5 });
  const key: string = (await admin(`/users/${user.id}/keys`, { name: 'load' })).key.secret;
  await ask(agent, controlUrl, '', 'POST', '/phones', { number, name });
  const { device } = (await ask(agent, url, key, 'POST', '/v1/devices')).body;
  await ask(agent, controlUrl, '', 'POST', `/phones/${number}/scan`, { qr: device.qr });
  for (;;) {
    const { devices } = (await ask(agent, url, adminToken, 'GET', `/admin/v1/users/${user.id}/devices`)).body;
    if (devices[0].status === 'connected') return { url, key, device: device.id };
    await sleep(100);
  }
};

await ask(agent, controlUrl, '', 'POST', '/phones', { number: receiver, name: 'receiver' });
// Who is measured alone has used up their minute: beside the crowd it is somebody else.
const [first, greedy, ...others] = await Promise.all([
  userWith('first', '4915550000001'),
  userWith('greedy', '4915550000002'),
  ...Array.from({ length: quietUsers }, (_, n) => userWith(`other ${n}`, `491555000001${n}`)),
]);

const warming = new Times();
await warming.take(agent, [first, ...others], 3 * (quietUsers + 1), 30);
const alone = new Times();
await alone.take(agent, [first], Math.min(90, Math.round(quietRequests / 2)), paceMs);

// A minute fills nothing that a longer run would not: a user's window, the pools, the caches are full in its first third.
const memory = new Memory(service, { bytes: 4 * 1_048_576, share: 0.05 });
let sampledAt = 0;
const sample = async (): Promise<void> => {
  if (performance.now() - sampledAt < seconds * 100) return;
  await memory.sample();
  sampledAt = performance.now();
};
const many: Crowd = { ...greedy, clients };
await crowd.ask('start', many);
const beside = new Times();
await beside.take(agent, others, quietRequests, paceMs, sample);
const { statuses, failures } = await crowd.ask<CrowdResult>('end');

const reads = compare('reads of other users', alone.reads, beside.reads, slackMs);
const sends = compare('sends of other users', alone.sends, beside.sends, slackMs);
const total = Object.values(statuses).reduce((sum, count) => sum + count, 0);
const refused = [...alone.refused, ...beside.refused];
const problems = [
  ...Object.keys(statuses)
    .filter((status) => !['200', '429'].includes(status))
    .map((status) => `an answer was ${status}`),
  ...Object.entries(failures).map(([reason, count]) => `${count} requests failed: ${reason}`),
  ...(refused.length > 0 ? [`other users were refused: ${refused.join(', ')}`] : []),
  ...reads.problems,
  ...sends.problems,
  ...memory.judge('the service'),
  ...faultsIn(service.errors),
  ...((statuses['200'] ?? 0) > 100 * (Math.floor(seconds / 60) + 1) ? ['more requests than the limit allows'] : []),
];
process.stdout.write(
  [
    `${clients} clients, ${seconds} s, ${total} answers: ${JSON.stringify(statuses)}`,
    reads.line,
    sends.line,
    `memory after a collection: ${memory.toString()}`,
    ...(problems.length === 0 ? ['All limits hold.'] : problems),
    '',
  ].join('\n'),
);
await Promise.all([crowd.stop(), service.stop()]);
await sandbox.stop();
agent.destroy();
await rm(dataDir, { recursive: true, force: true });
process.exit(problems.length === 0 ? 0 : 1);
