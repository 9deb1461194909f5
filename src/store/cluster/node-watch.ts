/**
 * Decides which nodes are alive, by the monotonic clock of this process. Each renewal of a node's lease changes its row; a row that has
 * stayed the same for the length of the lease belongs to a dead node. The time in the row is not trusted, since the
 * clock of the database can be set: back, and a dead node would seem alive; ahead, and all nodes would seem dead.
 */

/** A node's row, as it is read. */
export interface NodeRow {
  readonly id: string;
  /** The end of the lease by the database's clock; it changes with each renewal. */
  readonly expires_at: number;
  readonly lease_ms: number;
  /** Whether the lease has expired by the database's clock. */
  readonly expired: boolean;
}

/** A node whose devices may be taken, as long as its row is unchanged. */
export interface DeadNode {
  readonly id: string;
  readonly leaseEnd: number;
}

interface Seen {
  readonly row: NodeRow;
  /** When the row was first read so, and when a read was last begun that found it so. */
  readonly since: number;
  until: number;
  /** Only the database's clock says that it is alive: nothing was seen of it yet. */
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

  /** All rows there are; `sent`: when they were asked for. */
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
   * A node that was never seen before is believed to be what the database's clock says: only for where requests go and how devices are
   * shared out. Nothing is taken from it before it was watched for a whole lease.
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
