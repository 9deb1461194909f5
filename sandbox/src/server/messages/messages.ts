/** Routing of messages: one stanza comes in, and every addressed device gets its own. */
import type { BinaryNode } from 'baileys';
import type { Device, Account } from '../../base/types.ts';
import { element, childOf, childrenOf } from '../../base/nodes.ts';
import { isFormerLid, modeOfGroupStanza, refusalToGroup, refusalToPerson } from '../accounts/addressing.ts';
import { accountJid, type AddressingMode, deviceJid, type Jid, modeOf, parseJid } from '../accounts/jid.ts';
import { type HubState, sendNow } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';
import { type Faults, noFaults } from '../state/faults.ts';
import { isChannelJid, takePost } from './channels.ts';
import { chatRefusal, keepChat } from './limits.ts';
import { devicesOf, hashUnlessSame, participantHash } from './participants.ts';
import { pushNameOf } from './presence.ts';
import { deliver } from './queue.ts';
import { type Group, isAdmin } from '../groups/group.ts';
import { wantsToken } from './privacy-tokens.ts';
import { usernameIn } from '../accounts/usernames.ts';
import { refusalToStatus, STATUS, statusDevices } from './status.ts';

/**
 * Messages that linked devices cannot read: view-once messages (`<unavailable>`), first messages from Click-to-WhatsApp advertisements
 * (no `<enc>`; WAHA #2267, 2026), or undecryptable ones.
 */
const garbled = (enc: BinaryNode): BinaryNode => {
  if (enc.tag !== 'enc' || !(enc.content instanceof Uint8Array)) return enc;
  const content = Uint8Array.from(enc.content);
  // Within the authenticated part, and after the key ids of a first message.
  const at = Math.max(0, content.length - 12);
  content[at]! ^= 1;
  return { ...enc, content };
};

/** `how`: the sender's `withheld` option. */
const withheldFrom = (device: Device, stanza: BinaryNode, how: string | undefined): BinaryNode => {
  if (how === undefined || device.id === 0 || !Array.isArray(stanza.content)) return stanza;
  if (how === 'garbled') return { ...stanza, content: stanza.content.map(garbled) };
  const rest = stanza.content.filter(({ tag }) => tag !== 'enc' && tag !== 'device-identity');
  const content = how === 'viewOnce' ? [...rest, element('unavailable', { type: 'view_once' })] : rest;
  return { ...stanza, content };
};

const NOT_PASSED_ON = new Set(['participants', 'enc', 'device-identity', 'tctoken', 'cstoken']);
/** Also the code of a wrong address and of a restriction. */
const TOKEN_MISSING = 463;
/** In a group where only administrators write. 420 is reported for group messages without its cause (whatsmeow #380, 2023-04). */
const NOT_AN_ADMINISTRATOR = 420;
const PASSED_ATTRIBUTES = ['type', 'edit', 'category', 'expiration', 'push_priority'] as const;

interface Envelope {
  readonly sender: Device;
  readonly node: BinaryNode;
  readonly mode: AddressingMode;
  readonly attrs: Readonly<Record<string, string>>;
  readonly extras: readonly BinaryNode[];
}

interface Addressed {
  readonly device: Device;
  readonly enc: readonly BinaryNode[];
}

/** Phones of the sandbox see no faults. */
const faultsFor = (hub: HubState, sender: Device): Faults => (sender.id === 0 ? noFaults : hub.faults);

const ackMessage = (
  hub: HubState,
  sender: Device,
  node: BinaryNode,
  error?: number,
  more: Readonly<Record<string, string>> = {},
): void => {
  const faults = faultsFor(hub, sender);
  if (error === undefined && faults.withholdAcks) return;
  const { id = '', to: from = '', participant } = node.attrs;
  const ack = element('ack', {
    class: 'message',
    id,
    from,
    ...(participant !== undefined && { participant }),
    t: seconds(hub.clock),
    ...more,
    ...(error !== undefined && { error: String(error) }),
  });
  const delay = faults.ackDelayMs;
  if (delay === 0) return sendNow(sender, ack);
  const { client } = sender;
  hub.clock.after(delay, () => {
    if (sender.client === client) sendNow(sender, ack);
  });
};

const refuse = (hub: HubState, sender: Device, node: BinaryNode, code: number): void => {
  hub.counters.wronglyAddressed += 1;
  ackMessage(hub, sender, node, code);
};

const openEnvelope = (hub: HubState, sender: Device, node: BinaryNode, mode: AddressingMode): Envelope => {
  const attrs: Record<string, string> = { id: node.attrs.id ?? '', t: seconds(hub.clock) };
  for (const name of PASSED_ATTRIBUTES) {
    const value = node.attrs[name];
    if (value !== undefined) attrs[name] = value;
  }
  const pushName = pushNameOf(hub, sender);
  if (pushName !== null) attrs['notify'] = pushName;
  const extras = childrenOf(node).filter((child) => !NOT_PASSED_ON.has(child.tag));
  return { sender, node, mode, attrs, extras };
};

const ciphertextsOf = (node: BinaryNode): readonly BinaryNode[] => childrenOf(node).filter(({ tag }) => tag === 'enc');

const stanzaFor = (
  { node, extras }: Envelope,
  enc: readonly BinaryNode[],
  attrs: Record<string, string>,
): BinaryNode => {
  const content = [...enc, ...extras];
  const identity = childOf(node, 'device-identity');
  if (identity !== undefined && enc.some((part) => part.attrs.type === 'pkmsg')) content.push(identity);
  return element('message', attrs, content);
};

const addressedBy = (hub: HubState, node: BinaryNode): Addressed[] => {
  const addressed: Addressed[] = [];
  for (const to of childrenOf(childOf(node, 'participants'))) {
    const device = hub.registry.findDevice(to.attrs.jid);
    if (device !== null) addressed.push({ device, enc: ciphertextsOf(to) });
  }
  return addressed;
};

const namesOf = {
  pn: { sender: 'sender_pn', recipient: 'recipient_pn', peer: 'peer_recipient_pn' },
  lid: { sender: 'sender_lid', recipient: 'recipient_lid', peer: 'peer_recipient_lid' },
};

/**
 * Names the sender in the chat's namespace, with the other address beside it. For own devices `recipient` names the chat, and the other
 * address is that of the chat's person.
 */
const personalAttrs = (
  { faults }: HubState,
  envelope: Envelope,
  device: Device,
  peer: Account,
  recipient: string | undefined,
) => {
  const { sender, mode } = envelope;
  const other = mode === 'lid' ? 'pn' : 'lid';
  const names = namesOf[other];
  const attrs: Record<string, string> = { ...envelope.attrs, from: deviceJid(sender, mode), addressing_mode: mode };
  if (device.account !== sender.account) {
    const isHidden = mode === 'lid' && (faults.hideNumbers || sender.account.hidesNumber);
    if (!isHidden) attrs[names.sender] = accountJid(sender.account, other);
    if (mode === 'lid') Object.assign(attrs, usernameIn(sender.account));
  } else if (recipient !== undefined) {
    attrs['recipient'] = recipient;
    if (peer !== sender.account && !(mode === 'lid' && peer.hidesNumber)) {
      attrs[names.recipient] = accountJid(peer, other);
      attrs[names.peer] = accountJid(peer, other);
    }
    // `username` is then the account's own.
    if (mode === 'lid' && peer !== sender.account)
      Object.assign(
        attrs,
        usernameIn(sender.account),
        usernameIn(peer, 'recipient'),
        usernameIn(peer, 'peer_recipient'),
      );
  }
  return attrs;
};

/** Ack attributes that report outdated addressing: `phash` for another set of devices, `refresh_lid` for a former LID. */
const newsOf = (sender: Device, chat: Account, to: Jid, addressed: readonly Addressed[]): Record<string, string> => {
  if (sender.id === 0) return {};
  const named = addressed.map(({ device }) => device);
  const hash = named.length === 0 ? null : hashUnlessSame(sender, chat, named, modeOf(to.server));
  return { ...(hash !== null && { phash: hash }), ...(isFormerLid(to, chat) && { refresh_lid: 'true' }) };
};

const routeToPerson = (hub: HubState, sender: Device, node: BinaryNode, to: Jid): void => {
  const chat = hub.registry.find(node.attrs.to);
  if (chat === null) return ackMessage(hub, sender, node, 404);
  const refusal = refusalToPerson(hub, sender, node, to, chat);
  if (refusal !== null) return refuse(hub, sender, node, refusal);
  const limit = node.attrs.category === 'peer' ? null : chatRefusal(hub, sender, chat);
  if (limit !== null) return ackMessage(hub, sender, node, limit);
  if (wantsToken(hub, sender, chat, node)) return ackMessage(hub, sender, node, TOKEN_MISSING);
  keepChat(hub, sender.account, chat);
  const envelope = openEnvelope(hub, sender, node, modeOf(to.server));
  const fanOut = addressedBy(hub, node);
  ackMessage(hub, sender, node, undefined, newsOf(sender, chat, to, fanOut));
  const pass = ({ device, enc }: Addressed, peer: Account, recipient: string | undefined) => {
    const { blocked } = hub.registry.stateOf(device.account);
    if (device === sender || (blocked.size > 0 && blocked.has(sender.account))) return;
    deliver(
      hub,
      device,
      withheldFrom(
        device,
        stanzaFor(envelope, enc, personalAttrs(hub, envelope, device, peer, recipient)),
        node.attrs['withheld'],
      ),
    );
  };
  const direct = ciphertextsOf(node);
  const target = chat.devices.get(to.device);
  if (direct.length > 0 && target !== undefined) {
    const { recipient } = node.attrs;
    pass({ device: target, enc: direct }, hub.registry.find(recipient) ?? chat, recipient);
  }
  for (const addressed of fanOut) pass(addressed, chat, accountJid(chat, envelope.mode));
};

/** Group devices get the message itself (`skmsg`), preceded by the sender key if addressed. */
const routeToMany = (
  hub: HubState,
  sender: Device,
  node: BinaryNode,
  chat: { jid: string; mode: AddressingMode; devices: readonly Device[]; tag?: 'message' | 'status' },
): void => {
  const envelope = openEnvelope(hub, sender, node, chat.mode);
  const other = chat.mode === 'lid' ? 'pn' : 'lid';
  const attrs = {
    ...envelope.attrs,
    from: chat.jid,
    participant: deviceJid(sender, chat.mode),
    ...(chat.mode === 'lid' && (hub.faults.hideNumbers || sender.account.hidesNumber)
      ? {}
      : { [`participant_${other}`]: accountJid(sender.account, other) }),
    ...(chat.mode === 'lid' && usernameIn(sender.account, 'participant')),
    addressing_mode: chat.mode,
  };
  const hash = sender.id === 0 || node.attrs.phash === undefined ? undefined : participantHash(chat.devices, chat.mode);
  ackMessage(hub, sender, node, undefined, hash === undefined || hash === node.attrs.phash ? {} : { phash: hash });
  const shared = ciphertextsOf(node);
  const retried = hub.registry.findDevice(node.attrs.participant);
  const own = new Map(addressedBy(hub, node).map(({ device, enc }) => [device, enc]));
  for (const device of retried === null ? chat.devices : [retried]) {
    if (device === sender) continue;
    const enc = [...(own.get(device) ?? []), ...shared];
    const stanza = { ...stanzaFor(envelope, enc, attrs), tag: chat.tag ?? 'message' };
    if (enc.length > 0) deliver(hub, device, withheldFrom(device, stanza, node.attrs['withheld']));
  }
};

/** Anybody may react and vote. A copy for one device answers its retry receipt. */
const isForbidden = (group: Group, { account }: Device, node: BinaryNode): boolean => {
  if (!group.announcement || isAdmin(group, account) || node.attrs.participant !== undefined) return false;
  return node.attrs.type !== 'reaction' && childOf(node, 'meta')?.attrs.polltype !== 'vote';
};

export const routeMessage = (hub: HubState, sender: Device, node: BinaryNode): void => {
  hub.counters.messagesIn += 1;
  if (node.attrs.category === 'peer') hub.counters.peerMessages += 1;
  const to = parseJid(node.attrs.to);
  if (to === null || node.attrs.id === undefined) return ackMessage(hub, sender, node, 400);
  const personal = to.server !== 'g.us' && to.server !== 'newsletter' && node.attrs.category !== 'peer';
  const { restrict, rejectSends } = faultsFor(hub, sender);
  if (restrict && personal) return ackMessage(hub, sender, node, 463);
  if (rejectSends !== null) return ackMessage(hub, sender, node, rejectSends);
  if (isChannelJid(node.attrs.to)) {
    const { error, said, pass } = takePost(hub, sender, node);
    ackMessage(hub, sender, node, error, said);
    return pass?.();
  }
  if (to.server === 'g.us') {
    const group = hub.groups.get(node.attrs.to ?? '');
    if (group === undefined) return ackMessage(hub, sender, node, 404);
    if (!group.members.has(sender.account)) return ackMessage(hub, sender, node, 403);
    if (isForbidden(group, sender, node)) return ackMessage(hub, sender, node, NOT_AN_ADMINISTRATOR);
    const refusal = refusalToGroup(hub, sender, node, group);
    if (refusal !== null) return refuse(hub, sender, node, refusal);
    const mode = modeOfGroupStanza(hub, sender, node, group);
    return routeToMany(hub, sender, node, { jid: group.jid, mode, devices: [...devicesOf(group.members.keys())] });
  }
  if (to.server === 'broadcast') {
    const jid = node.attrs.to ?? '';
    if (jid !== STATUS) {
      const named = addressedBy(hub, node).map((addressed) => addressed.device);
      return routeToMany(hub, sender, node, { jid, mode: 'pn', devices: named });
    }
    const refusal = refusalToStatus(hub, sender, node);
    if (refusal !== null) return refuse(hub, sender, node, refusal);
    // By LID: another client could not read posts that named their author by number (2026-11). Stock clients read both.
    const devices = statusDevices(hub, sender, node);
    return routeToMany(hub, sender, node, { jid, mode: 'lid', devices, tag: hub.faults.statusAs });
  }
  routeToPerson(hub, sender, node, to);
};
