/**
 * `npm run bench:peers -- [adapter.ts …] [--messages N] [--devices N] [--keep]`: the same work over the same sandbox for each service
 * that an adapter is given for (see README.md here), Handset itself first. Prints a table; `--keep` puts it into docs/performance.md, too.
 */
import { readFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startChild } from '../support/child.ts';
import { inLines } from '../support/compare.ts';
import { Count } from '../support/count.ts';
import { rounded } from '../support/measured.ts';
import { keepPeers } from '../support/record.ts';
import { Requests } from '../support/requests.ts';
import { type Place, numbersFrom } from '../support/stage.ts';
import { rowOf, shown } from '../support/table.ts';
import type { Adapter, Hooks, Peer } from './adapter.ts';
import { peerFigure, rowsOf } from './figures.ts';
import { adapter as handset } from './handset.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: 'string', default: '1500' },
    devices: { type: 'string', default: '20' },
    /** Into docs/performance.md. */
    keep: { type: 'boolean', default: false },
  },
});
const messages = Number(values.messages);
const devices = Number(values.devices);
const inFlight = 16;
const writers = numbersFrom(4_915_000_000_001, 8);
const [peerNumber] = writers;

/** Of Linux: CPU milliseconds and resident megabytes of processes. */
const useOf = (pids: readonly number[]): { readonly cpuMs: number; readonly megabytes: number } => {
  let [cpuMs, megabytes] = [0, 0];
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    cpuMs += (Number(stat[11]) + Number(stat[12])) * 10;
    megabytes += Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  }
  return { cpuMs, megabytes };
};

/** Where the service posts to; counts the messages. */
class Receiver implements Hooks {
  readonly come = new Count();
  readonly #server: Server;
  readonly #listeners: ((path: string, body: unknown) => void)[] = [];

  constructor(messagesIn: Adapter['messagesIn']) {
    const take = async (path: string, body: Promise<unknown>): Promise<void> => {
      const posted = await body;
      for (let left = messagesIn(posted); left > 0; left -= 1) this.come.add();
      for (const listener of this.#listeners) listener(path, posted);
    };
    this.#server = createServer((request, response) => {
      // What a kill cuts off is posted again.
      take(request.url ?? '', json(request)).then(
        () => response.writeHead(200).end(),
        () => response.destroy(),
      );
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((done) => {
      this.#server.listen(0, '127.0.0.1', done);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  listen(on: (path: string, body: unknown) => void): void {
    this.#listeners.push(on);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

interface Rate {
  readonly perSecond: number;
  readonly cpuMs: number;
}

const rated = async (peer: Peer, count: number, work: () => Promise<unknown>): Promise<Rate> => {
  const before = useOf(peer.pids);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  return { perSecond: rounded(count / seconds), cpuMs: rounded((useOf(peer.pids).cpuMs - before.cpuMs) / count) };
};

const sendMany = (peer: Peer, names: readonly string[]): Promise<Rate> =>
  rated(peer, messages, () =>
    inLines(messages, names.length * inFlight, (line, left) =>
      peer.send(names[line % names.length]!, peerNumber!, `text ${left}`),
    ),
  );

interface Stand {
  readonly peer: Peer;
  readonly receiver: Receiver;
  readonly requests: Requests;
  readonly place: Place;
}

/** Until all of them have been posted. */
const receiveMany = (
  { peer, receiver, requests, place }: Stand,
  numbers: readonly string[],
  all: number,
): Promise<Rate> => {
  const count = Math.ceil(all / (numbers.length * writers.length));
  const total = count * numbers.length * writers.length;
  return rated(peer, total, async () => {
    const heard = receiver.come.more(total);
    const write = (from: string, to: string): Promise<unknown> =>
      requests.post(`${place.controlUrl}/phones/${from}/messages`, { to, text: 'burst {n}', count });
    await Promise.all(numbers.flatMap((to) => writers.map((from) => write(from, to))));
    await heard;
  });
};

const seconds = async (work: () => Promise<void>): Promise<number> => {
  const began = performance.now();
  await work();
  return rounded((performance.now() - began) / 1000);
};

const worked = async (stand: Stand, numbers: readonly string[]): Promise<Record<string, number>> => {
  const { peer, requests, place } = stand;
  const names: string[] = [];
  const link = async (number: string): Promise<void> => {
    names.push(await peer.link(number, (qr) => requests.post(`${place.controlUrl}/phones/${number}/scan`, { qr })));
  };
  const [first, ...others] = numbers;
  await link(first!);
  const { megabytes } = useOf(peer.pids);
  for (const other of others) await link(other);
  // The first message to somebody sets a session up, and the first ones from somebody do.
  for (const device of names) await peer.send(device, peerNumber!, 'hello');
  await receiveMany(stand, numbers, numbers.length * writers.length);
  const one = await sendMany(peer, names.slice(0, 1));
  const many = await sendMany(peer, names);
  const receivedByOne = await receiveMany(stand, numbers.slice(0, 1), messages);
  const received = await receiveMany(stand, numbers, messages);
  const afterStop = await seconds(() => peer.restart('SIGTERM'));
  await sleep(2_000);
  const afterRestart = useOf(peer.pids).megabytes;
  return {
    Mb1: rounded(megabytes),
    Mb: rounded(afterRestart),
    TextsPerSecond1: one.perSecond,
    TextsPerSecond: many.perSecond,
    TextCpuMs: many.cpuMs,
    ReceivedPerSecond1: receivedByOne.perSecond,
    ReceivedPerSecond: received.perSecond,
    ReceivedCpuMs: received.cpuMs,
    SecondsAfterStop: afterStop,
    SecondsAfterKill: await seconds(() => peer.restart('SIGKILL')),
  };
};

const measure = async (adapter: Adapter): Promise<Record<string, number>> => {
  await using opened = new AsyncDisposableStack();
  const sandbox = startChild('sandbox.ts');
  opened.defer(() => sandbox.stop());
  const place = await sandbox.ask<Place>('start', 'lenient');
  const requests = new Requests();
  opened.defer(() => requests.close());
  const numbers = numbersFrom(4_916_000_000_000, devices);
  await requests.addPhones(place.controlUrl, [...writers, ...numbers]);
  const receiver = new Receiver((body) => adapter.messagesIn(body));
  await receiver.open();
  opened.defer(() => receiver.close());
  const peer = await adapter.start(place, receiver);
  opened.defer(() => peer.stop());
  // Not before it is done is all of this closed.
  return await worked({ peer, receiver, requests, place }, numbers);
};

const adapters: Adapter[] = [handset];
for (const path of positionals) {
  const given = (await import(pathToFileURL(resolve(path)).href)) as { adapter: Adapter };
  adapters.push(given.adapter);
}
const figures: Record<string, number> = { peerDevices: devices };
for (const adapter of adapters) {
  const load = loadavg()[0]!.toFixed(1);
  console.log(`${adapter.name} (load before ${load}): ${adapter.promises}`);
  const measured = { ...(await measure(adapter)), Load: Number(load) };
  for (const [row, value] of Object.entries(measured)) figures[peerFigure(adapter.name, row)] = value;
}
const table = [
  rowOf(['', ...adapters.map(({ name }) => name)]),
  `|---${'|---'.repeat(adapters.length)}|`,
  ...Object.entries(rowsOf(devices)).map(([row, says]) =>
    rowOf([says, ...adapters.map(({ name }) => shown(figures[peerFigure(name, row)]!))]),
  ),
  '',
  ...adapters.map(({ name, promises }) => `- ${name}: ${promises}.`),
].join('\n');
console.log(`\n${table}`);
if (values.keep) await keepPeers(figures, table);
