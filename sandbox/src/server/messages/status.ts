/**
 * Status posts since July 2026 (whatsapp-rust #1101, 2026-07-25, and WAHA #2151, 2026-07-17; both live logs): a `<status>` stanza, acked with
 * `class="status"`. Without that ack it is redelivered after every login, up to 25 times, and the stream ends 50 minutes after delivery.
 *
 * Own posts of a companion are refused as in public reports (2026-11 at the latest):
 * - `<status>` instead of `<message>`: 400 (whatsapp-rust `send/status.rs`, 2026-08).
 * - an addressing mode, which only groups have: 479 (tried with another client, 2026-11).
 * - people by number: 479 (Baileys #2794, 2026-09-07, live).
 * - `<meta>` on a reaction or a revoke: 479 (whatsapp-rust #569, live).
 * - nobody, or more than 5,000 people in one stanza: 400 (codes assumed; the limit by WAHA #858 and whatsmeow #800).
 */
import type { BinaryNode } from 'baileys';
import type { Account, Device, WaitingStanza } from '../../base/types.ts';
import { isStrict } from '../accounts/addressing.ts';
import { parseJid } from '../accounts/jid.ts';
import { seconds } from '../../base/clock.ts';
import { childOf, childrenOf, element } from '../../base/nodes.ts';
import { type HubState, sendNow, type Session } from '../state/state.ts';
import { devicesOf } from './participants.ts';

export const STATUS = 'status@broadcast';

const maxDeliveries = 25;
const cutAfterMs = 50 * 60_000;

export const isGivenUp = ({ node, deliveries }: WaitingStanza): boolean =>
  node.tag === 'status' && deliveries >= maxDeliveries;

export const awaitStatusAck = (
  hub: HubState,
  { device, client }: Session,
  key: string,
  stanza: WaitingStanza,
): void => {
  stanza.deliveries += 1;
  hub.clock.after(cutAfterMs, () => {
    if (device.client !== client || device.queue.get(key) !== stanza) return;
    const { id = '', type = '' } = stanza.node.attrs;
    client.close(element('stream:error', {}, [element('ack', { class: 'status', id, type })]));
  });
};

const BAD_REQUEST = 400;
const WRONG_STANZA = 479;
const maxPeople = 5_000;

const namedIn = (node: BinaryNode): readonly string[] =>
  childrenOf(childOf(node, 'participants')).map(({ attrs }) => attrs.jid ?? '');

const isAboutPost = ({ attrs }: BinaryNode): boolean => attrs.type === 'reaction' || attrs.edit !== undefined;

/** The error code for a message to `status@broadcast`; null if accepted. The sandbox's own phones are not checked. */
export const refusalToStatus = (hub: HubState, sender: Device, node: BinaryNode): number | null => {
  // A copy for one device answers its retry receipt.
  if (!isStrict(hub) || sender.id === 0 || node.attrs.participant !== undefined) return null;
  if (node.attrs.addressing_mode !== undefined) return WRONG_STANZA;
  const named = namedIn(node);
  if (named.length === 0 || new Set(named.map((jid) => parseJid(jid)?.user)).size > maxPeople) return BAD_REQUEST;
  if (isAboutPost(node) && childOf(node, 'meta') !== undefined) return WRONG_STANZA;
  return named.every((jid) => parseJid(jid)?.server === 'lid') ? null : WRONG_STANZA;
};

/** All devices of the people named, by device with a ciphertext or by account without one. */
export const statusDevices = ({ registry }: HubState, { account }: Device, node: BinaryNode): readonly Device[] => {
  const accounts = new Set<Account>();
  for (const jid of namedIn(node)) {
    const found = registry.find(jid);
    if (found !== null && !registry.stateOf(found).blocked.has(account)) accounts.add(found);
  }
  return [...devicesOf(accounts)];
};

export const refuseStatusStanza = (device: Device, { attrs }: BinaryNode): void => {
  const { id = '', to: from = '' } = attrs;
  sendNow(device, element('ack', { class: 'status', id, from, error: String(BAD_REQUEST) }));
};

const stepOf = (type: string | undefined): 'delivery' | 'read' | null => {
  if (type === undefined) return 'delivery';
  return type === 'read' ? 'read' : null;
};

/** The receipt that tells an author who received and viewed a post (whatsmeow #1270, 2026-09-20, live); null for other receipts. */
export const statusReceipt = (hub: HubState, from: Device, { attrs }: BinaryNode): BinaryNode | null => {
  const type = attrs.to === STATUS ? stepOf(attrs.type) : null;
  if (type === null || hub.registry.find(attrs.participant) === from.account) return null;
  const t = seconds(hub.clock);
  const user = element('user', { jid: from.account.lid, t, type });
  const list = element('participants', { message_id: attrs.id ?? '' }, [user]);
  return element('receipt', { class: 'status', from: STATUS, id: `SAGR${hub.nextId()}`, t }, [list]);
};
