/** Resolves JIDs to an account, a device and the address of its Signal sessions. */
import type { Account, Hub } from '../../base/types.ts';

export const isGroup = (jid: string): boolean => jid.endsWith('@g.us');

/** The number between `:` and `@`; 0, the phone, where there is none. */
const deviceOf = (jid: string): number => {
  const colon = jid.indexOf(':');
  return colon < 0 ? 0 : Number.parseInt(jid.slice(colon + 1), 10) || 0;
};

/** `<digits>@lid` with a device part, where the device is not the phone. */
const deviceJid = (lid: string, device: number): string => (device === 0 ? lid : lid.replace('@', `:${device}@`));

/** `<LID digits>_1.<device>`: one session per device, however it was addressed. */
export const signalAddress = (account: Account, device: number): string => `${account.lid.split('@')[0]}_1.${device}`;

export interface Addressee {
  readonly account: Account;
  readonly device: number;
  /** Address of its Signal sessions. */
  readonly address: string;
  /** JID in the LID namespace. */
  readonly jid: string;
}

export const addressee = (account: Account, device: number): Addressee => ({
  account,
  device,
  address: signalAddress(account, device),
  jid: deviceJid(account.lid, device),
});

/** The device behind a JID of either kind, or null when there is no such account. */
export const resolve = (hub: Hub, jid: string): Addressee | null => {
  const account = hub.findAccount(jid);
  return account === null ? null : addressee(account, deviceOf(jid));
};

/** How a chat is named in a phone's view: people by phone JID, groups as they are. */
export const chatName = (hub: Hub, jid: string): string => hub.findAccount(jid)?.jid ?? jid;
