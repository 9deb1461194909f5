/** Conversations: typing, read marks, history, changes of a chat, calls (docs/spec/conversation.md). */
import { type IncomingCall, longestTypingSeconds, type TypingState } from '../../domain/chats/conversation.ts';
import type { ChatMutation } from '../../domain/app-state.ts';
import type { Chat } from '../../domain/chats/chat.ts';
import type { MutedUntil } from '../../domain/chats/chat-event.ts';
import { parseChat } from '../../domain/chats/recipient.ts';
import type { DeviceEvent } from '../../domain/event.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import type { Page } from '../../domain/stores.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import { makeWriteAppState, onOpenSession, onSession } from '../sending/readiness.ts';
import { labelMutations } from './labels.ts';

export interface ReadRequest {
  readonly messageIds?: readonly string[] | undefined;
  readonly typing?: Exclude<TypingState, 'none'> | undefined;
}

const maxUnread = 1_000;

interface KnownChat {
  readonly jid: Jid;
  readonly lastMessage: MessageRecord | null;
}

const knownChat = async ({ stores }: LiveParts, deviceId: number, text: string): Promise<KnownChat> => {
  const found = await stores.chats.find(deviceId, parseChat(text));
  if (found === null) throw notFound('Chat');
  return { jid: found.chat, lastMessage: found.lastMessage };
};

const isUnread = ({ direction, readAt, deletedAt }: MessageRecord): boolean =>
  direction === 'in' && readAt === null && deletedAt === null;

const namedMessages = async ({ stores }: LiveParts, deviceId: number, chat: Jid, ids: readonly string[]) => {
  const named: MessageRecord[] = [];
  for (const id of new Set(ids)) {
    const message = await stores.messages.find(deviceId, id, chat);
    if (message === null || message.state === 'action') throw notFound(`Message ${id}`);
    if (message.direction === 'out')
      throw invalidRequest(`messageIds must be received messages; ${id} is of the account itself`);
    named.push(message);
  }
  return named;
};

const unreadMessages = async ({ stores }: LiveParts, deviceId: number, chat: Jid) => {
  const unread: MessageRecord[] = [];
  let cursor: string | null = null;
  let left = maxUnread;
  do {
    const page: Page<MessageRecord> = await stores.messages.list(deviceId, { limit: left, cursor, chat });
    unread.push(...page.items.filter(isUnread));
    left -= page.items.length;
    cursor = page.nextCursor;
  } while (cursor !== null && left > 0);
  return unread;
};

/** Clears an unread mark of a chat without unread messages; what arrived meanwhile stays unread. */
const unmark = async (parts: LiveParts, scope: DeviceScope, { jid, lastMessage: newest }: KnownChat): Promise<void> => {
  const now = await parts.stores.chats.find(scope.id, jid);
  if (now === null || now.unread === 0 || now.lastMessage?.id !== newest?.id) return;
  await makeWriteAppState(parts)(scope, [{ kind: 'read', chat: now.chat, read: true, newest }]);
};

export interface ChatPatch {
  readonly archived?: boolean | undefined;
  readonly pinned?: boolean | undefined;
  readonly mutedUntil?: MutedUntil | undefined;
  readonly unread?: boolean | undefined;
  readonly expiresInSeconds?: number | undefined;
  readonly labels?: readonly string[] | undefined;
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

/** Calls searched: an older one no longer rings. */
const newestCalls = 200;

type CallData = Extract<DeviceEvent, { type: 'call' }>['data'];

const endings: Readonly<Record<Exclude<CallData['status'], 'offer'>, string>> = {
  accept: 'The call was answered on another device of the account',
  reject: 'The call was rejected already',
  timeout: 'The call has ended: nobody answered',
  terminate: 'The call has ended',
};

const callOf = async ({ stores }: LiveParts, deviceId: number, callId: string): Promise<IncomingCall> => {
  const { items } = await stores.events.listBefore(deviceId, { limit: newestCalls, cursor: null }, ['call']);
  const last = items.find(({ event }) => event.type === 'call' && event.data.callId === callId)?.event;
  if (last?.type !== 'call') throw notFound('Call');
  const { status, ...call } = last.data;
  if (status !== 'offer') throw invalidRequest(endings[status]);
  return call;
};

const clear = async (parts: LiveParts, scope: DeviceScope, given: string, keepsStarred: boolean): Promise<Chat> => {
  const { chats } = parts.stores;
  const before = await chats.find(scope.id, parseChat(given));
  if (before === null) throw notFound('Chat');
  const { chat, lastMessage: newest } = before;
  await makeWriteAppState(parts)(scope, [{ kind: 'clear', chat, keepsStarred, newest }]);
  return (await chats.find(scope.id, chat)) ?? before;
};

/** `given`: a JID or phone number. All throw InvalidRequest, NotFound, DeviceNotConnected, DeviceNotAuthenticated and RequestTimeout. */
export const makeConversations = (parts: LiveParts) => ({
  async showTyping(
    scope: DeviceScope,
    given: string,
    state: TypingState,
    seconds = longestTypingSeconds,
  ): Promise<void> {
    const { jid } = await knownChat(parts, scope.id, given);
    await onSession(parts, scope, (acts) => acts.showTyping(jid, state, seconds * 1_000));
  },
  async markRead(scope: DeviceScope, given: string, { messageIds, typing }: ReadRequest): Promise<readonly string[]> {
    const before = await knownChat(parts, scope.id, given);
    const chat = before.jid;
    const named =
      messageIds === undefined
        ? await unreadMessages(parts, scope.id, chat)
        : await namedMessages(parts, scope.id, chat, messageIds);
    const unread = named.filter(isUnread);
    const { settings } = await scope.runtime();
    await onSession(parts, scope, async (acts) => {
      await acts.markRead(unread, settings.readReceipts);
      if (messageIds === undefined) await unmark(parts, scope, before);
      if (typing !== undefined) await acts.showTyping(chat, typing, longestTypingSeconds * 1_000);
    });
    return unread.map(({ id }) => id);
  },
  /** Throws InvalidRequest if no message of the chat is stored: the phone is asked for those before it. */
  async loadHistory(scope: DeviceScope, given: string, count: number): Promise<void> {
    const { jid } = await knownChat(parts, scope.id, given);
    const oldest = await parts.stores.messages.oldest(scope.id, jid);
    if (oldest === null)
      throw invalidRequest(
        'No message of this chat is known here; the phone is asked for those that are older than one',
      );
    await onSession(parts, scope, (acts) => acts.loadHistory(oldest, count));
  },
  async updateChat(scope: DeviceScope, given: string, patch: ChatPatch): Promise<Chat> {
    const { chats } = parts.stores;
    const before = await chats.find(scope.id, parseChat(given));
    if (before === null) throw notFound('Chat');
    const { expiresInSeconds: timer, labels } = patch;
    const ofLabels = labels === undefined ? [] : await labelMutations(parts, scope.id, before, labels);
    if (timer !== undefined && timer !== (before.expiresInSeconds ?? 0))
      await onOpenSession(parts, scope, async ({ conversation, groups }) =>
        before.isGroup
          ? void (await groups.change(before.chat, { expiresInSeconds: timer === 0 ? null : timer }))
          : conversation.setTimer(before.chat, timer),
      );
    const mutations = [...mutationsOf(before, patch), ...ofLabels];
    if (mutations.length > 0) await makeWriteAppState(parts)(scope, mutations);
    return (await chats.find(scope.id, before.chat)) ?? before;
  },
  /** On all devices of the account, not for others. */
  clearChat: (scope: DeviceScope, given: string, keepsStarred: boolean): Promise<Chat> =>
    clear(parts, scope, given, keepsStarred),
  async rejectCall(scope: DeviceScope, callId: string): Promise<void> {
    const call = await callOf(parts, scope.id, callId);
    await onSession(parts, scope, (acts) => acts.rejectCall(call));
  },
});

export type Conversations = ReturnType<typeof makeConversations>;
