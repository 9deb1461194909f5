/**
 * `npm run bench:peers -- [adapter.ts …] [--messages N] [--devices N]`: the same work over the same sandbox for each service
 * that an adapter is given for (see README.md here), Handset itself first. Prints a table.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startChild } from '../support/child.ts';
import { inLines } from '../support/compare.ts';
import { rounded } from '../support/measured.ts';
import { type Place, numbersFrom } from '../support/stage.ts';
import type { Adapter, Peer } from './adapter.ts';
import { adapter as handset } from './handset.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { messages: { type: 'string', default: '1000' }, devices: { type: 'string', default: '20' } },
});
const messages = Number(values.messages);
const devices = Number(values.devices);
const inFlight = 16;
const peerNumber = '4915000000001';

const post = async (url: string, body: unknown): Promise<void> => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
};

/** Of Linux: CPU milliseconds and resident megabytes of a process. */
const useOf = (pid: number): { readonly cpuMs: number; readonly megabytes: number } => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const ticks = Number(stat[11]) + Number(stat[12]);
  const resident = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { cpuMs: ticks * 10, megabytes: Number(resident) / 1024 };
};

const sendMany = async (peer: Peer, names: readonly string[]): Promise<{ perSecond: number; cpuMs: number }> => {
  const before = useOf(peer.pid);
  const ms = await inLines(messages, names.length * inFlight, (line, left) =>
    peer.send(names[line % names.length]!, peerNumber, `text ${left}`),
  );
  const perSecond = rounded((messages / ms) * 1000);
  return { perSecond, cpuMs: rounded((useOf(peer.pid).cpuMs - before.cpuMs) / messages) };
};

const measure = async ({ name, promises, start }: Adapter, first: number): Promise<Record<string, unknown>> => {
  const sandbox = startChild('sandbox.ts');
  try {
    const place = await sandbox.ask<Place>('start');
    await post(`${place.controlUrl}/phones`, { number: peerNumber, name: 'Peer' });
    const peer = await start(place);
    try {
      const names: string[] = [];
      const link = async (number: string): Promise<void> => {
        await post(`${place.controlUrl}/phones`, { number, name: number });
        names.push(await peer.link((qr) => post(`${place.controlUrl}/phones/${number}/scan`, { qr })));
      };
      const [number, ...others] = numbersFrom(first, devices);
      await link(number!);
      const one = useOf(peer.pid).megabytes;
      for (const other of others) await link(other);
      const megabytes = (useOf(peer.pid).megabytes - one) / Math.max(1, others.length);
      // The first message to somebody sets a session up.
      for (const device of names) await peer.send(device, peerNumber, 'hello');
      return {
        service: name,
        'MB a session': rounded(megabytes),
        'texts/s, 1 device': (await sendMany(peer, names.slice(0, 1))).perSecond,
        ...Object.fromEntries(
          Object.entries(await sendMany(peer, names)).map(([key, value]) => [
            key === 'perSecond' ? `texts/s, ${devices} devices` : 'CPU ms a text',
            value,
          ]),
        ),
        promises,
      };
    } finally {
      await peer.stop();
    }
  } finally {
    await sandbox.stop();
  }
};

const adapters: Adapter[] = [handset];
for (const path of positionals) {
  const given = (await import(pathToFileURL(resolve(path)).href)) as { adapter: Adapter };
  adapters.push(given.adapter);
}
const rows = [];
for (const adapter of adapters) rows.push(await measure(adapter, 4_916_000_000_000));
console.table(rows);
