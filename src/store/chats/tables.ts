/** The tables of chats and contacts as Kysely sees them. Hashes are of `Sealer.lookup`, flags 0 or 1. */
import type { LookUpKind } from '../../domain/chats/contact.ts';
import type { KeptLabel } from '../../domain/chats/label.ts';
import type { Suppression } from '../../domain/chats/suppressions.ts';
import type { Generated } from 'kysely';
import type { Name } from '../sealing/rows.ts';
import type { SealedJson } from '../sealing/sealer.ts';

interface NamedTable {
  device_id: number;
  jid_hash: string;
  lid_hash: string | null;
  data: SealedJson<Name>;
}

export interface ChatsTable extends NamedTable {
  at: Generated<number>;
  unread: Generated<number>;
  archived: Generated<number>;
  pinned_at: number | null;
  muted_until: number | null;
  name: SealedJson<string> | null;
}

export interface ContactsTable extends NamedTable {
  blocked: Generated<number>;
  saved: SealedJson<string> | null;
  push_name: SealedJson<string> | null;
  business_name: SealedJson<string> | null;
  about: SealedJson<string> | null;
  picture: SealedJson<string> | null;
}

export interface LabelsTable {
  device_id: number;
  id: string;
  data: SealedJson<Omit<KeptLabel, 'id'>>;
}

export interface LabelMarksTable {
  device_id: number;
  /** Of the address in the mark. */
  chat_hash: string;
  /** Empty: the chat itself. */
  message_id: string;
  label_id: string;
  labeled: number;
  at: number;
}

/** Look-ups per day (days since the epoch). */
export interface LookUpsTable {
  device_id: number;
  kind: LookUpKind;
  day: number;
  count: number;
}

/** Hashes are of `Sealer.lookup` with the user's id; one of them may be null. */
export interface SuppressionsTable {
  id: Generated<number>;
  user_id: number;
  number_hash: string | null;
  lid_hash: string | null;
  data: SealedJson<Omit<Suppression, 'createdAt'>>;
  created_at: number;
}

export interface NewChatsTable {
  device_id: number;
  day: number;
  jid_hash: string;
}
