/** Changes of a chat, which the account's phone and its other companions follow (docs/spec/conversation.md, Changing a chat). */
import type { ChatMutation } from '../../domain/app-state.ts';
import { parseChat } from '../../domain/chats/address.ts';
import type { Chat, MutedUntil } from '../../domain/chats/chat.ts';
import { notFound } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { makeWriteAppState } from '../sending/app-state.ts';
import { onOpenSession } from './act.ts';

export interface ChatPatch {
  readonly archived?: boolean | undefined;
  readonly pinned?: boolean | undefined;
  readonly mutedUntil?: MutedUntil | undefined;
  readonly unread?: boolean | undefined;
  /** 0: messages stay. */
  readonly expiresInSeconds?: number | undefined;
}

const mutationsOf = (
  { chat, lastMessage: newest }: Chat,
  { archived, pinned, mutedUntil, unread }: ChatPatch,
): readonly ChatMutation[] => {
  const mutations: ChatMutation[] = [];
  if (unread !== undefined) mutations.push({ kind: 'read', chat, read: !unread, newest });
  if (mutedUntil !== undefined) mutations.push({ kind: 'mute', chat, until: mutedUntil });
  if (archived !== undefined) mutations.push({ kind: 'archive', chat, archived, newest });
  if (pinned !== undefined) mutations.push({ kind: 'pin', chat, pinned });
  return mutations;
};

/** `given`: a JID or a phone number. Throws NotFound for an unknown chat, and the errors of the network's answers. */
export const updateChat = async (
  parts: LiveParts,
  scope: DeviceScope,
  given: string,
  patch: ChatPatch,
): Promise<Chat> => {
  const { chats } = parts.stores;
  const before = await chats.find(scope.id, parseChat(given));
  if (before === null) throw notFound('Chat');
  const { expiresInSeconds: timer } = patch;
  if (timer !== undefined && timer !== (before.expiresInSeconds ?? 0))
    await onOpenSession(parts, scope, async ({ conversation, groups }) =>
      before.isGroup
        ? void (await groups.change(before.chat, { expiresInSeconds: timer === 0 ? null : timer }))
        : conversation.setTimer(before.chat, timer),
    );
  const mutations = mutationsOf(before, patch);
  if (mutations.length > 0) await makeWriteAppState(parts)(scope, mutations);
  return (await chats.find(scope.id, before.chat)) ?? before;
};
