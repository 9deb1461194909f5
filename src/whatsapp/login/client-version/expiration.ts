/**
 * The network's notice of the date from which it refuses the client: `<ib><client_expiration t="seconds"/></ib>`, withdrawn without `t`
 * (whatsapp-rust #1314, 2026-08-16, from WhatsApp Web).
 */
import { type BinaryNode, getBinaryNodeChild } from '../../engine/nodes.ts';
import type { WASocket } from '../../engine/types.ts';

/** An unreadable time is neither a date nor a withdrawal. Ten digits reach to the year 2286. */
export const followExpiration = (ws: Pick<WASocket['ws'], 'on'>, tell: (at: number | null) => void): void => {
  ws.on('CB:ib,,client_expiration', (node: BinaryNode) => {
    const t = getBinaryNodeChild(node, 'client_expiration')?.attrs['t'];
    if (t === undefined) tell(null);
    else if (/^\d{1,10}$/.test(t)) tell(Number(t) * 1000);
  });
};
