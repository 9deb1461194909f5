/** Phones, devices, traffic and what came of it: the part of the cluster's chaos that does not break anything. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, TestNode } from '../../support/cluster.ts';

export const bob = '4915550002222';

export interface Linked {
  readonly id: number;
  readonly number: string;
}

export interface Sent {
  readonly text: string;
  readonly status: number;
}

const inParallel = async <T>(items: readonly T[], count: number, run: (item: T) => Promise<void>): Promise<void> => {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: count }, worker));
};

const stateOf = async (node: TestNode, id: number): Promise<string> =>
  (await node.api.get(`/devices/${id}/session`)).body.session?.state;

/** Null, or those that are not. */
export const untilAllOpen = async (
  cluster: Cluster,
  devices: readonly Linked[],
  timeoutMs: number,
): Promise<readonly string[] | null> => {
  const until = performance.now() + timeoutMs;
  for (;;) {
    // Looked at once the network has as many connections: asking each session takes its time.
    const { loggedIn } = await cluster.phones.stats();
    const late = performance.now() >= until;
    if (loggedIn === devices.length || late) {
      const states = await Promise.all(
        devices.map(async ({ id }) => `${id} ${await stateOf(cluster.nodes[0]!, id).catch(String)}`),
      );
      const others = states.filter((state) => !state.endsWith(' open'));
      if (others.length === 0) return null;
      if (late) return others;
    }
    await sleep(100);
  }
};

export const link = async (cluster: Cluster, count: number): Promise<readonly Linked[]> => {
  await cluster.phones.add(bob, 'Bob');
  const devices: Linked[] = [];
  const numbers = Array.from({ length: count }, (_, n) => `49155600${String(n).padStart(5, '0')}`);
  await inParallel(numbers, 6, async (number) => {
    await cluster.phones.add(number, 'Someone');
    const node = cluster.nodes[devices.length % cluster.nodes.length]!;
    const created = await node.api.post('/devices', {});
    if (created.status !== 200) throw new Error(`a device: ${created.status} ${JSON.stringify(created.body)}`);
    const { id, qr } = created.body.device;
    await cluster.phones.scan(number, qr);
    devices.push({ id, number });
  });
  const late = await untilAllOpen(cluster, devices, 60_000);
  if (late !== null) throw new Error(`not open: ${late.join(', ')}`);
  return devices;
};

/** Texts in both directions until it is told to stop: phones write, callers send through any node. */
export class Traffic {
  readonly written: { readonly number: string; readonly text: string }[] = [];
  readonly sent: Sent[] = [];
  readonly #cluster: Cluster;
  readonly #devices: readonly Linked[];
  readonly #pauseMs: number;
  #stopped = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(cluster: Cluster, devices: readonly Linked[], pauseMs: number) {
    this.#cluster = cluster;
    this.#devices = devices;
    this.#pauseMs = pauseMs;
  }

  start(): void {
    this.#running = Promise.all([this.#write(), this.#send(), this.#send()]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Runs while nobody writes. */
  async quietly(run: () => Promise<void>): Promise<void> {
    await this.stop();
    await run();
    this.#stopped = false;
    this.start();
  }

  #device(n: number): Linked {
    return this.#devices[n % this.#devices.length]!;
  }

  async #write(): Promise<void> {
    while (!this.#stopped) {
      const n = this.written.length;
      const { number } = this.#device(n);
      const text = `in ${n}`;
      await this.#cluster.phones.write(bob, { to: number, text });
      this.written.push({ number, text });
      await sleep(this.#pauseMs);
    }
  }

  /** With a key for each, asked for again until it is answered, as a careful caller does. */
  async #send(): Promise<void> {
    while (!this.#stopped) {
      const n = this.sent.push({ text: '', status: 0 }) - 1;
      const text = `out ${n}`;
      const { id } = this.#device(n);
      let status = 0;
      for (let tries = 0; tries < 300 && status !== 200; tries += 1) {
        status = await this.#try(id, text, tries);
        if (status !== 200) await sleep(500);
      }
      this.sent[n] = { text, status };
      await sleep(this.#pauseMs);
    }
  }

  async #try(id: number, message: string, tries: number): Promise<number> {
    const { nodes } = this.#cluster;
    const node = nodes[(id + tries) % nodes.length];
    if (node === undefined) return 0;
    const headers = { 'idempotency-key': message };
    const call = node.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message }, { headers });
    // A paused node accepts connections and says nothing.
    const answered = await Promise.race([call.catch(() => null), sleep(20_000, null)]);
    return answered?.status ?? 0;
  }
}
