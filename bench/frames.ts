/**
 * `node bench/frames.ts [stanzas]`: what the stanzas of a text cost between the bytes of the WebSocket and those who listen, in CPU microseconds each:
 * as Baileys and `ws` handle them, and on the driver's own line, in turns. The socket itself is left out.
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import { type BinaryNode, encodeBinaryNode, makeNoiseHandler, NOISE_MODE, NOISE_WA_HEADER } from 'baileys';
import { pino } from 'pino';
import * as library from 'ws';
import { dispatch } from '../src/whatsapp/engine/line/dispatch.ts';
import { FrameCipher, tagBytes } from '../src/whatsapp/engine/line/frame-cipher.ts';
import { FrameReader, lengthBytes, writeLength } from '../src/whatsapp/engine/line/frames.ts';
import { MessageReader } from '../src/whatsapp/engine/line/messages.ts';
import { decodeNode } from '../src/whatsapp/engine/line/node-decoder.ts';
import { sealedFrames } from '../src/whatsapp/engine/line/outgoing-bytes.ts';
import { encodeNode } from '../src/whatsapp/engine/node-encoder.ts';

const count = Number(process.argv[2] ?? 5_000);
const rounds = 5;
const to = '4915550000001@s.whatsapp.net';
const id = '3EB0C431C26A1916E07F';

const enc = (jid: string): BinaryNode => ({
  tag: 'to',
  attrs: { jid },
  content: [{ tag: 'enc', attrs: { v: '2', type: 'msg' }, content: randomBytes(160) }],
});
const stanzas: Readonly<Record<string, BinaryNode>> = {
  'a message of two ciphertexts': {
    tag: 'message',
    attrs: { id, to, type: 'text' },
    content: [{ tag: 'participants', attrs: {}, content: [enc('4915550000002:3@s.whatsapp.net'), enc('100001@lid')] }],
  },
  'an acknowledgement': { tag: 'ack', attrs: { id, class: 'message', from: to, t: '1763750000' } },
  'a receipt': { tag: 'receipt', attrs: { id, from: to, t: '1763750000', sender_lid: '100001@lid' } },
};

/** The keys of a handler of Baileys that has shaken no hands. */
const keys = Buffer.from(hkdfSync('sha256', new Uint8Array(), Buffer.from(NOISE_MODE), new Uint8Array(), 64));
const [theirs, ours] = [keys.subarray(0, 32), keys.subarray(32)];

/** As `socket.js` makes a stanza known. */
const emitAll = (socket: EventEmitter, node: BinaryNode): void => {
  socket.emit('frame', node);
  socket.emit(`TAG:${node.attrs['id']}`, node);
  const child = Array.isArray(node.content) ? node.content[0]?.tag : '';
  for (const key of Object.keys(node.attrs)) {
    socket.emit(`CB:${node.tag},${key}:${node.attrs[key]},${child}`, node);
    socket.emit(`CB:${node.tag},${key}:${node.attrs[key]}`, node);
    socket.emit(`CB:${node.tag},${key}`, node);
  }
  socket.emit(`CB:${node.tag},,${child}`, node);
  socket.emit(`CB:${node.tag}`, node);
};

const listeners = (): { socket: EventEmitter; heard: () => number } => {
  const socket = new EventEmitter();
  let heard = 0;
  for (const tag of ['message', 'ack', 'receipt']) socket.on(`CB:${tag}`, () => (heard += 1));
  socket.on('frame', () => undefined);
  return { socket, heard: () => heard };
};

const engine = async () => {
  const keyPair = { public: randomBytes(32), private: randomBytes(32) };
  const handler = makeNoiseHandler({ keyPair, NOISE_HEADER: NOISE_WA_HEADER, logger: pino({ level: 'silent' }) });
  await handler.finishInit();
  return handler;
};

type Receiver = new (options: { isServer: boolean }) => Writable;
type Sender = new (socket: object) => { send(data: Uint8Array, options: object, done: () => void): void };
const { Receiver, Sender } = library as unknown as { Receiver: Receiver; Sender: Sender };

/** What the server sends, each in a message of its own. */
const incoming = (node: BinaryNode): readonly Buffer[] => {
  const cipher = new FrameCipher(ours, theirs);
  const plain = encodeNode(node);
  return Array.from({ length: count }, () => {
    const length = plain.length + tagBytes;
    const frame = Buffer.alloc(lengthBytes + length);
    writeLength(frame, 0, length);
    cipher.seal(plain, frame, lengthBytes);
    const head = frame.length < 126 ? [0x82, frame.length] : [0x82, 126, frame.length >> 8, frame.length & 255];
    return Buffer.concat([Buffer.from(head), frame]);
  });
};

const perStanza = async (work: () => Promise<void> | void): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
};

const inByEngine = async (messages: readonly Buffer[]): Promise<number> => {
  const handler = await engine();
  const { socket, heard } = listeners();
  const receiver = new Receiver({ isServer: false });
  receiver.on('message', (data: Buffer, ...more: unknown[]) => socket.emit('message', data, ...more));
  socket.on('message', async (data: Buffer) => {
    await handler.decodeFrame(data, (node) => emitAll(socket, node as BinaryNode));
  });
  return perStanza(async () => {
    for (const message of messages) receiver.write(message);
    while (heard() < count) await new Promise((resolve) => setImmediate(resolve));
  });
};

const inByUs = (messages: readonly Buffer[]): Promise<number> => {
  const cipher = new FrameCipher(theirs, ours);
  const { socket } = listeners();
  const frames = new FrameReader();
  const reader = new MessageReader(
    (message) => frames.read(message, (frame) => dispatch(socket, decodeNode(cipher.open(frame)))),
    () => undefined,
  );
  return perStanza(() => {
    for (const message of messages) reader.read(message);
  });
};

const nowhere = { cork: () => undefined, uncork: () => undefined, write: (_: unknown, done?: () => void) => done?.() };

const outByEngine = async (node: BinaryNode): Promise<number> => {
  const handler = await engine();
  const sender = new Sender(nowhere);
  const options = { binary: true, mask: true, fin: true, compress: false };
  return perStanza(async () => {
    for (let left = count; left > 0; left -= 1) {
      const frame = handler.encodeFrame(encodeBinaryNode(node));
      await new Promise<void>((resolve) => sender.send(frame, options, resolve));
    }
  });
};

const outByUs = (node: BinaryNode): Promise<number> => {
  const cipher = new FrameCipher(theirs, ours);
  return perStanza(() => {
    for (let left = count; left > 0; left -= 1) nowhere.write(sealedFrames(cipher, [encodeNode(node)]));
  });
};

const print = (what: string, by: string, each: readonly number[]): void =>
  console.log(`${what.padEnd(34)}${by.padEnd(10)}${each.map((us) => us.toFixed(1).padStart(7)).join('')} us each`);

for (const [name, node] of Object.entries(stanzas)) {
  const [engineIn, lineIn, engineOut, lineOut]: number[][] = [[], [], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const messages = incoming(node);
    engineIn!.push(await inByEngine(messages));
    lineIn!.push(await inByUs(messages));
    engineOut!.push(await outByEngine(node));
    lineOut!.push(await outByUs(node));
  }
  print(`${name}, in`, 'engine', engineIn!);
  print('', 'line', lineIn!);
  print(`${name}, out`, 'engine', engineOut!);
  print('', 'line', lineOut!);
}
