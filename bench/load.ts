/**
 * Many clients of one user against the limits (`npm run bench:load`): 200 connections that ask as fast as they are answered,
 * and beside them another user who keeps to the limit. Answers may be 200 and 429 only, memory stays flat, and the other user
 * is no slower than twice what they are alone. Exits with 1 when it is not so.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startChild } from './support/child.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, clients: { type: 'string', default: '200' } },
});
const seconds = Number(values.seconds);
const clients = Number(values.clients);

const adminToken = randomBytes(24).toString('hex');
const ownerKey = `hs_${randomBytes(32).toString('base64url')}`;

interface Reply {
  readonly status: number;
  readonly ms: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
  readonly body: any;
}

const ask = (
  agent: Agent,
  url: string,
  key: string,
  method = 'GET',
  body?: Readonly<Record<string, unknown>>,
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const one = request(url, { agent, method, headers: { authorization: `Bearer ${key}`, ...json } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          ms: performance.now() - began,
          body: /json/.test(response.headers['content-type'] ?? '') ? JSON.parse(text) : text,
        }),
      );
    });
    one.on('error', reject);
    one.end(body === undefined ? undefined : JSON.stringify(body));
  });

const quantile = (numbers: readonly number[], q: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * q))] ?? Number.NaN;

const dataDir = await mkdtemp(join(tmpdir(), 'handset-load-'));
const sandbox = startChild('sandbox.ts');
const controlUrl = (await sandbox.ask<{ controlUrl: string }>('start')).controlUrl;
const service = startChild('handset.ts', {
  HANDSET_PORT: '0',
  HANDSET_DATA_DIR: dataDir,
  HANDSET_NETWORK: controlUrl,
  HANDSET_BOOTSTRAP_KEY: ownerKey,
  HANDSET_ADMIN_TOKEN: adminToken,
  HANDSET_LOG_LEVEL: 'warn',
});
const url = await service.ask<string>('start');
const calm = new Agent({ keepAlive: true });
const crowd = new Agent({ keepAlive: true, maxSockets: clients });

/** A user with a linked device, and one who gets its messages. */
const userWith = async (name: string, number: string): Promise<{ key: string; device: number }> => {
  const { user } = (await ask(calm, `${url}/admin/v1/users`, adminToken, 'POST', { name, deviceLimit: 5 })).body;
  const keys = `${url}/admin/v1/users/${user.id}/keys`;
  const key = (await ask(calm, keys, adminToken, 'POST', { name: 'load' })).body.key.secret;
  await ask(calm, `${controlUrl}/phones`, '', 'POST', { number, name });
  const { device } = (await ask(calm, `${url}/v1/devices`, key, 'POST')).body;
  await ask(calm, `${controlUrl}/phones/${number}/scan`, '', 'POST', { qr: device.qr });
  for (;;) {
    const { status } = (await ask(calm, `${url}/v1/devices/${device.id}`, key)).body.device;
    if (status === 'connected') break;
    await sleep(1000);
  }
  return { key, device: device.id };
};

const polite = await userWith('polite', '4915550000001');
const greedy = await userWith('greedy', '4915550000002');
await ask(calm, `${controlUrl}/phones`, '', 'POST', { number: '4915550000003', name: 'receiver' });

const calls = (device: number, n: number): [string, string, Record<string, unknown>?] => {
  if (n % 3 === 0)
    return ['POST', `/devices/${device}/messages/text`, { toNumber: '4915550000003', message: `m ${n}` }];
  return ['GET', n % 3 === 1 ? '/devices' : '/me'];
};

/** A request each 650 ms: 92 a minute. The times of sends and of reads. */
const watch = async (forMs: number): Promise<{ reads: number[]; sends: number[]; statuses: Map<number, number> }> => {
  const seen = { reads: [] as number[], sends: [] as number[], statuses: new Map<number, number>() };
  const end = performance.now() + forMs;
  for (let n = 0; performance.now() < end; n += 1) {
    const [method, path, body] = calls(polite.device, n);
    const { status, ms } = await ask(calm, `${url}/v1${path}`, polite.key, method, body);
    seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1);
    (method === 'GET' ? seen.reads : seen.sends).push(ms);
    await sleep(Math.max(0, 650 - ms));
  }
  return seen;
};

const memory: number[] = [];
const sampleMemory = async (until: AbortSignal): Promise<void> => {
  while (!until.aborted) {
    const text = (await ask(calm, `${url}/metrics`, '')).body as string;
    memory.push(Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]));
    await sleep(1000);
  }
};

await watch(5_000);
await sleep(60_000);
const alone = await watch(Math.min(seconds, 30) * 1000);
await sleep(60_000);

const statuses = new Map<number, number>();
const failures = new Map<string, number>();
const stop = new AbortController();
const sampling = sampleMemory(stop.signal);
const hammer = async (client: number): Promise<void> => {
  for (let n = client; !stop.signal.aborted; n += 1) {
    try {
      const [method, path, body] = calls(greedy.device, n);
      const { status } = await ask(crowd, `${url}/v1${path}`, greedy.key, method, body);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      failures.set(reason, (failures.get(reason) ?? 0) + 1);
    }
  }
};
const hammers = Array.from({ length: clients }, (_, client) => hammer(client));
const beside = await watch(seconds * 1000);
stop.abort();
await Promise.all([...hammers, sampling]);

const mb = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MB`;
const mean = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
const third = Math.floor(memory.length / 3);
const early = mean(memory.slice(third, 2 * third));
const late = mean(memory.slice(-third));
const line = (name: string, a: number[], b: number[]): { ratio: number } => {
  const [before, during] = [quantile(a, 0.5), quantile(b, 0.5)];
  const tail = `p95 ${quantile(a, 0.95).toFixed(1)} -> ${quantile(b, 0.95).toFixed(1)} ms`;
  const ratio = during / before;
  process.stdout.write(
    `${name}: p50 ${before.toFixed(1)} -> ${during.toFixed(1)} ms (${ratio.toFixed(2)}x), ${tail}\n`,
  );
  return { ratio };
};
const total = [...statuses.values()].reduce((sum, count) => sum + count, 0);
process.stdout.write(
  `${clients} clients, ${seconds} s, ${total} answers: ${JSON.stringify(Object.fromEntries(statuses))}\n`,
);
process.stdout.write(`the other user: ${JSON.stringify(Object.fromEntries(beside.statuses))}\n`);
const reads = line('reads of the other user', alone.reads, beside.reads);
const sends = line('sends of the other user', alone.sends, beside.sends);
process.stdout.write(
  `memory: ${mb(early)} in the second third, ${mb(late)} in the last (peak ${mb(Math.max(...memory))})\n`,
);

const problems = [
  ...[...statuses.keys()].filter((status) => ![200, 429].includes(status)).map((status) => `an answer was ${status}`),
  ...[...failures].map(([reason, count]) => `${count} requests failed: ${reason}`),
  ...([...beside.statuses.keys()].some((status) => status !== 200) ? ['the other user was refused'] : []),
  ...(reads.ratio > 2 ? ['reads of the other user are slower than 2 times'] : []),
  ...(sends.ratio > 2 ? ['sends of the other user are slower than 2 times'] : []),
  ...(late > early * 1.1 ? ['memory grows'] : []),
  ...((statuses.get(200) ?? 0) > 100 * (seconds / 60 + 1) ? ['more requests than the limit allows'] : []),
];
process.stdout.write(problems.length === 0 ? 'All limits hold.\n' : `${problems.join('\n')}\n`);
await service.stop();
await sandbox.stop();
calm.destroy();
crowd.destroy();
await rm(dataDir, { recursive: true, force: true });
process.exit(problems.length === 0 ? 0 : 1);
