/** Stanzas to those who listen for them: the engine and us. */
import type { EventEmitter } from 'node:events';
import { type BinaryNode, DEF_CALLBACK_PREFIX, DEF_TAG_PREFIX } from 'baileys';

/** By tag, what Baileys listens to: most of what comes is one of these, and nobody asks for their attributes. */
const plain: Readonly<Record<string, string>> = {
  message: `${DEF_CALLBACK_PREFIX}message`,
  receipt: `${DEF_CALLBACK_PREFIX}receipt`,
};
const anyAck = `${DEF_CALLBACK_PREFIX}ack`;

/** An answer of the network to a message or a receipt that says no more than that it has it. */
const isPlainAck = ({ tag, attrs }: BinaryNode): boolean =>
  tag === 'ack' && (attrs.class === 'message' || attrs.class === 'receipt') && attrs.error === undefined;

/** An answer to what was asked: nobody but who has asked listens for it. */
const isAnswer = ({ tag, attrs }: BinaryNode): boolean =>
  tag === 'iq' && (attrs['type'] === 'result' || attrs['type'] === 'error');

/** All the names under which Baileys makes a stanza known. */
const everyName = (socket: EventEmitter, node: BinaryNode): void => {
  const { tag, attrs, content } = node;
  const child = Array.isArray(content) ? content[0]?.tag : '';
  const name = `${DEF_CALLBACK_PREFIX}${tag}`;
  for (const [key, value] of Object.entries(attrs)) {
    socket.emit(`${name},${key}:${value},${child}`, node);
    socket.emit(`${name},${key}:${value}`, node);
    socket.emit(`${name},${key}`, node);
  }
  socket.emit(`${name},,${child}`, node);
  socket.emit(name, node);
};

export const dispatch = (socket: EventEmitter, node: BinaryNode): void => {
  socket.emit('frame', node);
  const name = plain[node.tag];
  if (name !== undefined) {
    socket.emit(name, node);
    return;
  }
  // Who has asked for something waits for its id.
  if (node.attrs.id !== undefined) socket.emit(`${DEF_TAG_PREFIX}${node.attrs.id}`, node);
  if (isAnswer(node)) return;
  if (isPlainAck(node)) socket.emit(anyAck, node);
  else everyName(socket, node);
};
