/** The offline queue: what a device has not acked yet waits for it, and is delivered again after its next login. */
import type { BinaryNode } from 'baileys';

import type { Account, Device } from '../types.ts';
import { element, SERVER } from './nodes.ts';
import { type HubState, type Session, sendNow } from './state.ts';

/** The same stanza id may come from two people: whoever wrote the message is part of its key. */
const messageKey = (hub: HubState, owner: Account, id: string, writer: string | undefined): string => {
  const account = hub.registry.find(writer);
  return `message|${id}|${account === null || account === owner ? '' : account.number}`;
};

const keyOf = (hub: HubState, owner: Account, stanzaClass: string, attrs: BinaryNode['attrs'], peer?: string) => {
  const id = attrs.id ?? '';
  switch (stanzaClass) {
    case 'message':
      return messageKey(hub, owner, id, attrs.participant ?? peer);
    case 'receipt':
      return `receipt|${id}|${attrs.type ?? ''}|${peer ?? ''}|${attrs.participant ?? ''}`;
    case 'call':
      return `call|${id}|${peer ?? ''}`;
    case 'notification':
      return `notification|${id}`;
    default:
      return null;
  }
};

/** Queues what has to be acked and sends it; anything else is sent to whoever is there and forgotten. */
export const deliver = (hub: HubState, device: Device, node: BinaryNode): void => {
  const key = keyOf(hub, device.account, node.tag, node.attrs, node.attrs.from);
  if (key === null) return sendNow(hub, device, node);
  const stanza = { node, delivered: false };
  device.queue.set(key, stanza);
  const session = hub.sessions.get(device);
  if (session === undefined || !session.flowing) return;
  stanza.delivered = true;
  if (node.tag === 'message') hub.counters.messagesOut += 1;
  session.client.send(node);
};

/** Delivers all that waits, in order, and says when that was all. */
export const flush = (hub: HubState, session: Session): void => {
  if (session.flowing) return;
  session.flowing = true;
  let count = 0;
  for (const stanza of session.device.queue.values()) {
    const { node } = stanza;
    if (node.tag === 'message') {
      if (stanza.delivered) hub.counters.redelivered += 1;
      else hub.counters.messagesOut += 1;
    }
    stanza.delivered = true;
    session.client.send({ ...node, attrs: { ...node.attrs, offline: String(count) } });
    count += 1;
  }
  session.client.send(element('ib', { from: SERVER }, [element('offline', { count: String(count) })]));
};

/** A client's ack. A refusal that follows a retry receipt is not for the copy that was sent again meanwhile. */
export const takeAck = (hub: HubState, device: Device, ack: BinaryNode): void => {
  const key = keyOf(hub, device.account, ack.attrs.class ?? '', ack.attrs, ack.attrs.to);
  if (key === null) return;
  const refused = ack.attrs.error !== undefined;
  if (refused && hub.sessions.get(device)?.retried.delete(key) === true) return;
  if (device.queue.delete(key)) hub.counters.acked += 1;
};

/** A receipt settles the messages that it speaks of, whatever it says of them. */
export const settle = (hub: HubState, device: Device, receipt: BinaryNode, ids: readonly string[]): void => {
  const writer = receipt.attrs.participant ?? receipt.attrs.to;
  for (const id of ids) {
    const key = messageKey(hub, device.account, id, writer);
    if (device.queue.delete(key)) hub.counters.acked += 1;
    if (receipt.attrs.type === 'retry') hub.sessions.get(device)?.retried.add(key);
  }
};
