/**
 * Sends messages in the background, those to one chat in order. Large files are uploaded first, one at a time, and join the order
 * afterwards. Each message keeps one `Idempotency-Key` for all its requests, so that a retry after a lost response never sends it twice.
 */
import { texts } from '../base/texts.ts';
import { ApiError, bodyOfUpload, type Client, prefix, type UploadAnswer, messageOf } from '../api/client.ts';
import { pause } from '../api/pause.ts';
import { addressOf, type Entry, fileKeysOf, isExpired, needsUpload, type NewEntry, partKey } from './entry.ts';
import { isOpen, post } from './post.ts';
import { dropFile, dropOldFiles, storedEntries, storedFile, storeEntries, storeFile } from './storage.ts';

const sent = (
  request: XMLHttpRequest,
  file: File,
  tell: (part: number) => void,
  signal: AbortSignal,
): Promise<UploadAnswer> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = (): void => request.abort();
    signal.addEventListener('abort', stop, { once: true });
    request.upload.addEventListener('progress', ({ loaded }) => tell(file.size === 0 ? 1 : loaded / file.size));
    request.addEventListener('load', () =>
      resolve({
        status: request.status,
        text: request.responseText,
        reason: request.getResponseHeader('handset-reason'),
      }),
    );
    request.addEventListener('error', () => reject(new ApiError(0, texts.errors.unreachable)));
    request.addEventListener('abort', () => reject(new ApiError(0, texts.errors.unreachable)));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', stop));
    request.send(file);
  });

/** The ID of the uploaded file. `tell` gets the uploaded part, from 0 to 1. Throws ApiError. */
const uploadFile = async (
  client: Client,
  deviceId: number,
  file: File,
  tell: (part: number) => void,
  signal: AbortSignal,
): Promise<string> => {
  const request = new XMLHttpRequest();
  request.open('POST', `${prefix}/v1/devices/${deviceId}/files`);
  for (const [name, value] of Object.entries(client.credentials)) request.setRequestHeader(name, value);
  request.setRequestHeader('content-type', 'application/octet-stream');
  const answer = bodyOfUpload(await sent(request, file, tell, signal));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service validates its responses against the published schemas
  return (answer as { file: { id: string } }).file.id;
};

const aboutFile = ({ name, type, size }: File) => ({ name, type, bytes: size });

/** Waits before automatic retries. */
const retriesMs = [1000, 4000, 10_000] as const;

export class Outbox {
  readonly #client: Client;
  readonly #closed = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #files = new Map<string, File>();
  /** The last task of each chat. */
  readonly #lines = new Map<string, Promise<void>>();
  /** The last upload task. */
  #uploads: Promise<void> = Promise.resolve();
  readonly #cancels = new Map<string, AbortController>();
  #entries: readonly Entry[] = [];
  #isAway = false;
  /** Resolves when the service is back. */
  #back = Promise.withResolvers<void>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Continues what a reload of the page interrupted. */
  resume(): void {
    void dropOldFiles();
    this.#set(storedEntries());
    for (const { key, state } of this.#entries) {
      if (state === 'uploading' || state === 'waiting' || state === 'sending') this.retry(key);
    }
  }

  /** Whether the service can be reached. What has had no answer is tried again when it is back. */
  reach(isThere: boolean): void {
    const wasAway = this.#isAway;
    this.#isAway = !isThere;
    if (!wasAway || !isThere) return;
    this.#back.resolve();
    this.#back = Promise.withResolvers();
    for (const { key, state } of this.#entries) if (state === 'unanswered') this.retry(key);
  }

  close(): void {
    this.#closed.abort();
  }

  readonly entries = (): readonly Entry[] => this.#entries;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The file of a message, unless it was composed before the page was loaded. */
  fileOf(key: string): File | undefined {
    return this.#files.get(key);
  }

  /** `files`: those of an album. */
  add(given: NewEntry, file: File | null = null, files: readonly File[] = []): void {
    const key = `dashboard-${randomId()}`;
    const about = file === null ? null : aboutFile(file);
    const entry: Entry = {
      ...given,
      key,
      at: new Date().toISOString(),
      file: about,
      ...(files.length > 0 && { files: files.map(aboutFile) }),
      state: 'waiting',
      error: null,
      messageId: null,
    };
    if (file !== null) this.#store(key, file);
    files.forEach((each, index) => this.#store(partKey(key, index), each));
    this.#set([...this.#entries, entry]);
    this.#begin(entry);
  }

  /** Retries under the same key. */
  retry(key: string): void {
    const entry = this.#entries.find((one) => one.key === key);
    if (entry === undefined) return;
    if (isExpired(entry)) return this.#change(key, { state: 'failed', error: texts.outbox.expired });
    this.#change(key, { state: 'waiting', error: null });
    this.#begin(entry);
  }

  /** Removes the message, which may have been sent, and cancels its upload. */
  drop(key: string): void {
    this.#cancels.get(key)?.abort();
    this.#forget(key);
    this.#set(this.#entries.filter((entry) => entry.key !== key));
  }

  #store(key: string, file: File): void {
    this.#files.set(key, file);
    void storeFile(key, file);
  }

  #forget(key: string): void {
    const entry = this.#entries.find((one) => one.key === key);
    for (const stored of entry === undefined ? [key] : fileKeysOf(entry)) {
      this.#files.delete(stored);
      void dropFile(stored);
    }
  }

  #set(entries: readonly Entry[]): void {
    this.#entries = entries;
    storeEntries(entries);
    for (const listener of this.#listeners) listener();
  }

  #change(key: string, change: Partial<Entry>): void {
    this.#set(this.#entries.map((entry) => (entry.key === key ? { ...entry, ...change } : entry)));
  }

  #fail(key: string, error: unknown): void {
    const field = error instanceof ApiError ? error.field : null;
    this.#change(key, { state: 'failed', error: messageOf(error), field });
  }

  #begin(entry: Entry): void {
    if (!needsUpload(entry)) return this.#queue(entry);
    this.#change(entry.key, { state: 'uploading', percent: 0 });
    this.#uploads = this.#uploads.then(() => this.#upload(entry.key));
  }

  async #upload(key: string): Promise<void> {
    const entry = this.#entries.find((one) => one.key === key);
    if (entry?.state !== 'uploading') return;
    const names = fileKeysOf(entry);
    const cancel = new AbortController();
    this.#cancels.set(key, cancel);
    try {
      const signal = AbortSignal.any([cancel.signal, this.#closed.signal]);
      const ids: string[] = [];
      for (const name of names) {
        const file = this.#files.get(name) ?? (await storedFile(name));
        if (file === undefined) return this.#change(key, { state: 'failed', error: texts.outbox.fileLost });
        const tell = (part: number): void => {
          const percent = Math.floor(((ids.length + part) * 100) / names.length);
          if (this.#entries.find((one) => one.key === key)?.percent !== percent) this.#change(key, { percent });
        };
        ids.push(await uploadFile(this.#client, entry.deviceId, file, tell, signal));
      }
      this.#change(key, { state: 'waiting', ...(entry.files === undefined ? { fileId: ids[0]! } : { fileIds: ids }) });
      this.#queue(entry);
    } catch (error) {
      // The next page continues. A cancelled message is already removed.
      if (this.#closed.signal.aborted || cancel.signal.aborted) return;
      this.#fail(key, error);
    } finally {
      this.#cancels.delete(key);
    }
  }

  /** The file of a message, also of one that was composed before the page was loaded. */
  async file({ key }: Entry): Promise<File | undefined> {
    return this.#files.get(key) ?? storedFile(key);
  }

  #queue({ key, deviceId, recipient }: Entry): void {
    const line = `${deviceId} ${addressOf(recipient)}`;
    const before = this.#lines.get(line) ?? Promise.resolve();
    this.#lines.set(
      line,
      before.then(() => this.#send(key)),
    );
  }

  async #send(key: string): Promise<void> {
    const entry = this.#entries.find((one) => one.key === key);
    if (entry?.state !== 'waiting') return;
    this.#change(key, { state: 'sending' });
    const isUploaded = (entry.fileId ?? null) !== null;
    const file = entry.file === null || isUploaded ? undefined : await this.file(entry);
    if (entry.file !== null && !isUploaded && file === undefined) {
      return this.#change(key, { state: 'failed', error: texts.outbox.fileLost });
    }
    for (let tries = 0; ; tries += 1) {
      try {
        const messageId = await post(this.#client, entry, file, this.#closed.signal);
        this.#forget(key);
        return this.#change(key, { state: 'sent', error: null, messageId });
      } catch (error) {
        // The next page continues.
        if (this.#closed.signal.aborted) return;
        // The upload has expired or the service was restarted, so a retry uploads it again.
        const isGone = error instanceof ApiError && error.reason === 'file_unknown';
        if (isGone) this.#change(key, { fileId: null, fileIds: [] });
        if (!isOpen(error)) return this.#fail(key, error);
        const waitMs = retriesMs[tries];
        if (waitMs !== undefined) {
          this.#change(key, { error: texts.outbox.again });
          await pause(waitMs, this.#closed.signal);
        } else if (this.#isAway) {
          this.#change(key, { state: 'waiting', error: texts.outbox.away });
          await this.#back.promise;
          return this.#send(key);
        } else return this.#change(key, { state: 'unanswered', error: texts.outbox.unanswered });
      }
    }
  }
}

/** `crypto.randomUUID` exists only on https and localhost. */
export const randomId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
