/** The offline queue: what a device has not acked yet waits for it, and is delivered again after its next login. */
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../types.ts';
import { element, SERVER } from '../../nodes.ts';
import { type HubState, type Session, sendNow } from '../state.ts';
import { awaitStatusAck, isGivenUp } from './status.ts';

/** Two people may use one stanza id: the writer of a message is part of its key. */
const writerOf = (hub: HubState, owner: Account, writer: string | undefined): string => {
  const account = hub.registry.find(writer);
  return account === null || account === owner ? '' : account.number;
};

const keyOf = (...parts: readonly [kind: string, id: string, ...rest: string[]]): string => {
  const [kind, id, first = '', second = '', third = ''] = parts;
  return [kind, id, first, second, third].join('|');
};

/** The key of a stanza that has to be acked; null for any other. */
const keyOfStanza = (hub: HubState, owner: Account, { tag, attrs }: BinaryNode): string | null => {
  const { id = '', from = '', participant, type = '' } = attrs;
  switch (tag) {
    case 'message':
      return keyOf(tag, id, writerOf(hub, owner, participant ?? from));
    case 'status':
      return keyOf(tag, id, writerOf(hub, owner, participant));
    case 'receipt':
      return keyOf(tag, id, type, from, participant ?? '');
    case 'call':
      return keyOf(tag, id, from);
    case 'notification':
      return keyOf(tag, id);
    default:
      return null;
  }
};

/** Queues what has to be acked and sends it; anything else is sent to those who are connected, and forgotten. */
export const deliver = (hub: HubState, device: Device, node: BinaryNode): void => {
  const key = keyOfStanza(hub, device.account, node);
  if (key === null) return sendNow(device, node);
  const session = hub.sessions.get(device);
  const stanza = device.queue.get(key) ?? { node, delivered: false, deliveries: 0 };
  device.queue.set(key, stanza);
  stanza.node = node;
  stanza.delivered = session?.flowing === true;
  if (session === undefined || !session.flowing) return;
  if (node.tag === 'message') hub.counters.messagesOut += 1;
  session.client.send(node);
  if (node.tag === 'status') awaitStatusAck(hub, session, key, stanza);
};

/** Delivers all that waits, in order, and says when that was all. */
export const flush = (hub: HubState, session: Session): void => {
  if (session.flowing) return;
  session.flowing = true;
  const { queue } = session.device;
  let count = 0;
  for (const [key, stanza] of queue) {
    const { node } = stanza;
    if (isGivenUp(stanza)) {
      queue.delete(key);
      continue;
    }
    if (node.tag === 'message') {
      if (stanza.delivered) hub.counters.redelivered += 1;
      else hub.counters.messagesOut += 1;
    }
    stanza.delivered = true;
    session.client.send({ ...node, attrs: { ...node.attrs, offline: String(count) } });
    if (node.tag === 'status') awaitStatusAck(hub, session, key, stanza);
    count += 1;
  }
  session.client.send(element('ib', { from: SERVER }, [element('offline', { count: String(count) })]));
};

/** How a message is noted whose retry receipt came. */
const retriedKey = (id: string, writer: string): string => `${id}/${writer}`;

const isSettled = (hub: HubState, device: Device, { attrs }: BinaryNode): boolean => {
  const { queue, account } = device;
  const { id = '', to = '', participant, type = '' } = attrs;
  switch (attrs.class) {
    case 'message': {
      const writer = writerOf(hub, account, participant ?? to);
      // A refusal that follows a retry receipt is not for the copy that was sent again meanwhile.
      const refused = attrs.error !== undefined;
      if (refused && hub.sessions.get(device)?.retried.delete(retriedKey(id, writer)) === true) return false;
      return queue.delete(keyOf('message', id, writer));
    }
    case 'status':
      return queue.delete(keyOf('status', id, writerOf(hub, account, participant)));
    case 'receipt':
      return queue.delete(keyOf('receipt', id, type, to, participant ?? ''));
    case 'call':
      return queue.delete(keyOf('call', id, to));
    case 'notification':
      return queue.delete(keyOf('notification', id));
    default:
      return false;
  }
};

/** A client's ack. */
export const takeAck = (hub: HubState, device: Device, ack: BinaryNode): void => {
  if (isSettled(hub, device, ack)) hub.counters.acked += 1;
};

/** A receipt settles the messages that it speaks of, whatever it says of them. */
export const settle = (hub: HubState, device: Device, receipt: BinaryNode, ids: readonly string[]): void => {
  const writer = writerOf(hub, device.account, receipt.attrs.participant ?? receipt.attrs.to);
  for (const id of ids) {
    if (device.queue.delete(keyOf('message', id, writer))) hub.counters.acked += 1;
    if (receipt.attrs.type === 'retry') hub.sessions.get(device)?.retried.add(retriedKey(id, writer));
  }
};
