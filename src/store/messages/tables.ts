/** Tables of what accompanies messages, as Kysely sees them. */
import type { FilePieces } from '../../domain/messages/kept-media.ts';
import type { ScheduledBody } from '../../domain/messages/scheduled.ts';
import type { Jid } from '../../domain/jid.ts';
import type { SealedJson } from '../sealing/sealer.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Person } from '../../domain/messages/parts.ts';
import type { StatusRecord } from '../../domain/messages/statuses.ts';

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
  /** Null until the file is complete. */
  pieces: SealedJson<FilePieces> | null;
  stored_at: number;
}

export interface IdempotencyTable {
  device_id: number;
  key_hash: string;
  fingerprint: string;
  message_id: string;
  run_id: string;
  done: number;
  created_at: number;
  /** Null if the answer is just a message id. */
  answer: SealedJson<unknown> | null;
}

export interface ScheduledTable {
  device_id: number;
  message_id: string;
  key_id: number | null;
  send_at: number;
  send_until: number;
  /** Next attempt; null until its file is complete. */
  due_at: number | null;
  attempts: number;
  /** 1: an attempt is under way, or its outcome is unknown. */
  leaving: number;
  file_bytes: number;
  created_at: number;
  data: SealedJson<ScheduledBody>;
}

export interface ScheduledFilesTable {
  device_id: number;
  message_id: string;
  piece: number;
  data: Uint8Array;
}

export interface CreationsTable {
  user_id: number;
  key_hash: string;
  fingerprint: string;
  answer: SealedJson<unknown>;
  created_at: number;
}

export type StatusRow = Pick<StatusRecord, 'background' | 'font'> & {
  readonly message: Omit<MessageRecord, 'content' | 'secret'>;
};

export interface ViewerRow {
  readonly person: Person;
  readonly reaction: string | null;
}

export interface StatusesTable {
  device_id: number;
  status_id: string;
  /** 1: the account's own. */
  own: number;
  at: number;
  expires_at: number;
  accepted_at: number | null;
  deleted_at: number | null;
  recipients: number | null;
  data: SealedJson<StatusRow>;
  content: Uint8Array | null;
  audience: SealedJson<readonly Jid[]> | null;
}

export interface StatusViewersTable {
  device_id: number;
  status_id: string;
  /** `Sealer.lookup` of the LID, or of the JID of a person without one. */
  person_hash: string;
  delivered_at: number | null;
  viewed_at: number | null;
  data: SealedJson<ViewerRow>;
}
