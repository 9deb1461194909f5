/** Contents of app state mutations. Indexes: whatsmeow appstate/keys.go (2026-08). */
import { proto } from '../../library/proto.ts';
import type { AppStateChange, AppStateKind } from '../../../domain/app-state.ts';
import type { KeyChange } from '../../../domain/changes.ts';
import type { ChatChange } from '../../../domain/chats/chat.ts';
import { jidKind, withoutDevice } from '../../../domain/jid.ts';
import { fieldMapOf } from '../../signal/session-record.ts';
import { usernameIn } from '../../../domain/chats/usernames.ts';
import { timeOrNull } from '../../translate/parts/limits.ts';
import type { CollectionName } from './collection.ts';
import { addLabels, type LabelsSaid, nothingOfLabels } from './labels.ts';
import { type Mutation, takenAt } from './records.ts';
import { privacyKey } from './status-privacy.ts';

export interface Said {
  readonly changes: readonly AppStateChange[];
  /** Chats marked as read or unread, or labelled. */
  readonly chats: readonly ChatChange[];
  readonly pairs: readonly { readonly lid: string; readonly pn: string }[];
  /** `at`: when the contact was written, ms; a collection that is read again has entries of long ago. */
  readonly usernames: readonly { readonly lid: string; readonly username: string; readonly at: number | null }[];
  readonly ownName?: string;
  /** The audience of the account's statuses. */
  readonly keys: readonly KeyChange[];
  readonly nctSalt?: Uint8Array | null;
  readonly labels: LabelsSaid;
}

export const kindsOf: Readonly<Record<CollectionName, readonly AppStateKind[]>> = {
  critical_block: [],
  critical_unblock_low: ['contact'],
  regular_high: ['mute'],
  regular_low: ['archive', 'pin'],
  regular: [],
};

const longestName = 1_000;
const longestJid = 100;
const always = -1;
/** Largest valid Date, ms. */
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

const pinOf: ValueOf = (value) => (value.pinAction?.pinned ? { at: takenAt(value) ?? 0 } : null);

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

// SyncActionValue: 80 = the NCT salt's action (1 = the salt), which the library's protobufs lack.
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

/** Read up to this time; later messages stay unread. Removed marks have no effect. */
const markOf = ({ index: [type, jid], removed }: Mutation, value: proto.ISyncActionValue): ChatChange | null => {
  const { markChatAsReadAction: mark } = value;
  if (type !== 'markChatAsRead' || removed || !mark || !isChat(jid)) return null;
  const last = timeOrNull(mark.messageRange?.lastMessageTimestamp);
  const at = last === null ? (takenAt(value) ?? 0) : last + 999;
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

/** A contact's entry has its LID as key or member. */
const usernameOf = (
  { index: [type, jid = ''] }: Mutation,
  value: proto.ISyncActionValue,
): Said['usernames'][number] | null => {
  const { contactAction, lidContactAction } = value;
  const username = usernameIn((contactAction ?? lidContactAction)?.username);
  const lid = type === 'contact' ? (contactAction?.lidJid ?? '') : jid;
  if ((type !== 'contact' && type !== 'lid_contact') || username === null || jidKind(lid) !== 'lid') return null;
  return { lid: withoutDevice(lid), username, at: takenAt(value) };
};

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
  let privacy: KeyChange | null = null;
  const pairs: { lid: string; pn: string }[] = [];
  const labels = nothingOfLabels();
  const usernames: Said['usernames'][number][] = [];
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
    addLabels(labels, mutation, value);
    const pair = mutation.removed ? null : pairOf(mutation, value);
    if (pair !== null) pairs.push(pair);
    const named = mutation.removed ? null : usernameOf(mutation, value);
    if (named !== null) usernames.push(named);
    const name = mutation.removed ? null : nameOf(value.pushNameSetting?.name);
    if (type === 'status_privacy') privacy = privacyKey(mutation.removed ? null : (value.statusPrivacy ?? null));
    if (type === 'setting_pushName' && name !== null) about = { ...about, ownName: name };
  }
  for (const { chat, messageId, labeled } of labels.labelMarks) if (messageId === null && labeled) chats.push({ chat });
  return { changes, chats, keys: privacy === null ? [] : [privacy], pairs, usernames, labels, ...about };
};
