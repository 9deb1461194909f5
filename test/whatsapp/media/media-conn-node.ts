/** The answer of the network to the question for media hosts. */
import type { BinaryNode } from '../../../src/whatsapp/library/nodes.ts';

/** `ttl`: seconds for which it holds. */
export const mediaConnNode = (hostname: string, auth: string, ttl: number): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'result' },
  content: [{ tag: 'media_conn', attrs: { auth, ttl: String(ttl) }, content: [{ tag: 'host', attrs: { hostname } }] }],
});
