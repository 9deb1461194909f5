/** Long texts that are cheap to write and dear to read, from a stranger's phone and from the hosts that the service asks, while somebody else asks for `/health/live`. */
import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ada, bob, linkDevice } from '../flows/steps.ts';
import { type Mortal, startMortal } from '../support/mortal.ts';
import { startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import type { Seen } from '../system/attacks/witness.ts';
import { startChild } from '../system/support/child.ts';
import { harmless, type Hostile, hostiles, longest } from './hostile/strings.ts';
import { filledWith, kinds, readOf } from './hostile/message-kinds.ts';

/** Limit of the time that hostile texts take beyond harmless ones, ms. */
const maxMoreMs = 50;
/** Bytes that the head of an answer may have: 16 KiB in all. */
const maxHeadBytes = 12_000;

let service: Mortal;
let id: number;

before(async () => {
  service = await startMortal();
  await service.phones.add(ada, 'Ada');
  await service.phones.add(bob, 'Bob');
  id = await linkDevice(service);
});
after(() => service[Symbol.asyncDispose]());

/** Longest turn of the service during some work, and the slowest answer of `/health/live` as somebody else sees it, ms. */
const watched = async (work: () => Promise<void>) => {
  const witness = startChild(join(import.meta.dirname, '../system/attacks/witness.ts'));
  try {
    await witness.ask('start', { url: service.url, tenants: [], friend: bob, asks: 'reads' });
    await service.longestTurnMs();
    await work();
    const turnMs = await service.longestTurnMs();
    const { worstHealthMs, failures } = await witness.ask<Seen>('end');
    assert.deepEqual(failures, {});
    return { turnMs, worstHealthMs };
  } finally {
    await witness.stop();
  }
};

type Work = (runs: readonly Hostile[]) => Promise<void>;

/** On a busy machine answers are late for other reasons: what counts is the time of the processor. */
const assertNobodyWaits = async (work: Work, tell: (text: string) => void): Promise<void> => {
  const like = await watched(() => work([harmless, harmless]));
  let hostile = await watched(() => work(hostiles));
  // Garbage that is collected in one of the turns is no text's fault.
  if (hostile.turnMs > like.turnMs + maxMoreMs) hostile = await watched(() => work(hostiles));
  const shown = `longest turn ${like.turnMs.toFixed(0)} -> ${hostile.turnMs.toFixed(0)} ms, slowest /health/live ${like.worstHealthMs.toFixed(0)} -> ${hostile.worstHealthMs.toFixed(0)} ms`;
  tell(shown);
  assert.ok(hostile.turnMs <= like.turnMs + maxMoreMs, shown);
};

/** Kinds for each run: with all runs, all of them; with the few harmless ones as many as show how long a message takes. */
const kindsEach = Math.ceil(kinds.size / hostiles.length);

test('hostile text: messages of every kind from a stranger, with stop words and a settled chat', async (t) => {
  await using receiver = await startReceiver();
  await service.api.put(`/devices/${id}/settings`, { stopWords: ['stop', 'हटाओ'] });
  const events = ['message.received', 'message.updated', 'chat.settled'];
  const hook = { url: receiver.url, events, settleSeconds: 1 };
  assert.equal((await service.api.post(`/devices/${id}/webhooks`, hook)).status, 200);
  let round = 0;
  await assertNobodyWaits(async (runs) => {
    const write = (bytes: Uint8Array) =>
      service.phones.write(bob, { to: ada, protobuf: Buffer.from(bytes).toString('base64') });
    const pushName = (run: Hostile) => service.phones.behave(bob, { name: run.of(100) });
    for (const [index, [, shape]] of [...kinds].slice(0, runs.length * kindsEach).entries()) {
      const places = readOf(shape);
      const run = runs[index % runs.length]!;
      await write(filledWith(shape, places, places, run.text(Math.floor(longest / Math.max(places.length, 1)))));
    }
    for (const run of runs) await write(filledWith(kinds.get('conversation')!, [], ['conversation'], run.of(longest)));
    await pushName(runs[0]!);
    const last = `round ${(round += 1)}`;
    await service.phones.write(bob, { to: ada, text: last });
    await eventually('the last message', async () => {
      const { messages } = (await service.api.get(`/devices/${id}/messages?limit=1`)).body;
      return messages[0].text === last;
    });
    await receiver.until(round, ({ event }) => event.type === 'chat.settled');
  }, t.diagnostic.bind(t));
});

/** A host whose answers have a text wherever a client reads one. */
const startHost = async (): Promise<{ readonly server: Server; readonly url: string; run: Hostile }> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (asked) => {
      // What ends a header is left out of it.
      const value = host.run.of(maxHeadBytes / 4).replace(/[\0\n]/g, ' ');
      const text = host.run.text(longest);
      const page = `<html><head ${text}><title>${text}</title><meta property="og:title" content="${text}">`;
      const isPage = asked.toString('latin1').startsWith('GET /page');
      const name = asked.toString('latin1').split(' ')[1]!.slice(1);
      const answered = isPage
        ? [`Content-Type: text/html; charset=${value}`]
        : [
            'Content-Type: text/plain',
            `${name}: ${name === 'Content-Disposition' ? `attachment; filename="${value}` : value}`,
          ];
      socket.end(['HTTP/1.1 200 OK', ...answered, 'Connection: close', '', isPage ? page : 'a file'].join('\r\n'));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const host = { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, run: harmless };
  return host;
};

/** Headers that are read; each run has one of them. */
const headers = ['Content-Disposition', 'Content-Type', 'Content-Encoding', 'Location', 'Content-Length'];

test('hostile text: pages of links, and the heads of files that are fetched', async (t) => {
  const host = await startHost();
  const send = (kind: string, body: object) =>
    service.api.post(`/devices/${id}/messages/${kind}`, { toNumber: bob, ...body });
  try {
    await assertNobodyWaits(async (runs) => {
      for (const [index, run] of runs.entries()) {
        host.run = run;
        const message = `${host.url}/page/${run.of(longest - 64)}`.toWellFormed().replaceAll('\0', ' ');
        const answers = [
          await send('text', { message: `${host.url}/page`, linkPreview: true }),
          await send('text', { message, linkPreview: true }),
        ];
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200],
          run.name,
        );
        const name = headers[index % headers.length]!;
        assert.ok((await send('document', { mediaUrl: `${host.url}/${name}` })).status < 500, `${name} of ${run.name}`);
      }
    }, t.diagnostic.bind(t));
  } finally {
    host.server.close();
  }
});
