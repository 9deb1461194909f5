/** Media of received messages that is kept beside the database: what is kept, for whom, and the ports to rows and files. */
import { HandsetError } from '../../errors.ts';
import type { Jid } from '../jid.ts';
import type { MessageRecord } from '../message.ts';

/** Whether the media of a message that has come is kept. What is being sent is its sender's; what is to be viewed once is nobody's to keep. */
export const isKeepable = ({ media, content, state, viewOnce, deletedAt }: MessageRecord): boolean =>
  media !== null && content !== null && state !== 'pending' && viewOnce !== true && deletedAt === null;

/** A file of a device, encrypted as the network had it. */
export interface KeptName {
  readonly deviceId: number;
  readonly file: string;
}

/** Length of a piece of an encrypted file; the last may be shorter. */
export const pieceBytes = 65_536;

/** An encrypted file by its pieces. The store seals this, so that nobody who can write to the files can forge it. */
export interface FilePieces {
  /** Length of the encrypted file. */
  readonly length: number;
  /** SHA-256 in base64, of each piece. */
  readonly hashes: readonly string[];
}

export interface KeptMedia extends KeptName {
  readonly n: number;
  /** Bytes of the decrypted file. */
  readonly bytes: number;
  readonly pieces: FilePieces;
}

/** Media that waits to be fetched. */
export interface WaitingMedia extends KeptName {
  readonly n: number;
  /** False: of the history, which comes after what people write now. */
  readonly live: boolean;
  readonly attempts: number;
  readonly message: MessageRecord;
}

/** Rows are made in the transaction of their message, and outlive their file. */
export interface KeptMediaStore {
  /** The next of a device that is due: live messages first, then in the order in which they came. */
  next(deviceId: number, now: number, except: readonly number[]): Promise<WaitingMedia | null>;
  /** Devices with media that is due. */
  due(now: number): Promise<readonly number[]>;
  /** False when it does not wait any more: kept by another node, or its message is gone or has another file. */
  markKept(item: Pick<WaitingMedia, 'n' | 'file'>, bytes: number, pieces: FilePieces): Promise<boolean>;
  /** Puts it off; `attempts`: those that have failed. */
  postpone(n: number, dueAt: number, attempts: number): Promise<void>;
  /** Nobody has the file. */
  markFailed(n: number): Promise<void>;
  /** Fetched once more, because the file is not there, or has been found after all. */
  fetchAgain(n: number, now: number): Promise<void>;
  find(deviceId: number, messageId: string, chat: Jid): Promise<KeptMedia | null>;
  /** The row of a message whose media could not be fetched. */
  findFailed(deviceId: number, messageId: string, chat: Jid): Promise<number | null>;
  isKept(n: number): Promise<boolean>;
  /** Rows whose message, or device, is gone: their files are to be removed, and then they. */
  gone(limit: number): Promise<readonly (KeptName & { readonly n: number })[]>;
  forget(ns: readonly number[]): Promise<void>;
  /** Waiting and failed, each exact up to `atMost`. */
  counts(atMost: number): Promise<{ readonly waiting: number; readonly failed: number }>;
  /** Devices that keep their media, or have kept some. */
  keepers(): Promise<number>;
}

/** A file on its way; `keep` or `drop` ends it. */
export interface KeptDraft {
  write(piece: Uint8Array): Promise<void>;
  /** Resolves once the file is there for good. */
  keep(): Promise<void>;
  drop(): Promise<void>;
}

/** The files: in a folder, or in a bucket. They throw MediaStoreUnavailable in words. */
export interface KeptFiles {
  /** The place in words, for the operator. */
  readonly place: string;
  /** `expectedBytes`: room that is needed. */
  create(name: KeptName, expectedBytes: number): Promise<KeptDraft>;
  /** The bytes from `from` to `to` (exclusive). Throws MediaFileMissing. */
  read(name: KeptName, from: number, to: number): Promise<AsyncIterable<Uint8Array>>;
  /** It may be gone already. */
  remove(name: KeptName): Promise<void>;
  close(): Promise<void>;
}

/** The place of the files takes or gives nothing at the moment: full, read-only or away. */
export class MediaStoreUnavailable extends Error {}

export class MediaFileMissing extends Error {}

/** Neither the network nor the phone has given the file. */
export class MediaLost extends HandsetError {
  /** False: another try may find it. */
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

/** A fetch as the driver is to do it. */
export interface FetchWish {
  /** Gets the encrypted bytes, a piece at a time. */
  readonly write: (piece: Uint8Array) => Promise<void>;
  readonly signal: AbortSignal;
}

/** An encrypted file, of which parts are read; `bytes` is the length of the decrypted one. */
export interface EncryptedFile {
  readonly bytes: number;
  /** `to` is exclusive. */
  read(from: number, to: number): Promise<AsyncIterable<Uint8Array>>;
}
