/**
 * Status posts since July 2026 (whatsapp-rust #1101, 2026-07-25, and WAHA #2151, 2026-07-17; both live logs): a `<status>` stanza, acked
 * with `class="status"`. Without that ack it is delivered again after every login, up to 25 times, and the stream ends 50 minutes after
 * delivery.
 */
import type { WaitingStanza } from '../../base/types.ts';
import { element } from '../../base/nodes.ts';
import type { HubState, Session } from '../state/state.ts';

export const STATUS = 'status@broadcast';

const maxDeliveries = 25;
const cutAfterMs = 50 * 60_000;

export const isGivenUp = ({ node, deliveries }: WaitingStanza): boolean =>
  node.tag === 'status' && deliveries >= maxDeliveries;

export const awaitStatusAck = (
  hub: HubState,
  { device, client }: Session,
  key: string,
  stanza: WaitingStanza,
): void => {
  stanza.deliveries += 1;
  hub.clock.after(cutAfterMs, () => {
    if (device.client !== client || device.queue.get(key) !== stanza) return;
    const { id = '', type = '' } = stanza.node.attrs;
    client.close(element('stream:error', {}, [element('ack', { class: 'status', id, type })]));
  });
};
