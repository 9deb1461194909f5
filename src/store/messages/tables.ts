/** Tables of what stands beside messages, as Kysely sees them. */
import type { FilePieces } from '../../domain/messages/kept-media.ts';
import type { SealedJson } from '../sealing/sealer.ts';

export type KeptState = 'waiting' | 'kept' | 'failed' | 'gone';

export interface KeptMediaTable {
  message_n: number;
  device_id: number;
  state: KeptState;
  /** 1: from the history, which is fetched last. */
  historic: number;
  due_at: number;
  attempts: number;
  file: string;
  /** Length of the decrypted file. */
  bytes: number | null;
  /** Null until the file is kept. */
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
  done: number;
  created_at: number;
  /** The answer, where it is more than the id of a message. */
  answer: SealedJson<unknown> | null;
}
