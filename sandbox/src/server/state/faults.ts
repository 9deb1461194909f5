/** Faults of the network for linked devices (docs/sandbox.md, The network itself); phones of the sandbox are always served well. */
import type { proto } from 'baileys';

/** The client revisions that the network knows, and what it does to a client whose revision is too old. */
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

/** `strict`: the rules of today (addressing.ts). `lenient`: either namespace, as stock Baileys 7.0.0-rc14 speaks. */
export type Addressing = 'strict' | 'lenient';

/** Addressing rules of a sandbox that is started without a choice. */
export const DEFAULT_ADDRESSING: Addressing = 'strict';

export interface Faults {
  /** Whether the network insists on today's rules of addressing. */
  readonly addressing: Addressing;
  /** Every stanza to a connection leaves so much later. */
  readonly latencyMs: number;
  /** The server's ack of a message leaves so much later. */
  readonly ackDelayMs: number;
  /** Every n-th stanza of a device after its login is lost, and cuts its connection; 0 for never. */
  readonly dropEvery: number;
  /** No new connection is accepted. */
  readonly refuseConnections: boolean;
  /** Messages are taken and delivered, but not acked to the sender. */
  readonly withholdAcks: boolean;
  /** Messages are refused with this error code; null for none. */
  readonly rejectSends: number | null;
  /**
   * Key bundles are refused with 406: those of one device, or of all where none is named, beside the bundles of the others, or the
   * whole question that names it (whatsapp-rust #1143 and #1153, 2026-07-27).
   */
  readonly refuseKeys: { readonly as: 'device' | 'batch'; readonly device: string | null } | null;
  /** Changes of the application state are refused with this code; null for none. */
  readonly refuseAppState: number | null;
  /** Messages to people are refused with 463, as for a restricted account. */
  readonly restrict: boolean;
  /** Connections stay open, but nothing is read from them and nothing is sent. */
  readonly halfOpen: boolean;
  /** Keep-alives are not answered. */
  readonly withholdPings: boolean;
  /** A QR lives so long, instead of 60 s and then 20 s each; null for the usual. */
  readonly expireQrAfterMs: number | null;
  /** After a scan the network asks for a passkey instead of completing the link. */
  readonly passkeyGate: boolean;
  /** How long a passkey is waited for; null for ten minutes. */
  readonly passkeyTimeoutMs: number | null;
  /** After the first scan the network asks for a new QR, in one of the two forms; only that one links. Null for never. */
  readonly rotateQr: 'companion_reg_refresh' | 'pair-device-rotate-qr' | null;
  /** The network refuses a pairing code with this error code: when it is asked for, or once it was entered. */
  readonly refuseCode: { readonly at: 'hello' | 'finish'; readonly code: number } | null;
  /**
   * Point at which the next link breaks off: before the network confirms it (`scan`), with stream error 515 instead (`restart`),
   * before the client's signature arrives (`sign`), or before the final 515 (`linked`). Once, then null again.
   */
  readonly breakPairing: 'scan' | 'restart' | 'sign' | 'linked' | null;
  /** Linked devices are cut off, and kept out with failure 402 for so long. */
  readonly temporaryBan: { readonly code: number; readonly seconds: number } | null;
  /** Every connection is refused with this reason; null for none. */
  readonly connectFailure: number | null;
  /** The network's own words: of a `connectFailure`, in English, and the reason of a `<conflict>`, as when a device is unlinked. */
  readonly says: { readonly header: string | null; readonly text: string | null; readonly conflict: string | null };
  /** Accounts may begin no new chats for so long (463). */
  readonly timeLock: { readonly seconds: number } | null;
  /** Limit of new chats of an account within this time; more are refused with 475. */
  readonly newChatCap: { readonly limit: number; readonly seconds: number } | null;
  /** Number of next logins that are refused with 401. */
  readonly refuseLogins: number;
  /** Which revisions of the client are current, can be linked, and can connect. */
  readonly clientRevision: ClientRevisions;
  /** AB properties, by number, that clients are told beside the one about LIDs. */
  readonly properties: Readonly<Record<string, string>>;
  /** How people hear of a contact's new or removed device: it is named, or a hash of its account is, and the list has to be asked for. */
  readonly deviceNews: 'named' | 'hash';
  /** Which of the two pages with the current revision answer: `both`, the `root` page alone, or `none`. */
  readonly versionPages: 'both' | 'root' | 'none';
  /** Seconds since the epoch: linked devices are told that the network refuses their revision from then on; null: it does not, or not any more. */
  readonly clientExpiration: number | null;
  /** The tag under which status posts arrive: `status` as since July 2026, or `message` as before. */
  readonly statusAs: 'status' | 'message';
  /**
   * How what has waited is handed over after a login: in the `windows` that the client asks for, as the `whole` at once (as stock clients
   * expect), or in windows without the `<offline>` that ends them (`endless`).
   */
  readonly backlog: 'windows' | 'whole' | 'endless';
  /** Messages that come under a LID are delivered without the sender's phone number. */
  readonly hideNumbers: boolean;
}

export const noFaults: Faults = {
  addressing: DEFAULT_ADDRESSING,
  latencyMs: 0,
  ackDelayMs: 0,
  dropEvery: 0,
  refuseConnections: false,
  withholdAcks: false,
  rejectSends: null,
  refuseKeys: null,
  refuseAppState: null,
  restrict: false,
  halfOpen: false,
  withholdPings: false,
  expireQrAfterMs: null,
  passkeyGate: false,
  passkeyTimeoutMs: null,
  rotateQr: null,
  refuseCode: null,
  breakPairing: null,
  temporaryBan: null,
  connectFailure: null,
  says: { header: null, text: null, conflict: null },
  timeLock: null,
  newChatCap: null,
  refuseLogins: 0,
  clientRevision: usualRevisions,
  properties: {},
  deviceNews: 'named',
  versionPages: 'both',
  clientExpiration: null,
  statusAs: 'status',
  backlog: 'windows',
  hideNumbers: false,
};
