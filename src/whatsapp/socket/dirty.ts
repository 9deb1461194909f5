/** Tells the network that data it marked as changed (`dirty`) was read again. */
import { S_WHATSAPP_NET } from '../library/nodes.ts';
import type { Socket } from './socket.ts';

/** `since`: the time of the last mark, in seconds. */
export const markClean = (sock: Pick<Socket, 'nextId' | 'sendNode'>, type: string, since?: number): Promise<void> => {
  const timestamp: Record<string, string> = since === undefined ? {} : { timestamp: String(since) };
  return sock.sendNode({
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'urn:xmpp:whatsapp:dirty', id: sock.nextId() },
    content: [{ tag: 'clean', attrs: { type, ...timestamp } }],
  });
};
