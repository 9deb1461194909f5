/** The media host's files on disk: encrypted blobs, named by their hash, and profile pictures. */
import { createHash, randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { release } from './release.ts';
import { temporaryFolder } from './temporary-folder.ts';

const previewPixels = 96;

/** Download path of a picture, without the host. */
const picturePath = (token: string): string => `/v/t61.24694-24/${token}.jpg?oh=sandbox`;

export const pictureTokenOf = (path: string): string | null =>
  /^\/v\/t61\.24694-24\/([A-Za-z0-9_-]{43})\.jpg(?:\?|$)/.exec(path)?.[1] ?? null;

/** Unencrypted, with a preview. Null if the bytes are no JPEG. */
export const keepPicture = async (
  blobs: Blobs,
  bytes: Uint8Array,
): Promise<{ readonly image: string; readonly preview: string } | null> => {
  const { format } = await sharp(bytes)
    .metadata()
    .catch(() => ({ format: null }));
  if (format !== 'jpeg') return null;
  const keep = async (file: Uint8Array): Promise<string> => {
    const token = createHash('sha256').update(file).digest('base64url');
    await blobs.put(token, file);
    return picturePath(token);
  };
  const preview = await sharp(bytes).resize(previewPixels, previewPixels).jpeg().toBuffer();
  return { image: await keep(bytes), preview: await keep(preview) };
};

/** Beyond this many bytes the oldest files are removed. */
const defaultCapacity = 1024 * 1024 * 1024;

export class HashMismatch extends Error {}
export class TooLarge extends Error {}
/** The upload does not continue where the stored part ends. */
export class WrongOffset extends Error {}

/** Maximum number of interrupted uploads kept for resumption. */
const maxPartial = 32;

interface Partial {
  readonly path: string;
  readonly bytes: number;
}

const pieceBytes = 65_536;

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

export interface BlobOptions {
  /** Null: a temporary directory, which `close` removes. */
  readonly directory: string | null;
  readonly capacity?: number;
}

export class Blobs {
  readonly #directory: string;
  readonly #temporary: boolean;
  readonly #capacity: number;
  readonly #sizes = new Map<string, number>();
  /** Uploads of a file after it expired, by token. */
  readonly #uploads = new Map<string, number>();
  readonly #partial = new Map<string, Partial>();
  #total = 0;

  private constructor(directory: string, temporary: boolean, capacity: number) {
    this.#directory = directory;
    this.#temporary = temporary;
    this.#capacity = capacity;
  }

  static async open(options: BlobOptions): Promise<Blobs> {
    const directory = options.directory ?? (await temporaryFolder());
    await mkdir(directory, { recursive: true });
    const blobs = new Blobs(directory, options.directory === null, options.capacity ?? defaultCapacity);
    await blobs.#index();
    return blobs;
  }

  size(token: string): number | null {
    return this.#sizes.get(token) ?? null;
  }

  /** Invalidates the file's existing paths until this process ends. */
  expire(token: string): void {
    this.#uploads.set(token, this.uploadOf(token) + 1);
  }

  uploadOf(token: string): number {
    return this.#uploads.get(token) ?? 0;
  }

  partial(token: string): number {
    return this.#partial.get(token)?.bytes ?? 0;
  }

  /** Stores an upload once its SHA-256 matches its token. `offset` continues an interrupted one. If it breaks off, its bytes are kept. */
  async receive(token: string, source: AsyncIterable<Uint8Array>, limit: number, offset = 0): Promise<number> {
    if (!tokenPattern.test(token)) throw new HashMismatch('the token is not a URL-safe base64 SHA-256');
    const before = this.#partial.get(token);
    if (offset > 0 && before?.bytes !== offset) throw new WrongOffset(`there are ${before?.bytes ?? 0} bytes of it`);
    const path = before !== undefined && offset > 0 ? before.path : this.#newPath();
    this.#partial.delete(token);
    if (before !== undefined && before.path !== path) await rm(before.path, { force: true });
    let bytes = offset;
    const hash = createHash('sha256');
    try {
      const stored: AsyncIterable<Buffer> | [] = offset > 0 ? createReadStream(path) : [];
      for await (const chunk of stored) hash.update(chunk);
      await using file = await open(path, 'a');
      for await (const chunk of source) {
        bytes += chunk.length;
        if (bytes > limit) throw new TooLarge(`the upload is larger than ${limit} bytes`);
        hash.update(chunk);
        await file.appendFile(chunk);
        release(chunk);
      }
    } catch (error) {
      if (error instanceof TooLarge) await rm(path, { force: true });
      else await this.#keepPartial(token, { path, bytes });
      throw error;
    }
    if (hash.digest('base64url') !== token) {
      await rm(path, { force: true });
      throw new HashMismatch('the SHA-256 of the upload is not its token');
    }
    await this.#keep(token, bytes, path);
    return bytes;
  }

  async put(token: string, body: Uint8Array): Promise<void> {
    const part = this.#newPath();
    await writeFile(part, body);
    await this.#keep(token, body.length, part);
  }

  stream(token: string, start: number, end: number): ReadStream {
    return createReadStream(this.#path(token), { start, end });
  }

  /** Each piece is overwritten by the next. */
  async *pieces(token: string): AsyncGenerator<Buffer> {
    await using file = await open(this.#path(token));
    const piece = Buffer.allocUnsafeSlow(pieceBytes);
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  }

  async close(): Promise<void> {
    if (this.#temporary) await rm(this.#directory, { recursive: true, force: true });
  }

  #path(token: string): string {
    return join(this.#directory, `${token}.enc`);
  }

  #newPath(): string {
    return join(this.#directory, `${randomUUID()}.part`);
  }

  async #keepPartial(token: string, partial: Partial): Promise<void> {
    this.#partial.set(token, partial);
    const [oldest] = this.#partial.keys();
    if (this.#partial.size <= maxPartial || oldest === undefined) return;
    await rm(this.#partial.get(oldest)!.path, { force: true });
    this.#partial.delete(oldest);
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
