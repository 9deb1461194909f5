/** Files uploaded ahead of sends (docs/spec/messages.md, Uploads), encrypted in unlinked files: keys are in memory only, on the device's node. */
import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from '../../domain/clock.ts';
import { asFileName } from '../../domain/messages/file-names.ts';
import type { EncipheredFile, RandomAccessBytes } from '../../domain/messages/files.ts';
import type { Network } from '../../domain/network.ts';
import { deviceNotFound, HandsetError, invalidRequest } from '../../errors.ts';
import { diskFull, isDiskFull } from '../sending/disk-full.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import type { RequestDeadline } from '../time/deadline.ts';
import { ConcurrencyLimit } from '../users/admission.ts';

const hourMs = 3_600_000;
const idBytes = 16;
const maxFiles = { perUser: 64, total: 2_048 };
const largestFilesPerUser = 5;
/** Uploads under way: slow ones take long, and hold a few pieces of memory each. */
const limits = { perUser: 4, total: 64, reserved: 48, queued: 64 };

export interface GivenFile {
  readonly fileName: string | null;
  readonly mimetype: string | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface UploadedFile {
  readonly plain: RandomAccessBytes;
  readonly fileName: string | null;
  readonly mimetype: string;
}

export interface Upload {
  readonly id: string;
  readonly bytes: number;
  readonly mimetype: string;
  readonly expiresAt: number;
}

export interface UploadRequest {
  readonly scope: DeviceScope;
  readonly deadline: RequestDeadline;
  readonly announced: number;
}

interface Kept extends Upload, UploadedFile {
  readonly userId: number;
  readonly deviceId: number;
  readonly file: EncipheredFile;
  readonly timer: Timer;
  readers: number;
  isRemoved: boolean;
}

interface Use {
  bytes: number;
  files: number;
}

export interface UploadsParts {
  readonly network: Pick<Network, 'encipher' | 'prepareFile'>;
  readonly clock: Clock;
  readonly options: { readonly maxMediaBytes: number };
}

const unknown = (): HandsetError =>
  invalidRequest(
    'fileId is not known: an uploaded file is kept for an hour, for the device and the user of its upload, and not beyond a restart of the service; upload it again',
    'file_unknown',
  );

const tooLarge = (): HandsetError => new HandsetError('PayloadTooLarge', 'Request payload too large');

export class Uploads {
  readonly #parts: UploadsParts;
  readonly #kept = new Map<string, Kept>();
  readonly #uses = new Map<number, Use>();
  readonly #running = new Set<UploadRequest>();
  readonly #limit = new ConcurrencyLimit(limits);

  constructor(parts: UploadsParts) {
    this.#parts = parts;
  }

  get maxBytes(): number {
    return this.#parts.options.maxMediaBytes;
  }

  /** Keeps a file for an hour; calls `open` once its body may come. Throws InvalidRequest, PayloadTooLarge, RateLimited, Unavailable (disk full). */
  async add(request: UploadRequest, open: () => Promise<GivenFile>): Promise<Upload> {
    const { deadline, announced } = request;
    const { userId } = request.scope;
    if (announced > this.maxBytes) throw tooLarge();
    this.#checkRoom(userId, announced, 1);
    const use = this.#useOf(userId);
    use.files += 1;
    this.#running.add(request);
    let release: (() => void) | null = null;
    let counted = 0;
    const count = (bytes: number): void => {
      use.bytes += bytes;
      counted += bytes;
    };
    try {
      release = await this.#limit.acquire(userId, deadline);
      return await this.#keep(request, await open(), count);
    } catch (error) {
      use.files -= 1;
      use.bytes -= counted;
      this.#forgetUse(userId);
      throw isDiskFull(error) ? diskFull(error) : error;
    } finally {
      this.#running.delete(request);
      release?.();
    }
  }

  /** Throws InvalidRequest for an unknown file, or another user's. */
  async use(scope: DeviceScope, id: string, use: (file: UploadedFile) => Promise<void>): Promise<void> {
    const kept = this.#kept.get(id);
    if (kept?.userId !== scope.userId || kept.deviceId !== scope.id) throw unknown();
    kept.readers += 1;
    try {
      await use(kept);
    } finally {
      kept.readers -= 1;
      this.#closeUnread(kept);
    }
  }

  forgetDevice(deviceId: number): void {
    for (const request of this.#running) if (request.scope.id === deviceId) this.#running.delete(request);
    for (const kept of this.#kept.values()) if (kept.deviceId === deviceId) this.#remove(kept);
  }

  stop(): void {
    for (const kept of this.#kept.values()) this.#remove(kept);
  }

  async #keep(request: UploadRequest, given: GivenFile, count: (bytes: number) => void): Promise<Upload> {
    const { deadline } = request;
    const { userId, id: deviceId } = request.scope;
    const { network, clock } = this.#parts;
    const file = await network.encipher(this.#counted(userId, given.bytes, count), 'document');
    try {
      if (file.plain.size === 0) throw invalidRequest('The file is empty: the body has no bytes');
      const fileName = given.fileName === null ? null : asFileName(given.fileName);
      const download = { fileName, mimetype: given.mimetype };
      const fileRequest = { kind: 'document', fileName: null, mimetype: null, download } as const;
      const content = await network.prepareFile(file, fileRequest, null, { userId, signal: deadline.signal });
      const mimetype = content.kind === 'document' ? content.document.mimetype : 'application/octet-stream';
      const id = `file_${randomBytes(idBytes).toString('base64url')}`;
      // The uploader has gone.
      if (deadline.passed !== null) throw deadline.passed;
      if (!this.#running.has(request)) throw deviceNotFound();
      const kept: Kept = {
        id,
        userId,
        deviceId,
        file,
        plain: file.plain,
        fileName,
        mimetype,
        bytes: file.plain.size,
        expiresAt: clock.now() + hourMs,
        timer: clock.after(hourMs, () => this.#remove(kept)),
        readers: 0,
        isRemoved: false,
      };
      this.#kept.set(id, kept);
      return kept;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async *#counted(
    userId: number,
    bytes: AsyncIterable<Uint8Array>,
    count: (bytes: number) => void,
  ): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const piece of bytes) {
      size += piece.length;
      if (size > this.maxBytes) throw tooLarge();
      this.#checkRoom(userId, piece.length, 0);
      count(piece.length);
      yield piece;
    }
  }

  #useOf(userId: number): Use {
    const use = this.#uses.get(userId) ?? { bytes: 0, files: 0 };
    this.#uses.set(userId, use);
    return use;
  }

  #forgetUse(userId: number): void {
    if (this.#uses.get(userId)?.files === 0) this.#uses.delete(userId);
  }

  #checkRoom(userId: number, bytes: number, files: number): void {
    const use = this.#uses.get(userId) ?? { bytes: 0, files: 0 };
    const budget = largestFilesPerUser * this.maxBytes;
    const isFull = use.files + files > maxFiles.perUser || this.#kept.size + files > maxFiles.total;
    if (!isFull && use.bytes + bytes <= budget) return;
    const now = this.#parts.clock.now();
    const theirs = [...this.#kept.values()].filter((kept) => kept.userId === userId);
    const soonest = Math.min(now + hourMs, ...theirs.map(({ expiresAt }) => expiresAt));
    throw new HandsetError(
      'RateLimited',
      `Upload limit reached: up to ${maxFiles.perUser} files of ${Math.floor(budget / 1_048_576).toLocaleString('en-US')} MB in total are kept for a user, each for an hour`,
      { retryAfterSeconds: Math.max(1, Math.ceil((soonest - now) / 1000)), reason: 'upload_budget_exceeded' },
    );
  }

  #remove(kept: Kept): void {
    if (kept.isRemoved) return;
    kept.isRemoved = true;
    kept.timer.cancel();
    this.#kept.delete(kept.id);
    const use = this.#useOf(kept.userId);
    use.files -= 1;
    use.bytes -= kept.bytes;
    this.#forgetUse(kept.userId);
    this.#closeUnread(kept);
  }

  #closeUnread(kept: Kept): void {
    if (kept.isRemoved && kept.readers === 0) void kept.file.close().catch(() => undefined);
  }
}
