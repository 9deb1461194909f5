/** The client revisions that the network knows, and what it does to a client whose revision is too old. */
import type { proto } from 'baileys';

export interface ClientRevisions {
  /** The one that the network's own page tells. */
  readonly current: number;
  /** A client below this gets QRs and codes, but no phone can link it. */
  readonly linkable: number;
  /** A client below this is refused with 405 straight after the handshake. */
  readonly accepted: number;
}

/**
 * `current` is newer than any that a released client brings, so that a client which reads the page shows it. The other two are one above
 * revisions that the real network was reported to refuse: whatsmeow #1164 (2026-06-09) and #1040 (2025-12-19). It refused newer ones
 * since (wuzapi #368, 2026-09-15: 1042386815), but a network that refused what stock clients bring would be of no use to test them.
 */
export const usualRevisions: ClientRevisions = {
  current: 1_052_000_000,
  linkable: 1_031_716_405,
  accepted: 1_025_473_631,
};

/** `2.3000.<revision>` of the user agent; 0 where it says none. */
export const revisionOf = ({ userAgent }: proto.IClientPayload): number => userAgent?.appVersion?.tertiary ?? 0;

/** The network's own words on the phone; the companion is told nothing (Baileys #2679, 2026-07-01). */
export const notLinkable = (): Error => new Error("Couldn't link device");

const siteData = (revision: number) => ({
  server_revision: revision,
  client_revision: revision,
  push_phase: 'C3',
  be_one_ahead: false,
});

/**
 * The service worker of the network's web client, as far as clients read it: a script that holds JSON in a string, with the revision in it
 * (whatsapp-rust `version.rs`; Baileys `fetchLatestWaWebVersion`, 2026-08).
 */
export const workerPage = (revision: number): string => {
  const data = JSON.stringify({ dynamic_data: { SiteData: siteData(revision) } });
  return `self.__swData=JSON.parse(/*BTDS*/${JSON.stringify(data)});\n`;
};

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The root page, as far as clients read it (whatsmeow `update.go`, 2026-08-21). */
export const rootPage = (revision: number): string =>
  `<!DOCTYPE html><title>WhatsApp Web</title><script>requireLazy(${JSON.stringify(['SiteData', [], siteData(revision)])})</script>`;

/** Both pages answer browsers that open them themselves, and everybody else with 400 (Baileys #1929, 2025-10-14). */
export const isOpened = (headers: Headers): boolean =>
  headers['sec-fetch-site'] === 'none' && /\bChrome\/\d+/.test(String(headers['user-agent'] ?? ''));

/** The headers of a browser that goes to a page. */
export const isNavigation = (headers: Headers): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
