/** Messages reported without content, and those not decrypted yet: stored with the session, in bounded number. */
import type { proto } from '../library/proto.ts';
import type { KeyChange } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Jid } from '../../domain/jid.ts';
import { KeptValue, type KeptValueOptions } from '../state/kept-value.ts';

export interface Placeholder {
  readonly id: string;
  readonly sender: Jid;
  readonly at: number;
  readonly key: proto.IMessageKey;
  /** The stanza of one that may still be decrypted; null once reported. */
  readonly untold: Readonly<Record<string, string>> | null;
}

interface Saved {
  readonly placeholders: readonly Placeholder[];
  /** Until then placeholders may be missing from the list for lack of space. */
  readonly fullUntil: number;
}

/** How long the phone is asked again on each connection (WAHA #2267, 2026: it may sleep for days). */
const askedForMs = 3 * 86_400_000;
const perDevice = 200;
const perSender = 20;

export class PlaceholderList {
  readonly #clock: Clock;
  readonly saved: KeptValue<Saved>;

  constructor(options: KeptValueOptions & { readonly clock: Clock }) {
    this.#clock = options.clock;
    this.saved = new KeptValue<Saved>(options, 'placeholders', { placeholders: [], fullUntil: 0 });
  }

  load(): Promise<void> {
    return this.saved.load();
  }

  /** False if no message of this id was reported without content. */
  mayHave(id: string): boolean {
    const { placeholders, fullUntil } = this.saved.value;
    return fullUntil > this.#clock.now() || placeholders.some((each) => each.id === id);
  }

  get all(): readonly Placeholder[] {
    const oldest = this.#clock.now() - askedForMs;
    return this.saved.value.placeholders.filter(({ at }) => at >= oldest);
  }

  put(placeholder: Placeholder): KeyChange {
    const others = this.all.filter(({ id, sender }) => id !== placeholder.id || sender !== placeholder.sender);
    // Messages that may still be decrypted take no space from those to ask the phone for.
    const like = others.filter(
      ({ sender, untold }) => sender === placeholder.sender && (untold === null) === (placeholder.untold === null),
    );
    const hasRoom = others.length < perDevice && like.length < perSender;
    if (hasRoom) return this.#write([...others, placeholder]);
    return this.#write(others, this.#clock.now() + askedForMs);
  }

  drop(id: string): KeyChange | null {
    const others = this.all.filter((each) => each.id !== id);
    return others.length === this.all.length ? null : this.#write(others);
  }

  #write(placeholders: readonly Placeholder[], fullUntil = this.saved.value.fullUntil): KeyChange {
    const isEmpty = placeholders.length === 0 && fullUntil <= this.#clock.now();
    return this.saved.write({ placeholders, fullUntil }, isEmpty);
  }
}
