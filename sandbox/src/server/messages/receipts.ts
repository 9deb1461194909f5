/** Routing of receipts. */
import type { BinaryNode } from 'baileys';
import type { Device } from '../../base/types.ts';
import { modeOfReceipt } from '../accounts/addressing.ts';
import { type AddressingMode, deviceJid, modeOf, parseJid } from '../accounts/jid.ts';
import { type HubState, sendNow } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';
import { childrenOf, element } from '../../base/nodes.ts';
import { deliver, settle } from './queue.ts';

const idsOf = (receipt: BinaryNode): string[] => {
  const first = receipt.attrs.id;
  const ids = first === undefined ? [] : [first];
  for (const list of childrenOf(receipt)) {
    if (list.tag !== 'list') continue;
    for (const item of childrenOf(list)) if (item.attrs.id !== undefined) ids.push(item.attrs.id);
  }
  return ids;
};

const ackReceipt = (from: Device, receipt: BinaryNode): void => {
  const { id = '', to, type, participant } = receipt.attrs;
  const attrs: Record<string, string> = { class: 'receipt', id, from: to ?? from.account.jid };
  if (type !== undefined) attrs['type'] = type;
  if (participant !== undefined) attrs['participant'] = participant;
  sendNow(from, element('ack', attrs));
};

/** For one device: a retry concerns the device that encrypted, `sender` and `peer_msg` the one that sent. */
const toOneDevice = new Set(['retry', 'sender', 'peer_msg', 'hist_sync', 'server-error']);
/** Own devices are told what was read elsewhere. */
const toOwnDevices = new Set(['read', 'read-self', 'played', 'played-self']);
/** For the sender; a receipt of an inactive device shows no second tick. */
const toSender = new Set(['read', 'played']);

const targetsOf = (hub: HubState, from: Device, receipt: BinaryNode, writer: string | undefined): Device[] => {
  const type = receipt.attrs.type;
  const targets: Device[] = [];
  if (type !== undefined && toOneDevice.has(type)) {
    const device = hub.registry.findDevice(writer);
    if (device !== null && device !== from) targets.push(device);
    return targets;
  }
  const account = hub.registry.find(writer);
  if ((type === undefined || toSender.has(type)) && account !== null && account !== from.account)
    for (const device of account.devices.values()) targets.push(device);
  if (type !== undefined && toOwnDevices.has(type)) {
    for (const own of from.account.devices.values()) if (own !== from) targets.push(own);
  }
  return targets;
};

/** Addresses the receipt as `target` sees it, in the chat's namespace. */
const address = (
  hub: HubState,
  attrs: Record<string, string>,
  from: Device,
  target: Device,
  receipt: BinaryNode,
  mode: AddressingMode,
): void => {
  const { to = '', participant, recipient } = receipt.attrs;
  if (to.endsWith('@g.us') || to.endsWith('@broadcast')) {
    attrs['from'] = to;
    const said = modeOf(parseJid(participant)?.server ?? 'lid');
    attrs['participant'] = deviceJid(from, modeOfReceipt(hub, hub.groups.get(to), said));
    return;
  }
  attrs['from'] = deviceJid(from, mode);
  if (target.account !== from.account) return;
  // To an own device: `recipient` is the chat.
  const chat = recipient ?? to;
  if (recipient !== undefined || hub.registry.find(chat) !== from.account) attrs['recipient'] = chat;
};

export const routeReceipt = (hub: HubState, from: Device, receipt: BinaryNode): void => {
  settle(hub, from, receipt, idsOf(receipt));
  ackReceipt(from, receipt);
  const writer = receipt.attrs.participant ?? receipt.attrs.to;
  const mode = writer?.endsWith('@lid') === true ? 'lid' : 'pn';
  const { id = '', type } = receipt.attrs;
  const content = Array.isArray(receipt.content) ? receipt.content : undefined;
  for (const target of targetsOf(hub, from, receipt, writer)) {
    const attrs: Record<string, string> = { id, t: seconds(hub.clock) };
    if (type !== undefined) attrs['type'] = type;
    address(hub, attrs, from, target, receipt, mode);
    deliver(hub, target, element('receipt', attrs, content));
  }
};
