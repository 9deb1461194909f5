/** Tables of what stands beside messages, as Kysely sees them. */
import type { FilePieces } from '../../domain/messages/kept-media.ts';
import type { SealedJson } from '../sealing/sealer.ts';

export type KeptState = 'waiting' | 'kept' | 'failed' | 'gone';

export interface KeptMediaTable {
  message_n: number;
  device_id: number;
  state: KeptState;
  /** 1: of the history, which comes last. */
  historic: number;
  /** When it is to be fetched, while it waits. */
  due_at: number;
  /** Those that have failed. */
  attempts: number;
  /** Name of the file, among those of the device. */
  file: string;
  /** Length of the decrypted file, once it is kept. */
  bytes: number | null;
  /** Null until it is kept. */
  pieces: SealedJson<FilePieces> | null;
  stored_at: number;
}

export interface IdempotencyTable {
  device_id: number;
  /** `Sealer.lookup` of the key. */
  key_hash: string;
  fingerprint: string;
  message_id: string;
  run_id: string;
  /** 0 or 1. */
  done: number;
  created_at: number;
  /** The answer, where it is more than the id of a message. */
  answer: SealedJson<unknown> | null;
}
