/** Kept media of received messages: what is kept, and the ports to rows and files. */
import { HandsetError } from '../../errors.ts';
import type { Jid } from '../jid.ts';
import type { MessageRecord } from '../message.ts';

/** True if received media is kept. Sent media is the sender's own, and view-once media must not be kept. */
export const isKeepable = ({ media, content, state, viewOnce, deletedAt }: MessageRecord): boolean =>
  media !== null && content !== null && state !== 'pending' && viewOnce !== true && deletedAt === null;

/** A device's file, encrypted as on the network. */
export interface KeptName {
  readonly deviceId: number;
  readonly file: string;
}

/** Length of a piece of an encrypted file; the last may be shorter. */
export const pieceBytes = 65_536;

/** Hashes of an encrypted file's pieces. The store seals them, so that nobody with write access to the files can forge one. */
export interface FilePieces {
  readonly length: number;
  /** SHA-256 in base64, of each piece. */
  readonly hashes: readonly string[];
}

export interface KeptMedia extends KeptName {
  readonly n: number;
  /** Size of the decrypted file. */
  readonly bytes: number;
  readonly pieces: FilePieces;
}

/** Media to be downloaded. */
export interface WaitingMedia extends KeptName {
  readonly n: number;
  /** False: from history, which is downloaded after live messages. */
  readonly live: boolean;
  readonly attempts: number;
  readonly message: MessageRecord;
}

/** Rows are created in the transaction of their message, and outlive their file. */
export interface KeptMediaStore {
  /** The next due item of a device: live messages first, then in order of arrival. */
  next(deviceId: number, now: number, except: readonly number[]): Promise<WaitingMedia | null>;
  /** Devices with due media. */
  due(now: number): Promise<readonly number[]>;
  /** Returns false if it no longer waits: another node kept it, or its message is gone or has another file. */
  markKept(item: Pick<WaitingMedia, 'n' | 'file'>, bytes: number, pieces: FilePieces): Promise<boolean>;
  /** Postpones it; `attempts` is the number of failed ones. */
  postpone(n: number, dueAt: number, attempts: number): Promise<void>;
  /** Nobody has the file. */
  markFailed(n: number): Promise<void>;
  /** Downloads it again, because the file is missing or has become available. */
  fetchAgain(n: number, now: number): Promise<void>;
  find(deviceId: number, messageId: string, chat: Jid): Promise<KeptMedia | null>;
  /** The row of a message whose media could not be downloaded. */
  findFailed(deviceId: number, messageId: string, chat: Jid): Promise<number | null>;
  isKept(n: number): Promise<boolean>;
  /** Rows whose message or device is gone: first the files are removed, then the rows. */
  gone(limit: number): Promise<readonly (KeptName & { readonly n: number })[]>;
  forget(ns: readonly number[]): Promise<void>;
  /** Counts, each exact up to `atMost`. */
  counts(atMost: number): Promise<{ readonly waiting: number; readonly failed: number }>;
  /** Number of devices that keep media, or have kept some. */
  keepers(): Promise<number>;
}

/** A file being written; ended by `keep` or `drop`. */
export interface KeptDraft {
  write(piece: Uint8Array): Promise<void>;
  /** Resolves once the file is durable. */
  keep(): Promise<void>;
  drop(): Promise<void>;
}

/** The files, in a folder or a bucket. All throw MediaStoreUnavailable. */
export interface KeptFiles {
  /** Description of the place, for the operator. */
  readonly place: string;
  /** `expectedBytes`: required free space. */
  create(name: KeptName, expectedBytes: number): Promise<KeptDraft>;
  /** The bytes from `from` to `to` (exclusive). Throws MediaFileMissing. */
  read(name: KeptName, from: number, to: number): Promise<AsyncIterable<Uint8Array>>;
  /** The file may be gone already. */
  remove(name: KeptName): Promise<void>;
  close(): Promise<void>;
}

/** The media store is full, read-only or unreachable. */
export class MediaStoreUnavailable extends Error {}

export class MediaFileMissing extends Error {}

/** Neither the network nor the phone has the file. */
export class MediaLost extends HandsetError {
  /** False: a retry may find it. */
  readonly forGood: boolean;

  constructor(message: string, forGood: boolean) {
    super('NotFound', message);
    this.forGood = forGood;
  }
}

/** `to` is exclusive. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** A download by the driver. */
export interface FetchWish {
  /** Called with the encrypted bytes, a chunk at a time. */
  readonly write: (piece: Uint8Array) => Promise<void>;
  readonly signal: AbortSignal;
}

/** An encrypted file with random access; `bytes` is the length of the decrypted one. */
export interface EncryptedFile {
  readonly bytes: number;
  /** `to` is exclusive. */
  read(from: number, to: number): Promise<AsyncIterable<Uint8Array>>;
}
