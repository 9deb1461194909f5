/** The offline queue: what a device has not acked yet waits for it, and is delivered again after its next login. */
import type { BinaryNode } from 'baileys';

import type { WaitingStanza } from '../../stanza-queue.ts';
import type { Account, Device } from '../../types.ts';
import { element, SERVER } from '../nodes.ts';
import { type HubState, type Session, sendNow } from '../state.ts';
import { awaitStatusAck, isGivenUp } from './status.ts';

/** The same stanza id may come from two people: whoever wrote the message is part of its key. */
const writerOf = (hub: HubState, owner: Account, writer: string | undefined): string => {
  const account = hub.registry.find(writer);
  return account === null || account === owner ? '' : account.number;
};

/** What has to be acked waits for it; null for anything else. */
const enqueue = (hub: HubState, { account, queue }: Device, node: BinaryNode): WaitingStanza | null => {
  const { id = '', from = '', participant, type = '' } = node.attrs;
  switch (node.tag) {
    case 'message':
      return queue.put('message', id, writerOf(hub, account, participant ?? from), '', '', node);
    case 'status':
      return queue.put('status', id, writerOf(hub, account, participant), '', '', node);
    case 'receipt':
      return queue.put('receipt', id, type, from, participant ?? '', node);
    case 'call':
      return queue.put('call', id, from, '', '', node);
    case 'notification':
      return queue.put('notification', id, '', '', '', node);
    default:
      return null;
  }
};

/** Queues what has to be acked and sends it; anything else is sent to whoever is there and forgotten. */
export const deliver = (hub: HubState, device: Device, node: BinaryNode): void => {
  const stanza = enqueue(hub, device, node);
  if (stanza === null) return sendNow(device, node);
  const session = hub.sessions.get(device);
  if (session === undefined || !session.flowing) return;
  stanza.delivered = true;
  if (node.tag === 'message') hub.counters.messagesOut += 1;
  session.client.send(node);
  if (node.tag === 'status') awaitStatusAck(hub, session, stanza);
};

/** Delivers all that waits, in order, and says when that was all. */
export const flush = (hub: HubState, session: Session): void => {
  if (session.flowing) return;
  session.flowing = true;
  let count = 0;
  for (const stanza of session.device.queue) {
    const { node } = stanza;
    if (isGivenUp(stanza)) {
      session.device.queue.remove('status', stanza.id, stanza.first, '', '');
      continue;
    }
    if (node.tag === 'message') {
      if (stanza.delivered) hub.counters.redelivered += 1;
      else hub.counters.messagesOut += 1;
    }
    stanza.delivered = true;
    session.client.send({ ...node, attrs: { ...node.attrs, offline: String(count) } });
    if (node.tag === 'status') awaitStatusAck(hub, session, stanza);
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
      return queue.remove('message', id, writer, '', '');
    }
    case 'status':
      return queue.remove('status', id, writerOf(hub, account, participant), '', '');
    case 'receipt':
      return queue.remove('receipt', id, type, to, participant ?? '');
    case 'call':
      return queue.remove('call', id, to, '', '');
    case 'notification':
      return queue.remove('notification', id, '', '', '');
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
    if (device.queue.remove('message', id, writer, '', '')) hub.counters.acked += 1;
    if (receipt.attrs.type === 'retry') hub.sessions.get(device)?.retried.add(retriedKey(id, writer));
  }
};
