/**
 * The network's media hosts and their authorization from `<media_conn>` (Baileys rc14 `refreshMediaConn`). Requested here, because Baileys
 * caches a failed request, which would block all media until the next connection.
 */
import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../engine/nodes.ts';
import type { WASocket } from '../engine/types.ts';

export interface MediaConnection {
  /** Host names, the preferred one first. */
  readonly hosts: readonly string[];
  readonly auth: string;
  /** Expiry, by `performance.now()`. */
  readonly until: number;
}

export type MediaAsker = Pick<WASocket, 'query'>;

const known = new WeakMap<MediaAsker, Promise<MediaConnection>>();

const ask = async (sock: MediaAsker): Promise<MediaConnection> => {
  const answer = await sock.query({
    tag: 'iq',
    attrs: { type: 'set', xmlns: 'w:m', to: S_WHATSAPP_NET },
    content: [{ tag: 'media_conn', attrs: {} }],
  });
  const connection = getBinaryNodeChild(answer, 'media_conn');
  const { auth, ttl } = connection?.attrs ?? {};
  if (auth === undefined) throw new Error('the network names no media hosts');
  return {
    hosts: getBinaryNodeChildren(connection, 'host').flatMap(({ attrs }) => attrs['hostname'] ?? []),
    auth,
    until: performance.now() + (Number(ttl) || 0) * 1000,
  };
};

/** `anew`: even if the present one is still valid. Throws if the request fails. */
export const mediaConnection = async (sock: MediaAsker, anew = false): Promise<MediaConnection> => {
  const kept = await known.get(sock)?.catch(() => null);
  if (!anew && kept && kept.until > performance.now()) return kept;
  const asked = ask(sock);
  known.set(sock, asked);
  return asked;
};
