/** Announces a stanza under the names that Baileys uses (`onMessageReceived` in its `Socket/socket.js`). */
import type { EventEmitter } from 'node:events';
import { type BinaryNode, DEF_CALLBACK_PREFIX, DEF_TAG_PREFIX } from 'baileys';

export const dispatch = (socket: EventEmitter, node: BinaryNode): void => {
  const { tag, attrs, content } = node;
  const child = Array.isArray(content) ? content[0]?.tag : '';
  const name = `${DEF_CALLBACK_PREFIX}${tag}`;
  socket.emit('frame', node);
  socket.emit(`${DEF_TAG_PREFIX}${attrs.id}`, node);
  for (const [key, value] of Object.entries(attrs)) {
    socket.emit(`${name},${key}:${value},${child}`, node);
    socket.emit(`${name},${key}:${value}`, node);
    socket.emit(`${name},${key}`, node);
  }
  socket.emit(`${name},,${child}`, node);
  socket.emit(name, node);
};
