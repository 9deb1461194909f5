/** Patches of all kinds: of messages, chats and labels. */
import type { AppStateMutation } from '../../../domain/app-state.ts';
import type { MessageRecord } from '../../../domain/message.ts';
import { type Patch, patchOfChat } from './chat-patches.ts';
import { patchOfLabel } from './labels.ts';

/** Chat, id, whether it is the account's own, and in groups the author otherwise. */
const messageIndex = ({ chat, id, direction, isGroup, from }: MessageRecord): readonly string[] =>
  direction === 'out' ? [chat, id, '1', '0'] : [chat, id, '0', isGroup ? from : '0'];

const contentOf = (mutation: AppStateMutation): Patch => {
  if (mutation.kind === 'label' || mutation.kind === 'labelMark') return patchOfLabel(mutation);
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

export const patchOf = (mutation: AppStateMutation, now: number): Patch => {
  const patch = contentOf(mutation);
  const after = mutation.kind === 'labelMark' ? (mutation.newestAt ?? 0) + 1 : 0;
  return { ...patch, syncAction: { ...patch.syncAction, timestamp: Math.max(now, after) } };
};
