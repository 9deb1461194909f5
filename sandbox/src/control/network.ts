/** What the control interface acts on, and the pages with the client revision. */
import type { MediaHost } from '../media/host.ts';
import type { Phones } from '../phones/phones.ts';
import type { ServerHub } from '../server/hub.ts';
import type { Phone } from '../phones/phone.ts';
import { isNavigation, isOpened, rootPage, workerPage } from '../server/state/faults.ts';
import { badRequest, notFound } from '../base/errors.ts';
import { File, type Handler, type Routes } from './server.ts';

export interface NetworkAddress {
  readonly socketUrl: string;
  readonly rootKey: string;
  readonly mediaCa: string;
  readonly controlUrl: string;
  /** URL of the page with the current client revision, in the format of the network's own page. */
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

export const chatOf = ({ hub }: Network, to: string): string => {
  if (to.endsWith('@g.us')) return to;
  const account = hub.findAccount(to);
  if (account === null) throw notFound(`to: there is no account ${to}`);
  return to.includes('@') ? to : account.jid;
};

/** A chat's address, and the other one of a person. */
export const addressesOf = ({ hub }: Network, chat: string): readonly string[] => {
  const account = chat.endsWith('@g.us') ? null : hub.findAccount(chat);
  return [...new Set([chat, ...(account === null ? [] : [account.jid, account.lid])])];
};

/** Path of the page with the current client revision (docs/spec/sandbox.md, Running it); the root page is at `/web`. */
export const versionPath = '/web/sw.js';

export const versionRoutes = ({ hub }: Network): Routes => {
  const { state } = hub;
  const worker: Handler = ({ headers }) => {
    if (!isOpened(headers) || state.faults.versionPages !== 'both')
      throw badRequest('this page answers only with the user agent of a Chrome and the header "sec-fetch-site: none"');
    const page = workerPage(state.faults.clientRevision.current);
    return new File('application/javascript; charset=utf-8', Buffer.from(page));
  };
  const root: Handler = ({ headers }) => {
    if (!isOpened(headers) || !isNavigation(headers) || state.faults.versionPages === 'none')
      throw badRequest('this page answers only to a browser that opens it: "sec-fetch-mode: navigate" and its like');
    return new File('text/html; charset=utf-8', Buffer.from(rootPage(state.faults.clientRevision.current)));
  };
  return { [`GET ${versionPath}`]: worker, 'GET /web': root };
};
