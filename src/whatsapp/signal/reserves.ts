/**
 * Sending chains that are stored some messages ahead of where they are. While messages go out to a session one after the other, its
 * record is not written with each of them: what is stored is behind every key that has been used, so that after a crash some
 * keys are never used, and none is used twice. The peer takes the gap for messages that are still to come.
 */
import { BoundedCache } from '../engine/bounded-cache.ts';
import { ahead } from './on-chain.ts';
import type { Unit } from './unit.ts';

/** So many keys are lost with a crash at most, in each session. */
const mostAhead = 32;
const maxSessions = 12;

interface Reserve {
  /** As it is in the store. */
  readonly stored: Uint8Array;
  /** As it is. */
  record: Uint8Array;
  /** Messages until the record has to be stored again. */
  left: number;
  /** How many they were when it was stored. */
  readonly width: number;
}

/** None for the first message, then more with each time: a session that is seldom written to is stored as it is. */
const widthAfter = (width: number | undefined): number =>
  width === undefined ? 0 : Math.min(mostAhead, 4 * (width + 1));

const storedAgain = (record: Uint8Array, width: number): Reserve => {
  const further = width === 0 ? null : ahead(record, width);
  return { stored: further ?? record, record, left: further === null ? 0 : width, width };
};

export class Reserves {
  readonly #reserves = new BoundedCache<Reserve>(maxSessions);

  /** The records as they are, of those that were read as they were stored here. Whoever has stored another one since knows better. */
  recall(ids: readonly string[], found: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
    if (this.#reserves.size === 0) return found;
    const records = new Map(found);
    for (const id of ids) {
      const reserve = this.#reserves.get(id);
      if (reserve === undefined) continue;
      const read = found.get(id);
      if (read === reserve.stored || (read !== undefined && Buffer.compare(read, reserve.stored) === 0)) {
        records.set(id, reserve.record);
      } else this.#reserves.del(id);
    }
    return records;
  }

  /**
   * Of a unit that did nothing but seal so many messages on the chains of these sessions: leaves what need not be stored out of it, and
   * has the rest stored ahead. What is returned is to be called when the unit is committed.
   */
  settle(unit: Unit, sealed: ReadonlyMap<string, number>): () => void {
    const settled: (() => void)[] = [];
    for (const [id, count] of sealed) {
      const record = unit.get('session', id)!;
      const reserve = this.#reserves.get(id);
      if (reserve !== undefined && reserve.left >= count) {
        unit.leave('session', id);
        settled.push(() => {
          reserve.record = record;
          reserve.left -= count;
        });
      } else {
        const next = storedAgain(record, widthAfter(reserve?.width));
        unit.put('session', id, next.stored);
        settled.push(() => this.#reserves.set(id, next));
      }
    }
    return () => {
      for (const each of settled) each();
    };
  }

  /** Another record is about to be stored. Its chain may come to where the reserve was stored: then the bytes are no proof. */
  drop(id: string): void {
    this.#reserves.del(id);
  }

  /** What the store has is not known for sure. */
  forget(): void {
    this.#reserves.flushAll();
  }
}
