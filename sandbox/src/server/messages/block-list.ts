/** Block lists: whose messages and calls do not reach an account. */
import { createHash } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../base/types.ts';
import { element } from '../../base/nodes.ts';
import { tellOwnDevices } from './notifications.ts';
import type { HubState } from '../state/state.ts';
import { usernameIn } from '../accounts/usernames.ts';

const hashOf = (blocked: ReadonlySet<Account>): string => {
  const hash = createHash('sha256');
  for (const lid of [...blocked].map((account) => account.lid).sort()) hash.update(lid);
  return hash.digest('base64').slice(0, 8);
};

const besideLid = (other: Account): Record<string, string> => {
  if (!other.hidesNumber) return { pn_jid: other.jid };
  return other.username === null ? { unknown_identifier: 'true' } : usernameIn(other);
};

export const blockListNode = (hub: HubState, account: Account): BinaryNode => {
  const { blocked } = hub.registry.stateOf(account);
  const items = [...blocked].map((other) => element('item', { jid: other.lid, ...besideLid(other) }));
  return element('list', { dhash: hashOf(blocked) }, items);
};

/** Tells the account's other devices (whatsmeow notification.go handleBlocklist, 2026-08). */
export const setBlocked = (
  hub: HubState,
  account: Account,
  other: Account,
  blocks: boolean,
  by: Device | null = null,
): void => {
  const { blocked } = hub.registry.stateOf(account);
  if (blocked.has(other) === blocks) return;
  const before = hashOf(blocked);
  if (blocks) blocked.add(other);
  else blocked.delete(other);
  const item = element('item', { jid: other.lid, action: blocks ? 'block' : 'unblock' });
  const attrs = { action: 'modify', dhash: hashOf(blocked), prev_dhash: before };
  tellOwnDevices(hub, account, by, element('blocklist', attrs, [item]));
};
