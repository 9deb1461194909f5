/**
 * Lanes that began in this process, as they stand in the database, with what waits in them: claims from them ask nobody. Their
 * rows are leased from the moment they are written, so that no claim by the database takes them too; after a crash
 * they are found by these leases (`freeLeases`), and what does not move on in time is given back to the database.
 * For a database that one process has alone.
 */
import type { DueDelivery } from '../../domain/delivery.ts';
import type { StoredEvent } from '../../domain/event.ts';
import { deliveryOfEvent } from '../events/ids.ts';

/** A new delivery, while it is being written. */
interface Written {
  readonly seq: number;
  readonly orderHash: string;
  readonly orderKey: string;
  readonly dataJson: string;
  /** When the lease ends with which its lane began; null when there was a lane already. */
  readonly begins: number | null;
}

interface Entry {
  readonly seq: number;
  readonly orderKey: string;
  readonly event: StoredEvent;
  readonly dataJson: string;
}

export interface FreshLane {
  readonly deviceId: number;
  readonly orderHash: string;
  readonly queue: Entry[];
  /** The one that is claimed, and until when. */
  taken: { readonly entry: Entry; readonly leaseUntil: number } | null;
  /** Until when the row is leased, and the head that it names: the present one, or one before it. */
  dueAt: number;
  rowHead: number;
  /** More stands behind the queue, in the database alone. */
  more: boolean;
  /** When it began. */
  readonly since: number;
}

export interface FreshClaim {
  readonly leaseUntil: number;
  readonly limit: number;
  /** How many of a device when so many are taken already. */
  readonly roomOf: (deviceId: number, taken: number) => number;
}

/** What the database is told of a lane that is its own again. */
export type GivenBack = {
  readonly deviceId: number;
  readonly orderHash: string;
  readonly rowHead: number;
  readonly head: number;
};

/** A lane whose head is claimed, and until when its row is leased. */
type OnItsWay = { readonly orderHash: string; readonly head: number; readonly dueAt: number };

/** Deliveries kept, of two kilobytes each. */
const usualMost = 8_000;
/** As long as claims are, at most, and what may pass before one. */
const longestClaimMs = 30_000;
/** A lane that moves on keeps its row as it is while a claim fits into its lease, and this to wait for it. */
const slackMs = 10_000;
const leaseMs = longestClaimMs + 2 * slackMs;

const nameOf = (deviceId: number, orderHash: string): string => `${deviceId}/${orderHash}`;

/** The first that has not arrived; null when there is none. */
export const headOf = ({ taken, queue }: FreshLane): number | null => (taken?.entry ?? queue[0])?.seq ?? null;

export class FreshLanes {
  readonly #written = new WeakMap<StoredEvent, Written>();
  readonly #lanes = new Map<string, FreshLane>();
  /** With a head that may be claimed, by device; the devices in the order of their turns. */
  readonly #ready = new Map<number, Set<FreshLane>>();
  /** By the delivery that is claimed. */
  readonly #claimed = new Map<string, FreshLane>();
  #entries = 0;
  /** When the database has something to be looked at; undefined: it has to be asked. */
  #nextInDatabase: number | null | undefined;
  /** Nothing has to be given back before. */
  #calmUntil = Infinity;
  readonly #most: number;

  constructor(most = usualMost) {
    this.#most = most;
  }

  /** How long a row that is written now is leased. */
  leaseUntil(now: number): number {
    return now + leaseMs;
  }

  get hasRoom(): boolean {
    return this.#entries < this.#most;
  }

  note(event: StoredEvent, written: Written): void {
    this.#written.set(event, written);
  }

  /** After the commit, in the order of the log. */
  keep(events: readonly StoredEvent[], now: number): void {
    for (const committed of events) {
      const written = this.#written.get(committed);
      const { id, deviceId, at, event } = committed;
      if (written !== undefined) this.#keep({ id, deviceId, at, event }, written, now);
    }
  }

  #keep(event: StoredEvent, { seq, orderHash, orderKey, dataJson, begins }: Written, now: number): void {
    const { deviceId } = event;
    if (begins !== null) this.#begin({ deviceId, orderHash, dueAt: begins, rowHead: seq, since: now });
    const lane = this.find(deviceId, orderHash);
    if (lane === undefined) return;
    if (lane.more || (begins === null && !this.hasRoom)) {
      lane.more = true;
      return;
    }
    lane.queue.push({ seq, orderKey, event, dataJson });
    this.#entries += 1;
    this.#offer(lane);
  }

  #begin(row: Pick<FreshLane, 'deviceId' | 'orderHash' | 'dueAt' | 'rowHead' | 'since'>): void {
    const before = this.find(row.deviceId, row.orderHash);
    if (before !== undefined) this.drop(before);
    this.#lanes.set(nameOf(row.deviceId, row.orderHash), { ...row, queue: [], taken: null, more: false });
  }

  #offer(lane: FreshLane): void {
    if (lane.taken !== null || lane.queue.length === 0) return;
    const ready = this.#ready.get(lane.deviceId);
    if (ready === undefined) this.#ready.set(lane.deviceId, new Set([lane]));
    else ready.add(lane);
    this.#calmUntil = Math.min(this.#calmUntil, lane.dueAt - longestClaimMs);
  }

  find(deviceId: number, orderHash: string): FreshLane | undefined {
    return this.#lanes.get(nameOf(deviceId, orderHash));
  }

  /** Of a delivery that was claimed here. */
  claimedLane(id: string): FreshLane | undefined {
    return this.#claimed.get(id);
  }

  /** Since when the one that is next has waited; null when nothing waits. */
  get readySince(): number | null {
    for (const lanes of this.#ready.values()) for (const { since } of lanes) return since;
    return null;
  }

  /** As the database says, which is asked when somebody may have changed it. */
  async nextInDatabase(ask: () => Promise<number | null>): Promise<number | null> {
    if (this.#nextInDatabase !== undefined) return this.#nextInDatabase;
    const next = await ask();
    this.#nextInDatabase = next;
    return next;
  }

  /** A device is to be looked at from `at` on. */
  wokenAt(at: number): void {
    if (this.#nextInDatabase !== undefined) this.#nextInDatabase = Math.min(this.#nextInDatabase ?? Infinity, at);
  }

  rescheduled(): void {
    this.#nextInDatabase = undefined;
  }

  /** When there may be something to be given back. */
  get calmUntil(): number {
    return this.#lanes.size === 0 ? Infinity : this.#calmUntil;
  }

  take({ leaseUntil, limit, roomOf }: FreshClaim): DueDelivery[] {
    const taken: DueDelivery[] = [];
    // Each once, though those that have more are put to the end.
    const turns = [...this.#ready.keys()];
    for (const deviceId of turns) {
      if (taken.length >= limit) break;
      const lanes = this.#ready.get(deviceId)!;
      const room = Math.min(limit - taken.length, roomOf(deviceId, taken.length));
      if (room <= 0) continue;
      for (const lane of [...lanes].slice(0, room)) {
        lanes.delete(lane);
        taken.push(this.#claim(lane, leaseUntil));
      }
      this.#ready.delete(deviceId);
      if (lanes.size > 0) this.#ready.set(deviceId, lanes);
    }
    return taken;
  }

  #claim(lane: FreshLane, leaseUntil: number): DueDelivery {
    const { deviceId } = lane;
    const entry = lane.queue.shift()!;
    lane.taken = { entry, leaseUntil };
    this.#calmUntil = Math.min(this.#calmUntil, leaseUntil);
    const id = deliveryOfEvent(entry.event.id);
    this.#claimed.set(id, lane);
    const { orderKey, event, dataJson } = entry;
    return { id, deviceId, orderKey, attempts: 0, event, dataJson };
  }

  /** The head of a lane once `seq` has arrived; null when nothing that is known here stands behind it. */
  headAfter(lane: FreshLane, seq: number): number | null {
    return (lane.taken?.entry.seq === seq ? lane.queue[0]?.seq : headOf(lane)) ?? null;
  }

  /** Its row may stay as it is for the next one. */
  isLeased({ dueAt }: FreshLane, now: number): boolean {
    return dueAt - now >= longestClaimMs + slackMs;
  }

  /** After the record of `seq`: its row is leased until `dueAt` and names the head, or is gone. The next may be claimed. */
  moveOn(lane: FreshLane, seq: number, row: { readonly head: number; readonly dueAt: number } | null): void {
    // It became the database's in the same transaction.
    if (this.find(lane.deviceId, lane.orderHash) !== lane) return;
    if (lane.taken?.entry.seq === seq) {
      this.#claimed.delete(deliveryOfEvent(lane.taken.entry.event.id));
      lane.taken = null;
      this.#entries -= 1;
    }
    // What was written meanwhile has begun a new lane, or will.
    if (row === null) return this.drop(lane);
    lane.rowHead = row.head;
    lane.dueAt = row.dueAt;
    this.#offer(lane);
  }

  /** It did not arrive: the database says when it is tried again. */
  failed(id: string): void {
    const lane = this.#claimed.get(id);
    if (lane !== undefined) this.drop(lane);
  }

  forget(deviceId: number, orderHash: string): void {
    const lane = this.find(deviceId, orderHash);
    if (lane !== undefined) this.drop(lane);
  }

  /** From here on the lane is what the database says of it. */
  drop(lane: FreshLane): void {
    const name = nameOf(lane.deviceId, lane.orderHash);
    if (this.#lanes.get(name) !== lane) return;
    this.#lanes.delete(name);
    this.#entries -= lane.queue.length + (lane.taken === null ? 0 : 1);
    if (lane.taken !== null) this.#claimed.delete(deliveryOfEvent(lane.taken.entry.event.id));
    const ready = this.#ready.get(lane.deviceId);
    ready?.delete(lane);
    if (ready?.size === 0) this.#ready.delete(lane.deviceId);
  }

  /** Drops those whose claim has run out, and those whose lease is too short for one until `leaseUntil`. */
  dropOverdue(now: number, leaseUntil: number): GivenBack[] {
    if (now < this.#calmUntil && leaseUntil - now <= longestClaimMs) return [];
    this.#calmUntil = Infinity;
    const found: FreshLane[] = [];
    for (const lane of this.#lanes.values()) {
      const { taken, queue, dueAt } = lane;
      if (taken === null ? queue.length > 0 && dueAt < leaseUntil : taken.leaseUntil <= now) found.push(lane);
      else if (taken !== null) this.#calmUntil = Math.min(this.#calmUntil, taken.leaseUntil);
      else if (queue.length > 0) this.#calmUntil = Math.min(this.#calmUntil, dueAt - longestClaimMs);
    }
    return this.#giveBack(found);
  }

  /** Drops those of a device, and tells of those of which nothing is on its way, and of the others. */
  dropAll(deviceId: number): { readonly waiting: GivenBack[]; readonly onTheirWay: readonly OnItsWay[] } {
    const lanes = [...this.#lanes.values()].filter((lane) => lane.deviceId === deviceId);
    const onTheirWay = lanes.flatMap(({ taken, orderHash, dueAt }) =>
      taken === null ? [] : [{ orderHash, head: taken.entry.seq, dueAt }],
    );
    const waiting = this.#giveBack(lanes.filter(({ taken }) => taken === null));
    for (const lane of lanes) this.drop(lane);
    return { waiting, onTheirWay };
  }

  #giveBack(lanes: readonly FreshLane[]): GivenBack[] {
    return lanes.flatMap((lane) => {
      const { deviceId, orderHash, rowHead } = lane;
      const head = headOf(lane);
      this.drop(lane);
      return head === null ? [] : [{ deviceId, orderHash, rowHead, head }];
    });
  }
}
