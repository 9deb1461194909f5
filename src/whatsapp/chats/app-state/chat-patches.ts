/** Patches of chats (whatsmeow appstate/encode.go, 2026-08). */
import type { proto } from '../../library/proto.ts';
import type { AppStateMutation, ChatMutation, LabelMutation } from '../../../domain/app-state.ts';
import { jidKind } from '../../../domain/jid.ts';
import type { MessageRecord } from '../../../domain/message.ts';
import type { CollectionName } from './collection.ts';

export interface Patch {
  readonly type: CollectionName;
  readonly index: readonly string[];
  readonly syncAction: proto.ISyncActionValue;
  readonly apiVersion: number;
  readonly isRemoved?: true;
}

const always = -1;

/** Covers the chat up to its newest message; later ones are not archived or read. */
const rangeOf = (newest: MessageRecord | null): Partial<proto.SyncActionValue.IArchiveChatAction> => {
  if (newest === null) return {};
  const { chat, id, direction, isGroup, from, timestamp } = newest;
  const seconds = Math.floor(timestamp / 1_000);
  const fromMe = direction === 'out';
  const key = { remoteJid: chat, fromMe, id, ...(isGroup && !fromMe && { participant: from }) };
  return { messageRange: { lastMessageTimestamp: seconds, messages: [{ key, timestamp: seconds }] } };
};

const chatPatch = (mutation: ChatMutation): Patch => {
  const { chat } = mutation;
  switch (mutation.kind) {
    case 'archive': {
      const { archived, newest } = mutation;
      const syncAction = { archiveChatAction: { archived, ...rangeOf(newest) } };
      return { type: 'regular_low', index: ['archive', chat], syncAction, apiVersion: 3 };
    }
    case 'read': {
      const { read, newest } = mutation;
      const syncAction = { markChatAsReadAction: { read, ...rangeOf(newest) } };
      return { type: 'regular_low', index: ['markChatAsRead', chat], syncAction, apiVersion: 3 };
    }
    case 'pin': {
      const syncAction = { pinAction: { pinned: mutation.pinned } };
      return { type: 'regular_low', index: ['pin_v1', chat], syncAction, apiVersion: 5 };
    }
    case 'clear': {
      const syncAction = { clearChatAction: rangeOf(mutation.newest) };
      // Whether messages with a star go, and whether files go from the phone's gallery.
      const index = ['clearChat', chat, mutation.keepsStarred ? '0' : '1', '0'];
      return { type: 'regular_high', index, syncAction, apiVersion: 6 };
    }
    case 'mute': {
      const { until } = mutation;
      const ends = until === null ? {} : { muteEndTimestamp: until === 'always' ? always : until };
      const syncAction = { muteAction: { muted: until !== null, ...ends } };
      return { type: 'regular_high', index: ['mute', chat], syncAction, apiVersion: 2 };
    }
  }
};

export const patchOfChat = (
  mutation: Exclude<AppStateMutation, LabelMutation | { readonly message: MessageRecord }>,
): Patch => {
  if (mutation.kind === 'pushName') {
    const syncAction = { pushNameSetting: { name: mutation.name } };
    return { type: 'critical_block', index: ['setting_pushName'], syncAction, apiVersion: 1 };
  }
  if (mutation.kind !== 'contact') return chatPatch(mutation);
  const { jid, lid, name } = mutation;
  // A person without a number has another kind of entry (zapo `spec/appstate`, 2026-08-19).
  const isLid = jidKind(jid) === 'lid';
  const place = {
    type: 'critical_unblock_low',
    index: [isLid ? 'lid_contact' : 'contact', jid],
    apiVersion: 2,
  } as const;
  if (name === null)
    return { ...place, syncAction: isLid ? { lidContactAction: {} } : { contactAction: {} }, isRemoved: true };
  const firstName = name.split(' ')[0]!;
  if (isLid) return { ...place, syncAction: { lidContactAction: { fullName: name, firstName } } };
  const contactAction = {
    fullName: name,
    firstName,
    saveOnPrimaryAddressbook: true,
    ...(lid !== null && { lidJid: lid }),
  };
  return { ...place, syncAction: { contactAction } };
};
