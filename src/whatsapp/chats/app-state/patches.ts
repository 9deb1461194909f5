/**
 * Patches of the application state: collection, index, action and version. Source: whatsmeow appstate/encode.go, zapo spec/appstate and
 * whatsapp-rust features/chat_actions.rs, which agree (2026-11-23). Baileys 7.0.0-rc14 writes stars into `regular_low`, and names no
 * author in groups.
 */
import type { AppStateMutation } from '../../../domain/app-state.ts';
import type { MessageRecord } from '../../../domain/message.ts';
import { type Patch, patchOfChat } from './chat-patches.ts';

/** Chat, id, whether it is the account's own, and in groups the author otherwise. */
const messageIndex = ({ chat, id, direction, isGroup, from }: MessageRecord): readonly string[] =>
  direction === 'out' ? [chat, id, '1', '0'] : [chat, id, '0', isGroup ? from : '0'];

const contentOf = (mutation: AppStateMutation): Patch => {
  if (!('message' in mutation)) return patchOfChat(mutation);
  const { message } = mutation;
  switch (mutation.kind) {
    case 'star': {
      const index = ['star', ...messageIndex(message)];
      return { type: 'regular_high', index, syncAction: { starAction: { starred: mutation.starred } }, apiVersion: 2 };
    }
    case 'deleteForMe': {
      const index = ['deleteMessageForMe', ...messageIndex(message)];
      const messageTimestamp = Math.floor(message.timestamp / 1_000);
      const syncAction = { deleteMessageForMeAction: { deleteMedia: true, messageTimestamp } };
      return { type: 'regular_high', index, syncAction, apiVersion: 3 };
    }
  }
};

/** `now`: ms since the epoch. */
export const patchOf = (mutation: AppStateMutation, now: number): Patch => {
  const patch = contentOf(mutation);
  return { ...patch, syncAction: { ...patch.syncAction, timestamp: now } };
};
