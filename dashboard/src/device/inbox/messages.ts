/** The messages of one chat: the newest page, older ones on demand, kept current by events. */
import { useAccount, useEvents } from '../../account.tsx';
import type { Message } from '../../api/message.ts';
import { applyToMessages, messageIn } from '../../apply-to-messages.ts';
import { useLoad } from '../../hooks.ts';
import { texts } from '../../texts.ts';
import type { Conversation } from '../conversations.ts';
import { isSameChat } from './chats.ts';

export interface MessagePage {
  readonly chat: string;
  /** Newest first. */
  readonly messages: readonly Message[];
  readonly nextCursor: string | null;
}

const pageSize = 50;

const none: readonly Message[] = [];

export interface Messages {
  /** Newest first. */
  readonly messages: readonly Message[];
  /** Why there are none yet; null once they are loaded. */
  readonly state: string | null;
  /** Null when there are no older ones. */
  readonly older: (() => Promise<void>) | null;
  /** Shows a change of which there is no event. */
  readonly change: (messageId: string, change: Partial<Message>) => void;
}

export const useMessages = (deviceId: number, conversation: Conversation | null): Messages => {
  const { client, generation } = useAccount();
  const known = conversation?.isKnown === true ? conversation : null;
  const chat = known?.chat ?? '';
  const path = `/v1/devices/${deviceId}/messages?limit=${pageSize}&chat=${encodeURIComponent(chat)}`;
  const read = async (more = ''): Promise<MessagePage> => ({ ...(await client.get<MessagePage>(path + more)), chat });
  const loaded = useLoad(() => read(), known === null ? null : `${generation} ${path}`);
  // The value stays that of the chat before until this one is loaded.
  const page = loaded.value?.chat === chat ? loaded.value : null;
  useEvents(deviceId, (event) => {
    const message = messageIn(event);
    if (known === null || (message !== null && !isSameChat(known, message))) return;
    loaded.change((old) => (old.chat === chat ? { ...old, messages: applyToMessages(old.messages, event) } : old));
  });
  const cursor = page?.nextCursor ?? null;
  const older = async (): Promise<void> => {
    const next = await read(`&cursor=${encodeURIComponent(cursor ?? '')}`);
    loaded.change((old) =>
      old.chat === chat && old.nextCursor === cursor ? { ...next, messages: [...old.messages, ...next.messages] } : old,
    );
  };
  const change = (messageId: string, changes: Partial<Message>): void =>
    loaded.change((old) => ({
      ...old,
      messages: old.messages.map((one) => (one.id === messageId ? { ...one, ...changes } : one)),
    }));
  const messages = page?.messages ?? none;
  const state = known === null || page !== null ? null : (loaded.error ?? texts.loading);
  return { messages, state, older: cursor === null ? null : older, change };
};
