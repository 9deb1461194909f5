/** Faults of the network for linked devices (docs/sandbox.md, The network itself); the sandbox's own phones are not affected. */
import type { proto } from 'baileys';

export interface ClientRevisions {
  /** The one on the network's own page. */
  readonly current: number;
  /** Older clients get QRs and codes, but cannot be linked. */
  readonly linkable: number;
  /** Older clients are refused with 405 right after the handshake. */
  readonly accepted: number;
}

/**
 * `current` is newer than any released client, so a client that reads the page is recognized. The other two are one above
 * revisions the network was reported to refuse: whatsmeow #1164 (2026-06-09) and #1040 (2025-12-19). It has refused newer ones
 * since (wuzapi #368, 2026-09-15: 1042386815), but refusing stock clients would make the sandbox useless for testing them.
 */
export const usualRevisions: ClientRevisions = {
  current: 1_052_000_000,
  linkable: 1_031_716_405,
  accepted: 1_025_473_631,
};

export const revisionOf = ({ userAgent }: proto.IClientPayload): number => userAgent?.appVersion?.tertiary ?? 0;

/** Shown on the phone; the companion is told nothing (Baileys #2679, 2026-07-01). */
export const notLinkable = (): Error => new Error("Couldn't link device");

const siteData = (revision: number) => ({
  server_revision: revision,
  client_revision: revision,
  push_phase: 'C3',
  be_one_ahead: false,
});

/**
 * The web client's service worker as far as clients read it: a script with JSON in a string that contains the revision
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

/** `strict`: today's rules (`accounts/addressing.ts`). `lenient`: either namespace, as used by stock Baileys 7.0.0-rc14. */
export type Addressing = 'strict' | 'lenient';

export const DEFAULT_ADDRESSING: Addressing = 'strict';

export interface KeyRefusal {
  readonly as: 'device' | 'batch';
  readonly device: string | null;
  /** 406 if null. */
  readonly code: number | null;
}

export interface Faults {
  readonly addressing: Addressing;
  readonly latencyMs: number;
  readonly ackDelayMs: number;
  readonly dropEvery: number;
  readonly refuseConnections: boolean;
  readonly withholdAcks: boolean;
  readonly rejectSends: number | null;
  /** An error for key bundles: of one device (all if none is named), or of the whole batch that names it (406: whatsapp-rust #1143, #1153, 2026-07-27). */
  readonly refuseKeys: KeyRefusal | null;
  readonly refuseAppState: number | null;
  /** Messages to persons are refused with 463, as for a restricted account. */
  readonly restrict: boolean;
  readonly halfOpen: boolean;
  readonly withholdPings: boolean;
  /** Lifetime of a QR, instead of 60 s and then 20 s each. */
  readonly expireQrAfterMs: number | null;
  readonly passkeyGate: boolean;
  readonly passkeyTimeoutMs: number | null;
  /** After the first scan the network asks for a new QR in one of two forms, and only that one links. */
  readonly rotateQr: 'companion_reg_refresh' | 'pair-device-rotate-qr' | null;
  /** The error code with which a pairing code is refused, on request or after it was entered. */
  readonly refuseCode: { readonly at: 'hello' | 'finish'; readonly code: number } | null;
  /**
   * Where the next link breaks off: before the network confirms it (`scan`), with stream error 515 instead (`restart`), before
   * the client's signature arrives (`sign`), or before the final 515 (`linked`). Applied once.
   */
  readonly breakPairing: 'scan' | 'restart' | 'sign' | 'linked' | null;
  /** Linked devices are disconnected, and refused with failure 402 for this time. */
  readonly temporaryBan: { readonly code: number; readonly seconds: number } | null;
  readonly connectFailure: number | null;
  /** Texts of a `connectFailure`, and of a `<conflict>`, as when a device is unlinked. */
  readonly says: { readonly header: string | null; readonly text: string | null; readonly conflict: string | null };
  readonly timeLock: { readonly seconds: number } | null;
  readonly newChatCap: { readonly limit: number; readonly seconds: number } | null;
  readonly refuseLogins: number;
  readonly clientRevision: ClientRevisions;
  readonly properties: Readonly<Record<string, string>>;
  /** A contact's new or removed device is named, or only announced by a hash of its account, and the list must be requested. */
  readonly deviceNews: 'named' | 'hash';
  /** As `deviceNews`, for usernames. */
  readonly usernameNews: 'named' | 'hash';
  readonly versionPages: 'both' | 'root' | 'none';
  /** Linked devices are told that their revision is refused from this time on (seconds since the epoch). */
  readonly clientExpiration: number | null;
  readonly statusAs: 'status' | 'message';
  /** Backlogs come in `windows` on request, as a `whole` (as stock clients expect), or without the final `<offline>` (`endless`). */
  readonly backlog: 'windows' | 'whole' | 'endless';
  readonly hideNumbers: boolean;
  /** `lost`: channel posts are acked but never shown. */
  readonly channelPosts: 'kept' | 'lost';
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
  usernameNews: 'named',
  versionPages: 'both',
  clientExpiration: null,
  statusAs: 'status',
  backlog: 'windows',
  hideNumbers: false,
  channelPosts: 'kept',
};
