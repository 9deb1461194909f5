/** Removes files whose message or device is gone: first the file, then its row, so that no file is orphaned. */
import { type KeptFiles, type KeptMediaStore, MediaStoreUnavailable } from '../../domain/messages/kept-media.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';

export interface RemovalParts {
  readonly kept: Pick<KeptMediaStore, 'gone' | 'forget'>;
  readonly files: KeptFiles;
  readonly log: Logger;
  readonly isRunning: (n: number) => boolean;
}

const stepSize = 100;

export class MediaRemoval {
  readonly #parts: RemovalParts;
  #step: Promise<void> | null = null;

  constructor(parts: RemovalParts) {
    this.#parts = parts;
  }

  get settled(): Promise<void> {
    return this.#step ?? Promise.resolve();
  }

  run(): void {
    const { log } = this.#parts;
    this.#step ??= this.#all()
      .catch((error: unknown) => {
        const text = 'could not remove the files of deleted media';
        if (error instanceof MediaStoreUnavailable) log.warn({ reason: error.message }, text);
        else log.error({ reason: messageOf(error) }, text);
      })
      .finally(() => {
        this.#step = null;
      });
  }

  async #all(): Promise<void> {
    const { kept, files, isRunning } = this.#parts;
    for (;;) {
      const rows = await kept.gone(stepSize);
      const free = rows.filter(({ n }) => !isRunning(n));
      for (const row of free) await files.remove(row);
      await kept.forget(free.map(({ n }) => n));
      if (rows.length < stepSize || free.length === 0) return;
    }
  }
}
