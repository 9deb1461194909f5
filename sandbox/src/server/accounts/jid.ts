/** Addresses: `<user>[:<device>]@<server>`. */
import type { Account, Device } from '../../base/types.ts';

export interface Jid {
  readonly user: string;
  readonly device: number;
  readonly server: string;
}

/** Namespace of people in a chat: phone number or LID. */
export type AddressingMode = 'pn' | 'lid';

export const parseJid = (text: string | undefined): Jid | null => {
  if (text === undefined) return null;
  const at = text.indexOf('@');
  if (at < 0) return null;
  const server = text.slice(at + 1);
  const colon = text.indexOf(':');
  if (colon < 0 || colon > at) return { user: text.slice(0, at), device: 0, server };
  const device = Number(text.slice(colon + 1, at));
  return Number.isInteger(device) ? { user: text.slice(0, colon), device, server } : null;
};

export const modeOf = (server: string): AddressingMode => (server === 'lid' ? 'lid' : 'pn');

export const accountJid = (account: Account, mode: AddressingMode): string =>
  mode === 'lid' ? account.lid : account.jid;

export const deviceJid = ({ account, id }: Pick<Device, 'account' | 'id'>, mode: AddressingMode): string => {
  const jid = accountJid(account, mode);
  return id === 0 ? jid : jid.replace('@', `:${id}@`);
};
