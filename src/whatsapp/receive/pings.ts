/**
 * Pings by the network, which stock Baileys 7.0.0-rc14 does not answer. Forms: the attribute `xmlns`, as read by WhatsApp Web, and a child
 * `<ping>` (whatsapp-rust src/client.rs, zapo WaNodeOrchestrator.ts; 2026-08).
 */
import { type BinaryNode, getBinaryNodeChild } from '../engine/nodes.ts';
import type { WASocket } from '../engine/types.ts';

const isPing = (node: BinaryNode): boolean =>
  node.attrs.xmlns === 'urn:xmpp:ping' || getBinaryNodeChild(node, 'ping') !== undefined;

export const answerPings = (ws: Pick<WASocket['ws'], 'on' | 'isOpen'>, send: (nodes: BinaryNode[]) => void): void => {
  ws.on('CB:iq,type:get', (node: BinaryNode) => {
    const { id, from } = node.attrs;
    if (!isPing(node) || !from || !ws.isOpen) return;
    send([{ tag: 'iq', attrs: { to: from, type: 'result', ...(id && { id }) } }]);
  });
};
