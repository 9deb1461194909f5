/**
 * A process that decrypts and encrypts over the real store is killed again and again; a network that delivers again what
 * was not acknowledged finds nothing lost, nothing doubled, nothing undecryptable, and no message key used twice
 * (docs/internals/durability.md, The contract).
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { Stores } from '../../../src/domain/stores.ts';
import { serializeCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { openStore } from '../../../src/store/open-sqlite.ts';
import { preloaded } from '../../system/support/child.ts';
import { counterOf, decrypt, encrypt, open, ourParty, type Party, type Sealed, stockParty } from './support.ts';

export interface ToChild {
  readonly id: string;
  readonly jid: string;
  readonly type: 'pkmsg' | 'msg';
  readonly ciphertext: string;
}

export type FromChild =
  | { readonly acknowledged: string; readonly text: string }
  | { readonly jid: string; readonly type: 'pkmsg' | 'msg'; readonly ciphertext: string }
  | { readonly failed: string; readonly error: string };

const kills = 7;
const peerCount = 8;
const perRound = 6;
const program = join(import.meta.dirname, 'crash-child.ts');

/** The network and the phones at its other end. */
class World {
  readonly peers: Map<string, Party>;
  readonly ours: Party;
  /** Sent, and not acknowledged yet, in the order of sending. */
  readonly queue = new Map<string, ToChild>();
  readonly sent = new Set<string>();
  readonly counters = new Set<string>();
  readonly problems: string[] = [];
  answers = 0;
  redelivered = 0;
  /** Answers are decrypted one after the other, as they came. */
  reading: Promise<unknown> = Promise.resolve();

  constructor(ours: Party, peers: readonly Party[]) {
    this.ours = ours;
    this.peers = new Map(peers.map((peer) => [peer.jid, peer]));
  }

  async write(round: number): Promise<void> {
    for (let i = 0; i < perRound; i += 1) {
      for (const [jid, peer] of this.peers) {
        const id = `${jid} ${round}.${i}`;
        const { type, ciphertext } = await encrypt(peer, this.ours, id);
        this.sent.add(id);
        this.queue.set(id, { id, jid, type, ciphertext: Buffer.from(ciphertext).toString('base64') });
      }
    }
  }

  hear(message: FromChild): void {
    if ('failed' in message) {
      this.problems.push(`${message.failed}: ${message.error}`);
      this.queue.delete(message.failed);
    } else if ('acknowledged' in message) {
      if (message.text !== message.acknowledged) this.problems.push(`wrong text for ${message.acknowledged}`);
      this.queue.delete(message.acknowledged);
    } else {
      const sealed = { type: message.type, ciphertext: Buffer.from(message.ciphertext, 'base64') };
      this.reading = this.reading.then(() => this.#read(message.jid, sealed));
    }
  }

  async #read(jid: string, sealed: Sealed): Promise<void> {
    const counter = counterOf(sealed);
    if (this.counters.has(counter)) this.problems.push(`a message key used twice, to ${jid}`);
    this.counters.add(counter);
    this.answers += 1;
    try {
      await decrypt(this.peers.get(jid)!, this.ours, sealed);
    } catch (error) {
      this.problems.push(`an answer could not be read: ${String(error)}`);
    }
  }
}

/** Delivers all that waits; resolves once the child has told as many things as asked for, or has got everything. */
const start = (world: World, dataDir: string, deviceId: number, enough: number) => {
  const args = [...preloaded, program, dataDir, String(deviceId)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  let told = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    world.hear(JSON.parse(line));
    told += 1;
    if (told >= enough || world.queue.size === 0) resolve();
  });
  // What is still being written when it is killed.
  child.stdin.on('error', () => {});
  for (const message of world.queue.values()) child.stdin.write(`${JSON.stringify(message)}\n`);
  return { child, reached };
};

const end = async (child: ChildProcess): Promise<void> => {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
};

const eventsOf = async (stores: Stores, deviceId: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let after: string | null = null; ;) {
    const page = await stores.events.listAfter(deviceId, { limit: 1_000, cursor: after });
    for (const { event } of page.items) if (event.type === 'message.deleted') ids.push(event.data.messageId);
    if (page.nextCursor === null) return ids;
    after = page.nextCursor;
  }
};

test(`${kills} kills in the middle of traffic`, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-crash-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const stores = await openStore({ dataDir, secret: null });
  const user = await stores.users.create('owner', 1, 0);
  const { id } = await stores.devices.create({ userId: user.id, name: 'd', webhookUrl: null, webhookEvents: [] }, 0);
  const ours = ourParty('1000@lid', { store: { ...stores.credentials, ...stores.changes }, deviceId: id });
  const peers = Array.from({ length: peerCount }, (_, i) => stockParty(`${2_000 + i}:${i}@lid`));
  for (const peer of peers) await open(peer, ours);
  await stores.changes.commit(id, { credentials: serializeCredentials(ours.creds) });
  await stores.close();

  const world = new World(ours, peers);
  for (let round = 0; round <= kills; round += 1) {
    await world.write(round);
    world.redelivered += round === 0 ? 0 : Math.max(world.queue.size - perRound * peerCount, 0);
    const enough = round === kills ? Infinity : 1 + Math.random() * 4 * perRound * peerCount;
    const { child, reached } = start(world, dataDir, id, enough);
    await reached;
    await end(child);
    await world.reading;
  }

  assert.deepEqual(world.problems, []);
  assert.equal(world.queue.size, 0);
  const after = await openStore({ dataDir, secret: null });
  t.after(() => after.close());
  assert.deepEqual((await eventsOf(after, id)).toSorted(), [...world.sent].toSorted());
  t.diagnostic(`${world.sent.size} messages, ${world.redelivered} delivered again, ${world.answers} answers`);
});
