/** Resolves JIDs to an account, a device and the address of its Signal sessions. */
import type { Account, Hub } from '../../base/types.ts';

export const isGroup = (jid: string): boolean => jid.endsWith('@g.us');

const deviceOf = (jid: string): number => {
  const colon = jid.indexOf(':');
  return colon < 0 ? 0 : Number.parseInt(jid.slice(colon + 1), 10) || 0;
};

/** `<digits>@lid`, with a device part for companions. */
const deviceJid = (lid: string, device: number): string => (device === 0 ? lid : lid.replace('@', `:${device}@`));

/** `<LID digits>_1.<device>`: one session per device, whatever address was used. */
export const signalAddress = (account: Account, device: number): string => `${account.lid.split('@')[0]}_1.${device}`;

export interface Addressee {
  readonly account: Account;
  readonly device: number;
  readonly address: string;
  readonly jid: string;
}

export const addressee = (account: Account, device: number): Addressee => ({
  account,
  device,
  address: signalAddress(account, device),
  jid: deviceJid(account.lid, device),
});

export const resolve = (hub: Hub, jid: string): Addressee | null => {
  const account = hub.findAccount(jid);
  return account === null ? null : addressee(account, deviceOf(jid));
};

export const chatName = (hub: Hub, jid: string): string => hub.findAccount(jid)?.jid ?? jid;
