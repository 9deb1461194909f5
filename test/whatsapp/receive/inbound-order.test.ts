/** Stanzas of several kinds: receipts and calls are handled after the messages that came before them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { Inbound, type InboundParts } from '../../../src/whatsapp/receive/inbound.ts';
import { BegunMessages } from '../../../src/whatsapp/receive/begun.ts';
import { ConnectionEnded } from '../../../src/whatsapp/socket/connection-ended.ts';
import { noticesOn } from './intake.ts';
import { takeReceipts } from '../../../src/whatsapp/receive/receipts.ts';
import { strictStanzas } from '../socket/strict-stanzas.ts';
import { eventually } from '../../support/wait.ts';

/** Each message takes until it is let through. */
const startStanzas = () => {
  const handled: string[] = [];
  const gates: (() => void)[] = [];
  const ended: unknown[] = [];
  const end = async (error: unknown): Promise<void> => {
    socket.isOpen = false;
    ended.push(error);
  };
  const socket = { stanzas: strictStanzas(), isOpen: true, end };
  const onFailure = (error: unknown): void => assert.fail(String(error));
  const single = {
    take: async ({ attrs }: BinaryNode) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      handled.push(attrs.id!);
    },
  };
  const nothing = { isEmpty: true, load: async () => undefined };
  const intake = {
    updates: { ...nothing, waiting: nothing },
    placeholders: { list: { ...nothing, saved: nothing } },
    begin: async () => undefined,
    readerOf: () => undefined,
  };
  const store = { readKeys: async () => new Map(), commit: async () => undefined, broken: false };
  const begun = new BegunMessages({ deviceId: 1, store });
  const parts = { sock: socket, line: {}, intake, single, begun, onFailure };
  const inbound = new Inbound(parts as unknown as InboundParts);
  inbound.attach();
  const { earlier } = inbound;
  const note = async (nodes: readonly BinaryNode[]): Promise<void> => {
    handled.push(...nodes.map(({ attrs }) => attrs.id!));
  };
  takeReceipts(socket, { earlier, handle: note, acknowledge: () => undefined, onFailure });
  noticesOn(socket, () => undefined, onFailure, earlier).on('call', (node) => note([node]));
  return {
    socket,
    handled,
    ended,
    inbound,
    earlier,
    emit: (tag: string, id: string, ciphertext = Buffer.from('x')) =>
      socket.stanzas.dispatch({ tag, attrs: { id }, content: [{ tag: 'enc', attrs: {}, content: ciphertext }] }),
    begun: (): Promise<unknown> => eventually('a message is being handled', () => gates.length > 0),
    /** Lets the message through that is being handled. */
    async next(): Promise<void> {
      await this.begun();
      gates.shift()!();
    },
  };
};

test('driver: receipts and calls come after the messages before them, and not after those behind', async () => {
  const stanzas = startStanzas();
  const { emit, handled } = stanzas;
  emit('receipt', 'r0');
  emit('message', 'm1');
  emit('call', 'c1');
  await eventually('the first receipt is handled', () => handled.length > 0);
  emit('receipt', 'r1');
  emit('message', 'm2');
  await stanzas.next();
  await eventually('what was behind the first message is handled', () => handled.length === 4);
  assert.deepEqual([handled.slice(0, 2), new Set(handled.slice(2))], [['r0', 'm1'], new Set(['c1', 'r1'])]);
  emit('receipt', 'r2');
  await stanzas.next();
  await eventually('the last receipt is handled', () => handled.length === 6);
  assert.deepEqual(handled.slice(4), ['m2', 'r2']);
});

test('driver: nobody waits for messages of a connection that has ended', async () => {
  const stanzas = startStanzas();
  const { emit, handled, socket } = stanzas;
  for (const id of ['m1', 'm2']) emit('message', id);
  const before = stanzas.earlier();
  await stanzas.begun();
  socket.isOpen = false;
  await stanzas.next();
  await before;
  assert.deepEqual(handled, ['m1']);
  assert.equal(stanzas.earlier(), null);
});

test('driver: more bytes of messages than are held in memory end the connection, and those waiting are left to the network', async () => {
  const { emit, ended, handled, inbound } = startStanzas();
  const megabyte = Buffer.alloc(1_048_576);
  emit('message', 'first');
  for (let n = 1; n < 64; n += 1) emit('message', `m${n}`, megabyte);
  assert.equal(ended.length, 0);
  emit('message', 'one too many', megabyte);
  emit('message', 'another', megabyte);
  assert.ok(ended[0] instanceof ConnectionEnded);
  await eventually('nothing is held', () => inbound.unhandled === 0);
  assert.deepEqual(handled, []);
});
