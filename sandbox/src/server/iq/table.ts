/** The table of iq handlers. */
import type { BinaryNode } from 'baileys';
import type { Device } from '../../base/types.ts';
import { childrenOf, errorOf } from '../../base/nodes.ts';
import { type HubState, sendNow } from '../state/state.ts';

export type IqHandler = (hub: HubState, device: Device, iq: BinaryNode) => BinaryNode | null;

export type IqTable = Readonly<Record<string, IqHandler>>;

export const answerLater = (hub: HubState, device: Device, iq: BinaryNode, answer: Promise<BinaryNode>): null => {
  const { client } = device;
  const send = (node: BinaryNode): void => {
    if (device.client === client) sendNow(device, node);
  };
  answer.then(send, (error: unknown) => {
    hub.onError(error);
    send(errorOf(iq, 500, 'internal-server-error'));
  });
  return null;
};

export const answerIq = (table: IqTable, hub: HubState, device: Device, iq: BinaryNode): BinaryNode | null => {
  const { xmlns = '', type = '' } = iq.attrs;
  const child = childrenOf(iq)[0]?.tag ?? '';
  const handler = table[`${xmlns} ${type} ${child}`] ?? table[`${xmlns} ${type}`];
  if (handler !== undefined) return handler(hub, device, iq);
  hub.counters.unknownStanzas += 1;
  return errorOf(iq, 501, 'feature-not-implemented');
};
