/**
 * Decides which nodes are alive, by the monotonic clock of this process. Each renewal of a node's lease changes its row; a row that has
 * stayed the same for the length of the lease belongs to a dead node. The time in the row is not trusted, since the
 * clock of the database can be set: back, and a dead node would seem alive; ahead, and all nodes would seem dead.
 */

export interface NodeRow {
  readonly id: string;
  /** By the database's clock; changes with each renewal. */
  readonly expires_at: number;
  readonly lease_ms: number;
  /** By the database's clock. */
  readonly expired: boolean;
}

/** Its devices may be taken while its row is unchanged. */
export interface DeadNode {
  readonly id: string;
  readonly leaseEnd: number;
}

interface Seen {
  readonly row: NodeRow;
  /** When the row was first read like this, and when the last read that found it so began. */
  readonly since: number;
  until: number;
  /** Seen once so far: only the database's clock says it is alive. */
  readonly isNew: boolean;
}

export class NodeWatch {
  readonly #monotonic: () => number;
  #seen: ReadonlyMap<string, Seen> = new Map();

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  now(): number {
    return this.#monotonic();
  }

  /** `sent`: when the rows were requested. */
  observe(rows: readonly NodeRow[], sent: number): void {
    const now = this.#monotonic();
    this.#seen = new Map(
      rows.map((row) => {
        const before = this.#seen.get(row.id);
        if (before?.row.expires_at !== row.expires_at) {
          return [row.id, { row, since: now, until: now, isNew: before === undefined }];
        }
        return [row.id, { ...before, row, until: Math.max(before.until, sent) }];
      }),
    );
  }

  /**
   * For a node never seen before, the database's clock decides, but only for routing and sharing out devices. Nothing is taken from it
   * before a whole lease has been watched.
   */
  isLive(row: NodeRow): boolean {
    const seen = this.#seen.get(row.id);
    if (seen === undefined) return !row.expired;
    if (seen.row.expires_at !== row.expires_at) return true;
    return !isDead(seen) && !(seen.isNew && row.expired);
  }

  dead(): readonly DeadNode[] {
    return [...this.#seen.values()].filter(isDead).map(({ row }) => ({ id: row.id, leaseEnd: row.expires_at }));
  }
}

const isDead = ({ row, since, until }: Seen): boolean => until - since >= row.lease_ms;
