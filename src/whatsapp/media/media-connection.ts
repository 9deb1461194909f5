/** The network's media hosts and their authorization from `<media_conn>`. Failed requests are not cached. */
import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { Socket } from '../socket/socket.ts';

export interface MediaConnection {
  readonly hosts: readonly string[];
  readonly auth: string;
  readonly until: number;
}

export type MediaAsker = Pick<Socket, 'query'>;

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

export const mediaConnection = async (sock: MediaAsker, anew = false): Promise<MediaConnection> => {
  const kept = await known.get(sock)?.catch(() => null);
  if (!anew && kept && kept.until > performance.now()) return kept;
  const asked = ask(sock);
  known.set(sock, asked);
  return asked;
};
