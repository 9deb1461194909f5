/** Kinds of app state entries, and a reader of those about messages. */
import { proto } from 'baileys';

/** The star of a message; `starred` null: deleted on this account. */
export interface Mark {
  readonly chat: string;
  readonly id: string;
  readonly starred: boolean | null;
}

/** A chat that was cleared or deleted, up to `until`. */
export interface Clearing {
  /** Unique to each clearing. */
  readonly name: string;
  readonly chat: string;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
  readonly keepsStarred: boolean;
}

export const kinds = {
  setting_pushName: { collection: 'critical_block', version: 1 },
  contact: { collection: 'critical_unblock_low', version: 2 },
  lid_contact: { collection: 'critical_unblock_low', version: 1 },
  mute: { collection: 'regular_high', version: 2 },
  archive: { collection: 'regular_low', version: 3 },
  pin_v1: { collection: 'regular_low', version: 5 },
  markChatAsRead: { collection: 'regular_low', version: 3 },
  star: { collection: 'regular_high', version: 2 },
  deleteMessageForMe: { collection: 'regular_high', version: 3 },
  clearChat: { collection: 'regular_high', version: 6 },
  deleteChat: { collection: 'regular_high', version: 6 },
  status_privacy: { collection: 'regular_high', version: 7 },
  nct_salt_sync: { collection: 'regular_high', version: 1 },
  label_edit: { collection: 'regular', version: 3 },
  label_jid: { collection: 'regular', version: 3 },
  label_message: { collection: 'regular', version: 3 },
} as const;

export const collections = [
  'critical_block',
  'critical_unblock_low',
  'regular_high',
  'regular_low',
  'regular',
] as const;

/** `index`: as JSON. None for an entry of another kind. */
export const markIn = (index: string, value: Uint8Array): readonly Mark[] => {
  const [type, chat = '', id = '']: string[] = JSON.parse(index);
  if (type !== 'star' && type !== 'deleteMessageForMe') return [];
  const starred = type === 'star' ? proto.SyncActionValue.decode(value).starAction?.starred === true : null;
  return [{ chat, id, starred }];
};

export const clearingIn = (index: string, value: Uint8Array): readonly Clearing[] => {
  const [type, chat = '', deletesStarred]: string[] = JSON.parse(index);
  if (type !== 'clearChat' && type !== 'deleteChat') return [];
  const { clearChatAction, deleteChatAction, timestamp } = proto.SyncActionValue.decode(value);
  const last = Number((clearChatAction ?? deleteChatAction)?.messageRange?.lastMessageTimestamp ?? 0);
  const until = last > 0 ? last * 1_000 + 999 : Number(timestamp ?? 0);
  const name = `${index} ${String(timestamp)}`;
  return [{ name, chat, until, keepsStarred: type === 'clearChat' && deletesStarred === '0' }];
};
