/**
 * Privacy tokens: who gave one to whom, and which token messages carry to an account that requires them.
 * A message carries the token given by the recipient (`tctoken`, 28 days in buckets of 7; whatsmeow tctoken.go, August 2026),
 * else `cstoken` = HMAC-SHA256(NCT salt of the sender, recipient's LID) (whatsmeow cstoken.go, August 2026; zapo v1.8.0 hashes
 * the sender's own LID), else it may be refused with 463.
 */
import type { Account, Device, CarriedTokens, GivenToken } from '../../base/types.ts';
import { element, bytesOf, childOf, sameBytes } from '../../base/nodes.ts';
import type { HubState } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';
import { createHmac, randomBytes } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import { isStrict } from '../accounts/addressing.ts';
import { deviceJid } from '../accounts/jid.ts';
import { deliver } from './queue.ts';

const tokenBytes = 16;
const bucketSeconds = 604_800;
const bucketsValid = 4;

const bucketOf = (at: number): number => Math.floor(at / bucketSeconds);

export const giveToken = (hub: HubState, by: Account, to: Account, at = Number(seconds(hub.clock))): void => {
  const { given } = hub.registry.stateOf(by).tokens;
  const before = given.get(to);
  // Stock Baileys 7.0.0-rc14 forgets that it gave one, and gives one with every message.
  if (before !== undefined && bucketOf(before.at) >= bucketOf(at)) return;
  const token = Uint8Array.from(randomBytes(tokenBytes));
  given.set(to, { token, at });
  for (const device of to.devices.values()) {
    if (device.id === 0) continue;
    const t = seconds(hub.clock);
    const from = by.hidesNumber ? { from: by.lid } : { from: by.jid, sender_lid: by.lid };
    const attrs = { id: hub.nextId(), ...from, type: 'privacy_token', t };
    const child = element('token', { jid: deviceJid(device, 'pn'), t: String(at), type: 'trusted_contact' }, token);
    deliver(hub, device, element('notification', attrs, [element('tokens', {}, [child])]));
  }
};

/** As after a reinstallation; others give new tokens when they learn of the new identity (WA Web, as read by Baileys rc14). */
export const loseTokens = (hub: HubState, account: Account): void => {
  for (const other of hub.registry.byNumber.values()) hub.registry.stateOf(other).tokens.given.delete(account);
};

const isValid = (hub: HubState, { at }: GivenToken): boolean =>
  bucketOf(Number(seconds(hub.clock))) - bucketOf(at) < bucketsValid;

export const isTrusted = (hub: HubState, by: Account, other: Account): boolean => {
  const given = hub.registry.stateOf(by).tokens.given.get(other);
  return given !== undefined && isValid(hub, given);
};

const isTokenOf = (hub: HubState, by: Account, other: Account, token: Uint8Array): boolean => {
  const given = hub.registry.stateOf(by).tokens.given.get(other);
  return given !== undefined && isValid(hub, given) && sameBytes(given.token, token);
};

/** Counts the token sent with an addition to a group; it is not required (whatsmeow group.go, 2026-08). */
export const noteTokenOfAddition = (hub: HubState, by: Account, person: Account, node: BinaryNode): void => {
  const { required, carried } = hub.registry.stateOf(person).tokens;
  const token = bytesOf(childOf(node, 'privacy'));
  if (!required) return;
  if (token === null) carried.none += 1;
  else carried[isTokenOf(hub, person, by, token) ? 'tctoken' : 'wrong'] += 1;
};

const carriedBy = (hub: HubState, sender: Account, recipient: Account, node: BinaryNode): keyof CarriedTokens => {
  const tctoken = bytesOf(childOf(node, 'tctoken'));
  const cstoken = bytesOf(childOf(node, 'cstoken'));
  if (tctoken !== null) return isTokenOf(hub, recipient, sender, tctoken) ? 'tctoken' : 'wrong';
  if (cstoken === null) return 'none';
  const { nctSalt } = hub.registry.stateOf(sender).tokens;
  if (nctSalt === null) return 'wrong';
  return sameBytes(createHmac('sha256', nctSalt).update(recipient.lid).digest(), cstoken) ? 'cstoken' : 'wrong';
};

const isResend = (node: BinaryNode): boolean => childOf(node, 'enc')?.attrs.count !== undefined;

/**
 * Whether a message is refused for lack of a token. The sandbox's phones and devices of one account need none. A resent message
 * needs one, even in an existing chat (zapo #167, 2026); a lenient network does not check.
 */
export const wantsToken = (hub: HubState, sender: Device, recipient: Account, node: BinaryNode): boolean => {
  if (sender.account === recipient || node.attrs.category === 'peer') return false;
  const { account } = sender;
  const { known, tokens } = hub.registry.stateOf(recipient);
  const { required, carried } = tokens;
  if (!required || sender.id === 0) return false;
  const what = carriedBy(hub, account, recipient, node);
  carried[what] += 1;
  if (what === 'tctoken' || what === 'cstoken') return false;
  return !known.has(account) || (isStrict(hub) && isResend(node));
};
