/**
 * Which namespace a message to a person may use: phone JIDs (PN) or LIDs. Each rule has its source and date; all are public reports, none
 * are documented by the network. `lenient` is the network before these rules.
 */
import type { Account, Device } from '../../base/types.ts';
import type { BinaryNode } from 'baileys';
import type { Group } from '../groups/group.ts';
import { childOf, childrenOf } from '../../base/nodes.ts';
import type { HubState } from '../state/state.ts';
import { type AddressingMode, type Jid, deviceJid, modeOf, parseJid } from './jid.ts';

/** Mixed namespaces, or a LID from a sender that is not migrated. */
const BAD_REQUEST = 400;
const STALE_ADDRESSING_MODE = 421;
/** The phone JID of a migrated account. Also the code of a missing token and of a restriction. */
const REFUSED = 463;
/** A device that does not exist, or none of the recipient's devices. */
const WRONG_STANZA = 479;

export const isStrict = (hub: HubState): boolean => hub.faults.addressing === 'strict';

/**
 * The error code for a namespace the sender may not use; null if allowed.
 * - Sender not migrated: 400 for a LID; phone JIDs are accepted (whatsapp-rust #941, 2026-07-02, live).
 * - Sender migrated: every LID is accepted, since clients decide by their own account (whatsapp-rust #943, 2026-07-02, of WhatsApp Web;
 * whatsmeow send.go, 2026-07-13, checks nothing of the recipient).
 * - Phone JID of a migrated account, from a migrated one: 463 even with a valid token (OpenWA #717, 2026-07-12, live). To an account that
 * is not migrated it is accepted: nobody has reported a refusal (2026-09).
 */
const refusalOfMode = (sender: Account, recipient: Account, mode: AddressingMode): number | null => {
  if (mode === 'lid') return sender.migrated ? null : BAD_REQUEST;
  return sender.migrated && recipient.migrated ? REFUSED : null;
};

/** The sandbox's own phones follow the rules anyway. */
const isChecked = (hub: HubState, sender: Device): boolean => isStrict(hub) && sender.id !== 0;

const jidsOf = (node: BinaryNode): (string | undefined)[] =>
  childrenOf(childOf(node, 'participants')).map(({ attrs }) => attrs.jid);

const isMixed = (jids: readonly (string | undefined)[], mode: AddressingMode): boolean =>
  jids.some((jid) => jid !== undefined && modeOf(parseJid(jid)?.server ?? '') !== mode);

/**
 * The error code for a message to a person; null if accepted.
 * - One namespace in `to`, `recipient` and all participants, else 400 (whatsapp-rust #731, before 2026-07).
 * - A namespace that the sender may not use: `refusalOfMode`.
 * - None of the recipient's devices, or one no longer linked: 479 (Baileys #2794, 2026-09-07).
 */
export const refusalToPerson = (
  hub: HubState,
  sender: Device,
  node: BinaryNode,
  to: Jid,
  chat: Account,
): number | null => {
  // Between own devices either namespace is accepted (whatsmeow: PN; whatsapp-rust pdo.rs: LID; 2026-08).
  if (!isChecked(hub, sender) || node.attrs.category === 'peer') return null;
  const jids = jidsOf(node);
  const mode = modeOf(to.server);
  if (isMixed([...jids, node.attrs.recipient], mode)) return BAD_REQUEST;
  // A copy for an own device names the chat in `recipient`.
  const peer = hub.registry.find(node.attrs.recipient) ?? chat;
  const refusal = refusalOfMode(sender.account, peer, mode);
  if (refusal !== null) return refusal;
  const devices = jids.map((jid) => hub.registry.findDevice(jid));
  if (devices.includes(null) || !chat.devices.has(to.device)) return WRONG_STANZA;
  const reached = childOf(node, 'enc') !== undefined || devices.some((device) => device?.account === chat);
  // A note to oneself may have no other device to reach.
  return reached || chat === sender.account ? null : WRONG_STANZA;
};

/** The namespace that a group stanza declares; PN by default (whatsmeow send.go, 2026-07-13). */
const declaredMode = (node: BinaryNode): AddressingMode => (node.attrs.addressing_mode === 'lid' ? 'lid' : 'pn');

/** 421 for the wrong addressing mode (zapo, nack reason STALE_GROUP_ADDRESSING_MODE, 2026-08), 400 for participants of the other namespace. */
export const refusalToGroup = (hub: HubState, sender: Device, node: BinaryNode, group: Group): number | null => {
  if (!isChecked(hub, sender)) return null;
  // A copy for one device names its target and no mode.
  if (node.attrs.participant === undefined && declaredMode(node) !== group.mode) return STALE_ADDRESSING_MODE;
  return isMixed([...jidsOf(node), node.attrs.participant], group.mode) ? BAD_REQUEST : null;
};

/** The namespace in which a group stanza is forwarded. */
export const modeOfGroupStanza = (hub: HubState, sender: Device, node: BinaryNode, group: Group): AddressingMode => {
  if (sender.id === 0 || isStrict(hub)) return group.mode;
  return node.attrs.addressing_mode === 'pn' ? 'pn' : 'lid';
};

/** The namespace in which a group receipt is forwarded, whatever its sender declared. */
export const modeOfReceipt = (hub: HubState, group: Group | undefined, said: AddressingMode): AddressingMode =>
  group !== undefined && isStrict(hub) ? group.mode : said;

/** The ack reports it, and the sender looks the account up again (whatsapp-rust #1313, 2026-08-16). */
export const isFormerLid = (to: Jid, account: Account): boolean =>
  to.server === 'lid' && account.lid !== `${to.user}@lid`;

/** A device query by phone JID finds no devices of a migrated account (Baileys #2794, 2026-09-07, live); all reports are of migrated senders. */
export const hidesDevices = (hub: HubState, asker: Device, account: Account, mode: AddressingMode): boolean =>
  isChecked(hub, asker) && mode === 'pn' && asker.account.migrated && account.migrated;

/** By LID if the own account is migrated; unchanged on a lenient network. */
export const wireJid = (hub: HubState, from: Account, jid: string): string => {
  const account = isStrict(hub) || from.hidesNumber ? hub.registry.find(jid) : null;
  const id = parseJid(jid)?.device ?? 0;
  return account === null ? jid : deviceJid({ account, id }, from.migrated ? 'lid' : 'pn');
};
