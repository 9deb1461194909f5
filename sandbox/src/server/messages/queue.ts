/** The offline queue: stanzas are kept until the device acks them, and delivered again after its next login, in windows. */
import type { BinaryNode } from 'baileys';
import type { Account, Device, WaitingStanza } from '../../base/types.ts';
import { childOf, element, SERVER } from '../../base/nodes.ts';
import { type HubState, type Session, sendNow } from '../state/state.ts';
import { awaitStatusAck, isGivenUp } from './status.ts';

/** Two people may use the same stanza id, so the writer is part of the key. */
const writerOf = (hub: HubState, owner: Account, writer: string | undefined): string => {
  const account = hub.registry.find(writer);
  return account === null || account === owner ? '' : account.number;
};

const keyOf = (...parts: readonly [kind: string, id: string, ...rest: string[]]): string => {
  const [kind, id, first = '', second = '', third = ''] = parts;
  return [kind, id, first, second, third].join('|');
};

/** Each retry is a request of its own, which the ack of an earlier one does not settle. */
const retryCountOf = (node: BinaryNode): string => {
  const retry = node.attrs.type === 'retry' ? childOf(node, 'retry') : undefined;
  return retry === undefined ? '' : `|${retry.attrs.count ?? ''}`;
};

/** An ack names no count: it is for the oldest. */
const settleReceipt = (queue: Device['queue'], key: string, isRetry: boolean): boolean => {
  const oldest = isRetry ? [...queue.keys()].find((each) => each.startsWith(key)) : key;
  return oldest !== undefined && queue.delete(oldest);
};

const keyOfStanza = (hub: HubState, owner: Account, node: BinaryNode): string | null => {
  const { tag, attrs } = node;
  const { id = '', from = '', participant, type = '' } = attrs;
  switch (tag) {
    case 'message':
      return keyOf(tag, id, writerOf(hub, owner, participant ?? from));
    case 'status':
      return keyOf(tag, id, writerOf(hub, owner, participant));
    case 'receipt':
      return `${keyOf(tag, id, type, from, participant ?? '')}${retryCountOf(node)}`;
    case 'call':
      return keyOf(tag, id, from);
    case 'notification':
      return keyOf(tag, id);
    default:
      return null;
  }
};

const hand = (hub: HubState, session: Session, key: string, stanza: WaitingStanza, offline: number | null): void => {
  const { node } = stanza;
  if (node.tag === 'message') {
    if (stanza.delivered) hub.counters.redelivered += 1;
    else hub.counters.messagesOut += 1;
  }
  stanza.delivered = true;
  stanza.handedTo = session.client;
  session.client.send(offline === null ? node : { ...node, attrs: { ...node.attrs, offline: String(offline) } });
  if (node.tag === 'status') awaitStatusAck(hub, session, key, stanza);
};

export const deliver = (hub: HubState, device: Device, node: BinaryNode): void => {
  const key = keyOfStanza(hub, device.account, node);
  if (key === null) return sendNow(device, node);
  const session = hub.sessions.get(device);
  const stanza = device.queue.get(key) ?? { node, delivered: false, deliveries: 0, handedTo: null };
  // Already delivered, and the backlog will not return to it.
  if (session?.backlog && stanza.handedTo === session.client) device.queue.delete(key);
  Object.assign(stanza, { node, delivered: false, handedTo: null });
  device.queue.set(key, stanza);
  if (session?.flowing === true) hand(hub, session, key, stanza, null);
};

const previewOf = (queue: Device['queue']): BinaryNode => {
  const counts: Record<string, number> = { message: 0, notification: 0, receipt: 0, call: 0, status: 0 };
  for (const { node } of queue.values()) counts[node.tag] = (counts[node.tag] ?? 0) + 1;
  const attrs = Object.entries({ count: queue.size, appdata: 0, ...counts });
  return element('offline_preview', Object.fromEntries(attrs.map(([name, count]) => [name, String(count)])));
};

const endBacklog = (session: Session, count: number): void => {
  session.backlog = null;
  session.flowing = true;
  session.client.send(element('ib', { from: SERVER }, [element('offline', { count: String(count) })]));
};

export const handOver = (hub: HubState, session: Session, count: number): void => {
  const { backlog, device } = session;
  if (backlog === null) return;
  const end = backlog.handed + count;
  for (; backlog.next.done !== true && backlog.handed < end; backlog.next = backlog.waiting.next()) {
    const [key, stanza] = backlog.next.value;
    // It may have been settled since the last window.
    if (device.queue.get(key) !== stanza) continue;
    if (isGivenUp(stanza)) device.queue.delete(key);
    else hand(hub, session, key, stanza, backlog.handed++);
  }
  if (backlog.next.done === true && hub.faults.backlog !== 'endless') endBacklog(session, backlog.handed);
};

/**
 * Delivers the backlog in windows of at most the size the client asks for. New stanzas queue behind it: nothing is live before
 * `<offline>` (zapo #269, 2026-08-28; whatsapp-rust #629, 2026-05-15, from WA Web, and #125 and #1377, 2026-09-01, live). Not
 * implemented: the few stanzas the network delivers unasked (whatsapp-rust #629). Phones get everything at once.
 */
export const beginBacklog = (hub: HubState, session: Session): void => {
  if (session.flowing || session.backlog !== null) return;
  const { device, client } = session;
  const waiting = device.queue.entries();
  session.backlog = { waiting, next: waiting.next(), handed: 0 };
  if (device.id === 0 || device.queue.size === 0 || hub.faults.backlog === 'whole')
    return handOver(hub, session, Infinity);
  client.send(element('ib', { from: SERVER }, [previewOf(device.queue)]));
};

export const takeBulletin = (hub: HubState, device: Device, node: BinaryNode): void => {
  const count = Number(childOf(node, 'offline_batch')?.attrs.count);
  const session = hub.sessions.get(device);
  if (session !== undefined && Number.isSafeInteger(count) && count > 0) handOver(hub, session, count);
};

const retriedKey = (id: string, writer: string): string => `${id}/${writer}`;

const isSettled = (hub: HubState, device: Device, { attrs }: BinaryNode): boolean => {
  const { queue, account } = device;
  const { id = '', to = '', participant, type = '' } = attrs;
  switch (attrs.class) {
    case 'message': {
      const writer = writerOf(hub, account, participant ?? to);
      // A refusal after a retry receipt does not concern the resent copy.
      const refused = attrs.error !== undefined;
      if (refused && hub.sessions.get(device)?.retried.delete(retriedKey(id, writer)) === true) return false;
      return queue.delete(keyOf('message', id, writer));
    }
    case 'status':
      return queue.delete(keyOf('status', id, writerOf(hub, account, participant)));
    case 'receipt':
      return settleReceipt(queue, keyOf('receipt', id, type, to, participant ?? ''), type === 'retry');
    case 'call':
      return queue.delete(keyOf('call', id, to));
    case 'notification':
      return queue.delete(keyOf('notification', id));
    default:
      return false;
  }
};

export const takeAck = (hub: HubState, device: Device, ack: BinaryNode): void => {
  if (isSettled(hub, device, ack)) hub.counters.acked += 1;
};

/** A receipt of any type settles the messages it names. */
export const settle = (hub: HubState, device: Device, receipt: BinaryNode, ids: readonly string[]): void => {
  const writer = writerOf(hub, device.account, receipt.attrs.participant ?? receipt.attrs.to);
  for (const id of ids) {
    if (device.queue.delete(keyOf('message', id, writer))) hub.counters.acked += 1;
    if (receipt.attrs.type === 'retry') hub.sessions.get(device)?.retried.add(retriedKey(id, writer));
  }
};
