/** The objects behind the control interface. */
import type { MediaHost } from '../media/host.ts';
import type { Phones } from '../phones/phones.ts';
import type { ServerHub } from '../server/hub.ts';
import type { Phone } from '../phones/phone.ts';
import { notFound } from '../base/errors.ts';

/** Addresses and keys that a client of this network needs. */
export interface NetworkAddress {
  readonly socketUrl: string;
  /** 64 hex digits. */
  readonly rootKey: string;
  /** PEM. */
  readonly mediaCa: string;
  readonly controlUrl: string;
  /** URL of the page with the current client revision, in the form of the network's own page. */
  readonly versionUrl: string;
}

export interface Network {
  readonly hub: ServerHub;
  readonly phones: Phones;
  address(): NetworkAddress;
  readonly media: Pick<MediaHost, 'faults' | 'host' | 'setFaults'>;
}

export const phoneOf = ({ phones }: Network, number: string | undefined): Phone => {
  const phone = number === undefined ? null : phones.find(number);
  if (phone === null) throw notFound(`there is no phone ${number}`);
  return phone;
};

/** A recipient as people write it: a number, or a JID. */
export const chatOf = ({ hub }: Network, to: string): string => {
  if (to.endsWith('@g.us')) return to;
  const account = hub.findAccount(to);
  if (account === null) throw notFound(`to: there is no account ${to}`);
  return to.includes('@') ? to : account.jid;
};
