/** Faults of the network for linked devices (docs/sandbox.md, The network itself); the sandbox's own phones are not affected. */
import type { proto } from 'baileys';

/** Client revisions known to the network, and what happens to older clients. */
export interface ClientRevisions {
  /** The one on the network's own page. */
  readonly current: number;
  /** Older clients get QRs and codes, but cannot be linked. */
  readonly linkable: number;
  /** Older clients are refused with 405 right after the handshake. */
  readonly accepted: number;
}

/**
 * `current` is newer than that of any released client, so a client that reads the page is recognised. The other two are one above
 * revisions that the real network was reported to refuse: whatsmeow #1164 (2026-06-09) and #1040 (2025-12-19). It has refused newer ones
 * since (wuzapi #368, 2026-09-15: 1042386815), but a network that refused stock clients would be of no use to test them.
 */
export const usualRevisions: ClientRevisions = {
  current: 1_052_000_000,
  linkable: 1_031_716_405,
  accepted: 1_025_473_631,
};

/** `2.3000.<revision>` of the user agent; 0 if absent. */
export const revisionOf = ({ userAgent }: proto.IClientPayload): number => userAgent?.appVersion?.tertiary ?? 0;

/** The message shown on the phone; the companion is told nothing (Baileys #2679, 2026-07-01). */
export const notLinkable = (): Error => new Error("Couldn't link device");

const siteData = (revision: number) => ({
  server_revision: revision,
  client_revision: revision,
  push_phase: 'C3',
  be_one_ahead: false,
});

/**
 * The service worker of the network's web client, as far as clients read it: a script with JSON in a string that contains the revision
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

/** Both pages answer top-level requests of a browser, and 400 to anything else (Baileys #1929, 2025-10-14). */
export const isOpened = (headers: Headers): boolean =>
  headers['sec-fetch-site'] === 'none' && /\bChrome\/\d+/.test(String(headers['user-agent'] ?? ''));

export const isNavigation = (headers: Headers): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

/** `strict`: today's rules (addressing.ts). `lenient`: either namespace, as used by stock Baileys 7.0.0-rc14. */
export type Addressing = 'strict' | 'lenient';

export const DEFAULT_ADDRESSING: Addressing = 'strict';

export interface Faults {
  readonly addressing: Addressing;
  readonly latencyMs: number;
  readonly ackDelayMs: number;
  /** Every n-th stanza of a device after its login is lost and closes its connection; 0 for never. */
  readonly dropEvery: number;
  readonly refuseConnections: boolean;
  readonly withholdAcks: boolean;
  readonly rejectSends: number | null;
  /**
   * Key bundles are refused with 406: for one device beside the bundles of others (all devices if none is named), or for the whole batch
   * that names it (whatsapp-rust #1143 and #1153, 2026-07-27).
   */
  readonly refuseKeys: { readonly as: 'device' | 'batch'; readonly device: string | null } | null;
  readonly refuseAppState: number | null;
  /** Messages to persons are refused with 463, as for a restricted account. */
  readonly restrict: boolean;
  readonly halfOpen: boolean;
  /** Keep-alives are not answered. */
  readonly withholdPings: boolean;
  /** Lifetime of a QR, instead of 60 s and then 20 s each; null for the default. */
  readonly expireQrAfterMs: number | null;
  readonly passkeyGate: boolean;
  readonly passkeyTimeoutMs: number | null;
  /** After the first scan the network asks for a new QR in one of two forms, and only that one links; null for never. */
  readonly rotateQr: 'companion_reg_refresh' | 'pair-device-rotate-qr' | null;
  /** The error code with which a pairing code is refused, on request or after it was entered. */
  readonly refuseCode: { readonly at: 'hello' | 'finish'; readonly code: number } | null;
  /**
   * Where the next link breaks off: before the network confirms it (`scan`), with stream error 515 instead (`restart`), before the
   * client's signature arrives (`sign`), or before the final 515 (`linked`). Applied once, then null.
   */
  readonly breakPairing: 'scan' | 'restart' | 'sign' | 'linked' | null;
  /** Linked devices are disconnected, and refused with failure 402 for this time. */
  readonly temporaryBan: { readonly code: number; readonly seconds: number } | null;
  readonly connectFailure: number | null;
  /** Texts of the network: of a `connectFailure`, and the reason of a `<conflict>`, as when a device is unlinked. */
  readonly says: { readonly header: string | null; readonly text: string | null; readonly conflict: string | null };
  /** Accounts may start no new chats for this time (463). */
  readonly timeLock: { readonly seconds: number } | null;
  /** Limit of new chats of an account within this time; more are refused with 475. */
  readonly newChatCap: { readonly limit: number; readonly seconds: number } | null;
  readonly refuseLogins: number;
  readonly clientRevision: ClientRevisions;
  readonly properties: Readonly<Record<string, string>>;
  /** How people learn of a contact's new or removed device: it is named, or only a hash of its account, and the list must be requested. */
  readonly deviceNews: 'named' | 'hash';
  readonly versionPages: 'both' | 'root' | 'none';
  /** Linked devices are told that their revision is refused from this time on (seconds since the epoch); null: no date, or withdrawn. */
  readonly clientExpiration: number | null;
  readonly statusAs: 'status' | 'message';
  /**
   * How a backlog is delivered after a login: in the `windows` that the client asks for, the `whole` at once (as stock clients expect), or
   * in windows without the final `<offline>` (`endless`).
   */
  readonly backlog: 'windows' | 'whole' | 'endless';
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
