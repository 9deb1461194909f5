/** Messages that were told without their content, and those that could not be decrypted yet: kept with the session, in bounded number. */
import type { proto } from '../engine/proto.ts';
import type { KeyChange } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Jid } from '../../domain/jid.ts';
import type { SessionStore } from '../login/session-store.ts';

export interface Placeholder {
  readonly id: string;
  readonly sender: Jid;
  /** When it came, ms. */
  readonly at: number;
  /** By which the phone is asked for it. */
  readonly key: proto.IMessageKey;
  /** The stanza of one that may still be decrypted; null once it is told. */
  readonly untold: Readonly<Record<string, string>> | null;
}

interface Saved {
  readonly placeholders: readonly Placeholder[];
  /** Until then there may be placeholders that are not listed: there was no room for them. */
  readonly fullUntil: number;
}

const keyType = 'placeholders';
const keyId = 'all';

/** The phone is asked again for so long, on each connection (WAHA #2267, 2026: it may sleep for days). */
const askedForMs = 3 * 86_400_000;
const perDevice = 200;
const perSender = 20;

export class PlaceholderList {
  readonly #deviceId: number;
  readonly #store: Pick<SessionStore, 'readKeys'>;
  readonly #clock: Clock;
  #saved: Saved | null = null;
  #loading: Promise<void> | null = null;

  constructor(deviceId: number, store: Pick<SessionStore, 'readKeys'>, clock: Clock) {
    this.#deviceId = deviceId;
    this.#store = store;
    this.#clock = clock;
  }

  /** To be awaited before the other methods are called; null: it is done. */
  load(): Promise<void> | null {
    if (this.#saved !== null) return null;
    this.#loading ??= this.#read();
    return this.#loading;
  }

  /** False: no placeholder of this id was told. */
  mayHave(id: string): boolean {
    if (this.#saved === null) return true;
    return this.#saved.fullUntil > this.#clock.now() || this.#saved.placeholders.some((each) => each.id === id);
  }

  get all(): readonly Placeholder[] {
    const oldest = this.#clock.now() - askedForMs;
    return (this.#saved?.placeholders ?? []).filter(({ at }) => at >= oldest);
  }

  /** The change that lists it, in place of an earlier one of the same message. */
  put(placeholder: Placeholder): KeyChange {
    const others = this.all.filter(({ id, sender }) => id !== placeholder.id || sender !== placeholder.sender);
    const hasRoom =
      others.length < perDevice && others.filter(({ sender }) => sender === placeholder.sender).length < perSender;
    if (hasRoom) return this.#write([...others, placeholder]);
    return this.#write(others, this.#clock.now() + askedForMs);
  }

  /** The change that takes a message off the list; null where it is not there. */
  drop(id: string): KeyChange | null {
    const others = this.all.filter((each) => each.id !== id);
    return others.length === this.all.length ? null : this.#write(others);
  }

  #write(placeholders: readonly Placeholder[], fullUntil = this.#saved?.fullUntil ?? 0): KeyChange {
    this.#saved = { placeholders, fullUntil };
    const isEmpty = placeholders.length === 0 && fullUntil <= this.#clock.now();
    return { type: keyType, id: keyId, value: isEmpty ? null : Buffer.from(JSON.stringify(this.#saved)) };
  }

  async #read(): Promise<void> {
    try {
      const value = (await this.#store.readKeys(this.#deviceId, keyType, [keyId])).get(keyId);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `#write` alone, and sealed
      const saved = value === undefined ? null : (JSON.parse(Buffer.from(value).toString()) as Saved);
      this.#saved = saved ?? { placeholders: [], fullUntil: 0 };
    } finally {
      this.#loading = null;
    }
  }
}
