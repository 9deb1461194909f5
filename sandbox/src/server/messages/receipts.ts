/** Routing of receipts. */
import type { BinaryNode } from 'baileys';
import type { Device } from '../../base/types.ts';
import { modeOfReceipt } from '../accounts/addressing.ts';
import { type AddressingMode, deviceJid, modeOf, parseJid } from '../accounts/jid.ts';
import { type HubState, sendNow } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';
import { childrenOf, element } from '../../base/nodes.ts';
import { isChannelJid, takeViews } from './channels.ts';
import { deliver, settle } from './queue.ts';
import { usernameIn } from '../accounts/usernames.ts';
import { statusReceipt } from './status.ts';

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

/** A retry concerns the device that encrypted, `sender` and `peer_msg` the one that sent. */
const toOneDevice = new Set(['retry', 'sender', 'peer_msg', 'hist_sync', 'server-error']);
/** Own devices learn what was read elsewhere. */
const toOwnDevices = new Set(['read', 'read-self', 'played', 'played-self']);
/** A receipt of an inactive device shows no second tick. */
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
    const shown = modeOfReceipt(hub, hub.groups.get(to), said);
    attrs['participant'] = deviceJid(from, shown);
    if (shown === 'lid') Object.assign(attrs, usernameIn(from.account, 'participant'));
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
  if (isChannelJid(receipt.attrs.to)) return receipt.attrs.type === 'view' ? takeViews(hub, from, receipt) : undefined;
  const writer = receipt.attrs.participant ?? receipt.attrs.to;
  const mode = writer?.endsWith('@lid') === true ? 'lid' : 'pn';
  const ofStatus = statusReceipt(hub, from, receipt);
  const { id = '', type } = receipt.attrs;
  const content = Array.isArray(receipt.content) ? receipt.content : undefined;
  for (const target of targetsOf(hub, from, receipt, writer)) {
    if (ofStatus !== null && target.account !== from.account) {
      deliver(hub, target, ofStatus);
      continue;
    }
    const attrs: Record<string, string> = { id, t: seconds(hub.clock) };
    if (type !== undefined) attrs['type'] = type;
    address(hub, attrs, from, target, receipt, mode);
    deliver(hub, target, element('receipt', attrs, content));
  }
};
