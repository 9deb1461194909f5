/** Texts over HTTP, and over bare sockets. */
import { type Side } from './compare.ts';
import type { Stage } from './stage.ts';
import { inLines } from '../../test/system/support/lines.ts';

/** The receiving number. */
export const peer = '4915000000001';
export const peerJid = `${peer}@s.whatsapp.net`;

export interface Order {
  readonly count: number;
  readonly devices: number;
  /** Texts in flight per device. */
  readonly inFlight: number;
}

export const sidesOf = (
  stage: Stage,
  ids: readonly number[],
): { readonly ours: Side<Order>; readonly bare: Side<Order> } => ({
  ours: {
    work: (order) =>
      inLines(order.count, order.devices * order.inFlight, (line, left) =>
        stage.ask(`/devices/${ids[line % order.devices]!}/messages/text`, { toNumber: peer, message: `ours ${left}` }),
      ),
    cpu: () => stage.ours.ask('cpu'),
  },
  bare: {
    work: (order) => stage.bare.ask('send', { ...order, to: ids.map(() => peerJid) }),
    cpu: () => stage.bare.ask('cpu'),
  },
});
