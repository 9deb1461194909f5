/** Device lists as the network compares them: a sender with an outdated list is told by a hash. */
import { createHash } from 'node:crypto';
import type { Account, Device } from '../../base/types.ts';
import { accountJid, type AddressingMode } from '../accounts/jid.ts';

/** `<user>.<agent>:<device>@<server>`; the agent is 0. */
const written = ({ account, id }: Device, mode: AddressingMode): string =>
  accountJid(account, mode).replace('@', `.0:${id}@`);

/** Hash of version 2 (whatsmeow send.go participantListHashV2, 2026-07-13; zapo computePhashV2, 2026-08). */
export const participantHash = (devices: Iterable<Device>, mode: AddressingMode): string => {
  const hash = createHash('sha256');
  for (const jid of [...devices].map((device) => written(device, mode)).sort()) hash.update(jid);
  return `2:${hash.digest().subarray(0, 6).toString('base64').replaceAll('=', '')}`;
};

export const devicesOf = function* (accounts: Iterable<Account>): Generator<Device> {
  for (const account of accounts) yield* account.devices.values();
};

export const hashUnlessSame = (
  sender: Device,
  chat: Account,
  named: readonly Device[],
  mode: AddressingMode,
): string | null => {
  const known = new Set(named).add(sender);
  const network = [...devicesOf(new Set([chat, sender.account]))];
  const same = network.length === known.size && network.every((device) => known.has(device));
  return same ? null : participantHash(network, mode);
};
