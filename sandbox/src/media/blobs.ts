/** The media host's files on disk: encrypted blobs, named by their hash. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, type ReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The oldest go when there are more bytes than this. */
const defaultCapacity = 1024 * 1024 * 1024;

export class HashMismatch extends Error {}
export class TooLarge extends Error {}

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

export interface BlobOptions {
  /** A directory of its own that stays; without one a temporary directory that goes with `close`. */
  readonly directory: string | null;
  readonly capacity?: number;
}

export class Blobs {
  readonly #directory: string;
  readonly #temporary: boolean;
  readonly #capacity: number;
  /** Bytes by token, oldest first. */
  readonly #sizes = new Map<string, number>();
  /** How often a file was uploaded again after it had expired. */
  readonly #uploads = new Map<string, number>();
  #total = 0;

  private constructor(directory: string, temporary: boolean, capacity: number) {
    this.#directory = directory;
    this.#temporary = temporary;
    this.#capacity = capacity;
  }

  static async open(options: BlobOptions): Promise<Blobs> {
    const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'sandbox-media-')));
    await mkdir(directory, { recursive: true });
    const blobs = new Blobs(directory, options.directory === null, options.capacity ?? defaultCapacity);
    await blobs.#index();
    return blobs;
  }

  /** Bytes of a blob, or null when it is not there. */
  size(token: string): number | null {
    return this.#sizes.get(token) ?? null;
  }

  /** Paths from before do not lead to it any more, until this process ends. */
  expire(token: string): void {
    this.#uploads.set(token, this.uploadOf(token) + 1);
  }

  /** The number of the upload that paths lead to now. */
  uploadOf(token: string): number {
    return this.#uploads.get(token) ?? 0;
  }

  /** Takes an upload as it streams in; it exists only once its SHA-256 has been found to be its token. */
  async receive(token: string, source: Readable, limit: number): Promise<number> {
    if (!tokenPattern.test(token)) throw new HashMismatch('the token is not a URL-safe base64 SHA-256');
    const hash = createHash('sha256');
    let bytes = 0;
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        if (bytes > limit) return done(new TooLarge(`the upload is larger than ${limit} bytes`));
        hash.update(chunk);
        done(null, chunk);
      },
    });
    const part = join(this.#directory, `${randomUUID()}.part`);
    try {
      await pipeline(source, meter, createWriteStream(part));
      if (hash.digest('base64url') !== token) throw new HashMismatch('the SHA-256 of the upload is not its token');
      await this.#keep(token, bytes, part);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
    return bytes;
  }

  /** Stores what a phone of the sandbox encrypted itself. */
  async put(token: string, body: Uint8Array): Promise<void> {
    const part = join(this.#directory, `${randomUUID()}.part`);
    await writeFile(part, body);
    await this.#keep(token, body.length, part);
  }

  read(token: string): Promise<Buffer> {
    if (!this.#sizes.has(token)) return Promise.reject(new Error('there is no such file on the media host'));
    return readFile(this.#path(token));
  }

  /** `end` is inclusive. */
  stream(token: string, start: number, end: number): ReadStream {
    return createReadStream(this.#path(token), { start, end });
  }

  async close(): Promise<void> {
    if (this.#temporary) await rm(this.#directory, { recursive: true, force: true });
  }

  #path(token: string): string {
    return join(this.#directory, `${token}.enc`);
  }

  async #keep(token: string, bytes: number, part: string): Promise<void> {
    await rename(part, this.#path(token));
    this.#forget(token);
    this.#sizes.set(token, bytes);
    this.#total += bytes;
    for (const oldest of this.#sizes.keys()) {
      if (this.#total <= this.#capacity || oldest === token) break;
      this.#forget(oldest);
      await rm(this.#path(oldest), { force: true });
    }
  }

  #forget(token: string): void {
    this.#total -= this.#sizes.get(token) ?? 0;
    this.#sizes.delete(token);
  }

  async #index(): Promise<void> {
    for (const name of await readdir(this.#directory)) {
      if (name.endsWith('.part')) await rm(join(this.#directory, name), { force: true });
      if (!name.endsWith('.enc')) continue;
      const { size } = await stat(join(this.#directory, name));
      this.#sizes.set(name.slice(0, -'.enc'.length), size);
      this.#total += size;
    }
  }
}
