/**
 * The content of app state mutations, as far as it is kept: names of contacts, archive, pin, mute, the account's own name, the NCT salt, and
 * who is who. Indexes: whatsmeow appstate/keys.go (August 2026).
 */
import { proto } from '../../engine/proto.ts';
import type { AppStateChange, AppStateKind } from '../../../domain/app-state.ts';
import type { ChatChange } from '../../../domain/chats/chat.ts';
import { jidKind, withoutDevice } from '../../../domain/jid.ts';
import { fieldMapOf } from '../../signal/session-record.ts';
import type { CollectionName } from './collection.ts';
import type { Mutation } from './records.ts';

export interface Said {
  readonly changes: readonly AppStateChange[];
  /** Chats that were marked as read or unread. */
  readonly chats: readonly ChatChange[];
  readonly pairs: readonly { readonly lid: string; readonly pn: string }[];
  /** Absent where nothing is said of it. */
  readonly ownName?: string;
  /** Null: it was removed. */
  readonly nctSalt?: Uint8Array | null;
}

/** Kinds of entries in each collection. A snapshot of the collection replaces them all. */
export const kindsOf: Readonly<Record<CollectionName, readonly AppStateKind[]>> = {
  critical_block: [],
  critical_unblock_low: ['contact'],
  regular_high: ['mute'],
  regular_low: ['archive', 'pin'],
  regular: [],
};

const longestName = 1_000;
const longestJid = 100;
/** The network's word for a mute without an end. */
const always = -1;
/** The latest time that there is a date of, ms. */
const latest = 8.64e15;

const nameOf = (name: string | null | undefined): string | null => name?.slice(0, longestName) || null;

const isChat = (jid: string | undefined): jid is string =>
  jid !== undefined && jid.length <= longestJid && jidKind(jid) !== 'other';

type ValueOf = (value: proto.ISyncActionValue) => AppStateChange['value'];

const contactOf: ValueOf = ({ contactAction, lidContactAction }) => {
  const said = contactAction ?? lidContactAction;
  if (!said) return null;
  const lid = contactAction?.lidJid;
  return {
    name: nameOf(said.fullName ?? said.firstName),
    firstName: nameOf(said.firstName),
    lid: lid && jidKind(lid) === 'lid' && lid.length <= longestJid ? withoutDevice(lid) : null,
  };
};

const archiveOf: ValueOf = ({ archiveChatAction }) => (archiveChatAction?.archived ? { archived: true } : null);

const pinOf: ValueOf = ({ pinAction, timestamp }) => (pinAction?.pinned ? { at: Number(timestamp ?? 0) } : null);

const muteOf: ValueOf = ({ muteAction }) => {
  if (!muteAction?.muted) return null;
  const until = Number(muteAction.muteEndTimestamp ?? always);
  return { until: until === always || until === 0 || until > latest ? null : until };
};

const kinds: Readonly<Record<string, readonly [AppStateKind, ValueOf]>> = {
  contact: ['contact', contactOf],
  lid_contact: ['contact', contactOf],
  archive: ['archive', archiveOf],
  pin_v1: ['pin', pinOf],
  mute: ['mute', muteOf],
};

// SyncActionValue: 80 = the NCT salt's action (1 = the salt), which Baileys 7.0.0-rc14 does not know.
const saltOf = (value: Uint8Array): Uint8Array | null => {
  try {
    const action = fieldMapOf(value).get(80);
    const salt = action instanceof Uint8Array ? fieldMapOf(action).get(1) : undefined;
    return salt instanceof Uint8Array && salt.length > 0 ? Uint8Array.from(salt) : null;
  } catch {
    return null;
  }
};

const changeOf = (
  { index: [type = '', jid], removed }: Mutation,
  value: proto.ISyncActionValue,
): AppStateChange | null => {
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined || !isChat(jid)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each kind is read by the reader of its values
  return { kind: kind[0], jid: withoutDevice(jid), value: removed ? null : kind[1](value) } as AppStateChange;
};

/** Until when it was read; a later message is unread all the same. Removed marks say nothing. */
const markOf = (
  { index: [type, jid], removed }: Mutation,
  { markChatAsReadAction: mark, timestamp }: proto.ISyncActionValue,
): ChatChange | null => {
  if (type !== 'markChatAsRead' || removed || !mark || !isChat(jid)) return null;
  const seconds = Number(mark.messageRange?.lastMessageTimestamp ?? 0);
  const at = seconds > 0 ? seconds * 1_000 + 999 : Number(timestamp ?? 0);
  return { chat: withoutDevice(jid), unread: mark.read === true ? 0 : 'marked', ...(at > 0 && { until: at }) };
};

const pairOf = (
  { index: [type, jid = ''] }: Mutation,
  { contactAction, pnForLidChatAction }: proto.ISyncActionValue,
) => {
  if (type === 'contact' && contactAction?.lidJid) return { lid: contactAction.lidJid, pn: jid };
  if (type === 'pnForLidChat' && pnForLidChatAction?.pnJid) return { lid: jid, pn: pnForLidChatAction.pnJid };
  return null;
};

/** A value that cannot be read says nothing. */
const decoded = (value: Uint8Array): proto.ISyncActionValue => {
  try {
    return proto.SyncActionValue.decode(value);
  } catch {
    return {};
  }
};

export const saidIn = (mutations: readonly Mutation[]): Said => {
  const changes: AppStateChange[] = [];
  const chats: ChatChange[] = [];
  const pairs: { lid: string; pn: string }[] = [];
  let about: Pick<Said, 'ownName' | 'nctSalt'> = {};
  for (const mutation of mutations) {
    const [type] = mutation.index;
    if (type === 'nct_salt_sync') {
      const salt = mutation.removed ? null : saltOf(mutation.value);
      if (salt !== null || mutation.removed) about = { ...about, nctSalt: salt };
      continue;
    }
    const value = decoded(mutation.value);
    const change = changeOf(mutation, value);
    if (change !== null) changes.push(change);
    const mark = markOf(mutation, value);
    if (mark !== null) chats.push(mark);
    const pair = mutation.removed ? null : pairOf(mutation, value);
    if (pair !== null) pairs.push(pair);
    const name = mutation.removed ? null : nameOf(value.pushNameSetting?.name);
    if (type === 'setting_pushName' && name !== null) about = { ...about, ownName: name };
  }
  return { changes, chats, pairs, ...about };
};
