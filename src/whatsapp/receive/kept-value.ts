/** A small JSON value that is kept with the session: read once, and written in the commit of the change that it is about. */
import type { KeyChange } from '../../domain/changes.ts';
import type { SessionStore } from '../login/session-store.ts';

export interface KeptValueOptions {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'readKeys'>;
}

const keyId = 'all';

export class KeptValue<T> {
  readonly #options: KeptValueOptions;
  readonly #keyType: string;
  #value: T;
  #loading: Promise<void> | null = null;

  constructor(options: KeptValueOptions, keyType: string, initial: T) {
    this.#options = options;
    this.#keyType = keyType;
    this.#value = initial;
  }

  /** Must be awaited before the other methods are called. */
  load(): Promise<void> {
    this.#loading ??= this.#read().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  get value(): T {
    return this.#value;
  }

  /** The change that stores the value; `isEmpty` deletes it from the store. */
  write(value: T, isEmpty = false): KeyChange {
    this.#value = value;
    return { type: this.#keyType, id: keyId, value: isEmpty ? null : Buffer.from(JSON.stringify(value)) };
  }

  async #read(): Promise<void> {
    const { deviceId, store } = this.#options;
    const stored = (await store.readKeys(deviceId, this.#keyType, [keyId])).get(keyId);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `write` alone, and encrypted at rest
    if (stored !== undefined) this.#value = JSON.parse(Buffer.from(stored).toString()) as T;
  }
}
