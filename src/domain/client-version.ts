/** The announced revision of the network's web client: its source, and when it becomes too old. */

export type NetworkKind = 'whatsapp' | 'sandbox';

/** `bundled`: in this release. `stored`: last accepted one. `fetched`: from the network's page in this run. `pinned`: by the operator. */
export type RevisionSource = 'bundled' | 'stored' | 'fetched' | 'pinned';

export interface KnownRevision {
  readonly revision: number;
  readonly source: RevisionSource;
  readonly since: number | null;
}

export interface StoredRevision {
  readonly revision: number;
  readonly firstSeenAt: number;
}

export interface Expiration {
  readonly revision: number;
  readonly at: number;
}

export interface RevisionStore {
  load(network: NetworkKind): Promise<StoredRevision | null>;
  /** Ignored if a newer one is stored. */
  keep(network: NetworkKind, revision: StoredRevision): Promise<void>;
  loadExpiration(network: NetworkKind): Promise<Expiration | null>;
  keepExpiration(network: NetworkKind, expiration: Expiration | null): Promise<void>;
}

/** `older`: older than the known one, which is ignored. `failed`: no page, or none with a revision. */
export const checkOutcomes = ['newer', 'same', 'older', 'failed'] as const;
export type CheckOutcome = (typeof checkOutcomes)[number];

export interface RevisionCheck {
  readonly at: number;
  readonly outcome: CheckOutcome;
  readonly detail: string | null;
}

export interface ClientVersionStatus {
  readonly version: string;
  readonly revision: number;
  readonly source: RevisionSource;
  readonly ageDays: number | null;
  /** When the network starts to refuse it, ms; null: not announced. */
  readonly expiresAt: number | null;
  readonly warning: string | null;
  readonly lastCheck: RevisionCheck | null;
  readonly checks: Readonly<Record<CheckOutcome, number>>;
  readonly refusals: number;
}

/**
 * Revisions are refused 80 to 153 days after publication (whatsmeow #1031, #1040, #1164, WAHA #2193, wuzapi #368: 2025-12 to
 * 2026-09), and cannot be linked some time before (Baileys #2679, 2026-07-01).
 */
export const warnFromDays = 60;

const dayMs = 86_400_000;

export const ageDaysOf = ({ since }: Pick<KnownRevision, 'since'>, now: number): number | null =>
  since === null ? null : Math.max(0, Math.floor((now - since) / dayMs));

export const versionText = (revision: number): string => `2.3000.${revision}`;

export const describeRevision = (known: KnownRevision, now: number): string => {
  const days = ageDaysOf(known, now);
  const age = days === null ? '' : `, ${days} ${days === 1 ? 'day' : 'days'} old`;
  return `${versionText(known.revision)} (${known.source}${age})`;
};
