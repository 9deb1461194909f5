/** A process of its own that writes to a store until it is killed, and prints what was acknowledged. */
import { once } from 'node:events';
import { type Stores, openWriter, stepOf, writerOf } from './writer-steps.ts';

const [dataDir = '', mode = '', durability = 'power'] = process.argv.slice(2);

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const writeForEver = async (stores: Stores): Promise<void> => {
  const { deviceIds, commit } = await openWriter(stores);
  say(`devices ${deviceIds.join(' ')}`);
  await Promise.all(
    deviceIds.map(async (deviceId) => {
      for (let step = 1; ; step += 1) {
        await commit(deviceId, step);
        say(`done ${deviceId} ${step}`);
      }
    }),
  );
};

/** Tells what is there, and with `go on` writes one step more. */
const tell = async (stores: Stores): Promise<void> => {
  const { deviceIds, commit } = await writerOf(stores);
  for (const deviceId of deviceIds) {
    const step = await stepOf(stores, deviceId);
    say(`done ${deviceId} ${step}`);
    if (mode === 'read') continue;
    await commit(deviceId, step + 1);
    say(`done ${deviceId} ${step + 1}`);
  }
  say('end');
};

/** Commits, and then claims and records the delivery of that commit's event, with a line before and after the latter. */
const deliver = async (stores: Stores): Promise<void> => {
  const { deviceIds, commit } = await openWriter(stores);
  const [deviceId] = deviceIds as [number];
  for (let step = 1; step <= 20; step += 1) {
    await commit(deviceId, step);
    say(`done ${deviceId} ${step}`);
    await once(process.stdin, 'data');
    const now = Date.now();
    const due = await stores.outbox.claim({ now, leaseUntil: now + 30_000, limit: 9, exceptWebhooks: [] });
    const outcome = { state: 'delivered', attempts: 1, nextAttemptAt: null, at: now, status: 200 } as const;
    for (const { seq, webhookId } of due)
      await stores.outbox.record([
        { seq, deviceId, webhookId, isPrimary: true, ...outcome, error: null, durationMs: 1, response: '' },
      ]);
    say(`delivered ${due.length}`);
    await once(process.stdin, 'data');
  }
};

const { openStore } = await import('../../../src/store/open-sqlite.ts');
try {
  const stores = await openStore({
    dataDir,
    secret: 'the secret of the crash test, long enough',
    durability: durability === 'process' ? 'process' : 'power',
  });
  say('open');
  if (mode === 'write') await writeForEver(stores);
  else if (mode === 'deliver') await deliver(stores);
  else if (mode === 'read' || mode === 'go on') await tell(stores);
  else setInterval(() => undefined, 1000);
} catch (error) {
  say(`refused ${error instanceof Error ? error.message : String(error)}`);
}
