/** A node is dead once its row is unchanged for a lease's length, by a monotonic clock. The row's own time is not trusted: it can be set. */

export interface NodeRow {
  readonly id: string;
  readonly expires_at: number;
  readonly lease_ms: number;
  readonly expired: boolean;
}

export interface DeadNode {
  readonly id: string;
  readonly leaseEnd: number;
}

interface Seen {
  readonly row: NodeRow;
  /** When this state of the row was first read, and when the last read that found it was sent. */
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

  /** Takeovers require a whole observed lease; only routing and balancing trust the database's clock for a new node. */
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
