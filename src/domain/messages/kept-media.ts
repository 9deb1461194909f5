/** Kept media of received messages, and the ports to rows and files. */
import { HandsetError } from '../../errors.ts';
import type { Jid } from '../jid.ts';
import type { MessageRecord } from '../message.ts';

/** Not sent media, and never view-once media. */
export const isKeepable = ({ media, content, state, viewOnce, deletedAt }: MessageRecord): boolean =>
  media !== null && content !== null && state !== 'pending' && viewOnce !== true && deletedAt === null;

export interface KeptName {
  readonly deviceId: number;
  readonly file: string;
}

export const pieceBytes = 65_536;

/** Hashes of an encrypted file's pieces, sealed, so that nobody with write access to the files can forge one. */
export interface FilePieces {
  readonly length: number;
  readonly hashes: readonly string[];
}

export interface KeptMedia extends KeptName {
  readonly n: number;
  readonly bytes: number;
  readonly pieces: FilePieces;
}

export interface WaitingMedia extends KeptName {
  readonly n: number;
  readonly live: boolean;
  readonly attempts: number;
  readonly message: MessageRecord;
}

/** Rows are created in the transaction of their message, and outlive their file. */
export interface KeptMediaStore {
  next(deviceId: number, now: number, except: readonly number[]): Promise<WaitingMedia | null>;
  due(now: number): Promise<readonly number[]>;
  /** False if it no longer waits: another node kept it, or its message is gone or has another file. */
  markKept(item: Pick<WaitingMedia, 'n' | 'file'>, bytes: number, pieces: FilePieces): Promise<boolean>;
  postpone(n: number, dueAt: number, attempts: number): Promise<void>;
  markFailed(n: number): Promise<void>;
  fetchAgain(n: number, now: number): Promise<void>;
  find(deviceId: number, messageId: string, chat: Jid): Promise<KeptMedia | null>;
  findFailed(deviceId: number, messageId: string, chat: Jid): Promise<number | null>;
  isKept(n: number): Promise<boolean>;
  gone(limit: number): Promise<readonly (KeptName & { readonly n: number })[]>;
  forget(ns: readonly number[]): Promise<void>;
  counts(atMost: number): Promise<{ readonly waiting: number; readonly failed: number }>;
  keepers(): Promise<number>;
}

export interface KeptDraft {
  write(piece: Uint8Array): Promise<void>;
  keep(): Promise<void>;
  drop(): Promise<void>;
}

/** In a folder or a bucket. All throw MediaStoreUnavailable. */
export interface KeptFiles {
  readonly place: string;
  /** `expectedBytes`: required free space. */
  create(name: KeptName, expectedBytes: number): Promise<KeptDraft>;
  /** `to` is exclusive. Throws MediaFileMissing. */
  read(name: KeptName, from: number, to: number): Promise<AsyncIterable<Uint8Array>>;
  remove(name: KeptName): Promise<void>;
  close(): Promise<void>;
}

export class MediaStoreUnavailable extends Error {}

export class MediaFileMissing extends Error {}

export class MediaLost extends HandsetError {
  /** False: a retry may find it. */
  readonly forGood: boolean;

  constructor(message: string, forGood: boolean) {
    super('NotFound', message);
    this.forGood = forGood;
  }
}

export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface FetchRequest {
  readonly write: (piece: Uint8Array) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface EncryptedFile {
  readonly bytes: number;
  read(from: number, to: number): Promise<AsyncIterable<Uint8Array>>;
}
