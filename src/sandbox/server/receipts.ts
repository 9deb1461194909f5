/** Routing of receipts: what a device says of a message goes to those who have to know. */
import type { BinaryNode } from 'baileys';

import type { Device } from '../types.ts';
import { seconds } from './clock.ts';
import { type AddressingMode, deviceJid, modeOf, parseJid } from './jid.ts';
import { childrenOf, element } from './nodes.ts';
import { deliver, settle } from './queue.ts';
import { type HubState, sendNow } from './state.ts';

/** The first id is the stanza's own, further ones are listed. */
const idsOf = (receipt: BinaryNode): string[] => {
  const first = receipt.attrs.id;
  const ids = first === undefined ? [] : [first];
  for (const list of childrenOf(receipt)) {
    if (list.tag !== 'list') continue;
    for (const item of childrenOf(list)) if (item.attrs.id !== undefined) ids.push(item.attrs.id);
  }
  return ids;
};

const ackReceipt = (hub: HubState, from: Device, receipt: BinaryNode): void => {
  const { id = '', to, type, participant } = receipt.attrs;
  sendNow(
    hub,
    from,
    element('ack', {
      class: 'receipt',
      id,
      from: to ?? from.account.jid,
      ...(type === undefined ? {} : { type }),
      ...(participant === undefined ? {} : { participant }),
    }),
  );
};

/** To one device: a retry is the affair of the device that encrypted, `sender` and `peer_msg` of the one that sent. */
const toOneDevice = new Set(['retry', 'sender', 'peer_msg', 'hist_sync', 'server-error']);
/** Own devices have to know what was read elsewhere. */
const toOwnDevices = new Set(['read', 'read-self', 'played', 'played-self']);
/** The sender has to know that it arrived and was read; an inactive device's receipt shows no second tick. */
const toSender = new Set([undefined, 'read', 'played']);

const targetsOf = (hub: HubState, from: Device, receipt: BinaryNode, writer: string | undefined): Device[] => {
  const type = receipt.attrs.type;
  if (toOneDevice.has(type ?? '')) {
    const device = hub.registry.findDevice(writer);
    return device === null || device === from ? [] : [device];
  }
  const targets: Device[] = [];
  const account = hub.registry.find(writer);
  if (toSender.has(type) && account !== null && account !== from.account) targets.push(...account.devices.values());
  if (toOwnDevices.has(type ?? '')) targets.push(...[...from.account.devices.values()].filter((own) => own !== from));
  return targets;
};

/** How the receipt looks to `target`, in the chat's mode of addressing. */
const addressingFor = (hub: HubState, from: Device, target: Device, receipt: BinaryNode, mode: AddressingMode) => {
  const { to = '', participant, recipient } = receipt.attrs;
  const inGroup = to.endsWith('@g.us') || to.endsWith('@broadcast');
  if (inGroup) {
    const groupMode = modeOf(parseJid(participant)?.server ?? 'lid');
    return { from: to, participant: deviceJid(from, groupMode) };
  }
  const attrs: Record<string, string> = { from: deviceJid(from, mode) };
  if (target.account !== from.account) return attrs;
  // To an own device: `recipient` is the chat.
  const chat = recipient ?? to;
  return recipient === undefined && hub.registry.find(chat) === from.account ? attrs : { ...attrs, recipient: chat };
};

export const routeReceipt = (hub: HubState, from: Device, receipt: BinaryNode): void => {
  const ids = idsOf(receipt);
  settle(hub, from, receipt, ids);
  ackReceipt(hub, from, receipt);
  const writer = receipt.attrs.participant ?? receipt.attrs.to;
  const server = parseJid(writer)?.server ?? 's.whatsapp.net';
  const { id = '', type } = receipt.attrs;
  for (const target of targetsOf(hub, from, receipt, writer)) {
    const attrs: Record<string, string> = { id, t: seconds(hub.clock) };
    if (type !== undefined) attrs['type'] = type;
    const content = Array.isArray(receipt.content) ? receipt.content : undefined;
    deliver(
      hub,
      target,
      element('receipt', { ...attrs, ...addressingFor(hub, from, target, receipt, modeOf(server)) }, content),
    );
  }
};
