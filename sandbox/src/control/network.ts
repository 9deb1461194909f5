/** The objects behind the control interface. */
import type { MediaHost } from '../media/host.ts';
import type { Phones } from '../phones/phones.ts';
import type { PhoneHub } from '../phones/context.ts';
import type { Phone } from '../phones/phone.ts';
import { notFound } from './errors.ts';

/** Functions of the server for the control interface, beyond its contract with phones. */
export interface ControlledHub extends PhoneHub {
  /** False when there is no such group. */
  setGroupMode(jid: string, mode: 'pn' | 'lid'): boolean;
  faults(): object;
  /** Sets the members given; answers all of them. */
  setFaults(faults: Readonly<Record<string, unknown>>): object;
  clearFaults(): void;
  /** The client revision that the network's page tells. */
  currentRevision(): number;
  /** Cuts live connections, with a stream error or without a word; how many. */
  drop(number?: string, streamError?: number): number;
  /** Leaves live connections open, but dead; how many. */
  silence(number?: string): number;
  /** Logins of linked devices after the one of this number. */
  logins(after: number): readonly object[];
  stats(): object;
}

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
  readonly hub: ControlledHub;
  readonly phones: Phones;
  address(): NetworkAddress;
  readonly media: Pick<MediaHost, 'faults' | 'setFaults'>;
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
