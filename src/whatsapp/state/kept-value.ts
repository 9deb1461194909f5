/** A small JSON value stored with the session: read once, and written in the commit of the change it belongs to. */
import type { KeyChange } from '../../domain/changes.ts';
import type { SessionStore } from './session-store.ts';

export interface KeptValueOptions {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'readKeys'>;
}

const keyId = 'all';

export class KeptValue<T> {
  readonly #options: KeptValueOptions;
  readonly #keyType: string;
  value: T;
  isEmpty = true;
  #loading: Promise<void> | null = null;

  constructor(options: KeptValueOptions, keyType: string, initial: T) {
    this.#options = options;
    this.#keyType = keyType;
    this.value = initial;
  }

  load(): Promise<void> {
    this.#loading ??= this.#read().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  write(value: T, isEmpty = false): KeyChange {
    this.value = value;
    this.isEmpty = isEmpty;
    return { type: this.#keyType, id: keyId, value: isEmpty ? null : Buffer.from(JSON.stringify(value)) };
  }

  async #read(): Promise<void> {
    const { deviceId, store } = this.#options;
    const stored = (await store.readKeys(deviceId, this.#keyType, [keyId])).get(keyId);
    if (stored === undefined) return;
    this.isEmpty = false;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `write` alone, and encrypted at rest
    this.value = JSON.parse(Buffer.from(stored).toString()) as T;
  }
}
