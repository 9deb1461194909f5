/** The acts of a conversation beside its messages: the port that the driver implements (docs/spec/conversation.md). */
import type { DeviceEvent } from '../event.ts';
import type { Jid } from '../jid.ts';
import type { MessageRecord } from '../message.ts';

/** `none`: neither writing nor recording. */
export const typingStates = ['text', 'voice', 'none'] as const;

export type TypingState = (typeof typingStates)[number];

/** How long the network's apps show that somebody is writing, at most. */
export const longestTypingSeconds = 25;

/** A call as its event tells of it. */
export type IncomingCall = Omit<Extract<DeviceEvent, { type: 'call' }>['data'], 'status'>;

/** Each throws InvalidRequest where the network refuses, and RequestTimeout where it does not answer. */
export interface Conversation {
  /** Shows it for so long, or until a message leaves for the chat. */
  showTyping(chat: Jid, state: TypingState, ms: number): Promise<void>;
  /** Tells the account's other devices that these received messages of one chat are read, and their writers where `tell` is true and the account's privacy settings agree. */
  markRead(messages: readonly MessageRecord[], tell: boolean): Promise<void>;
  /** Rejects it and tells so by an event. */
  rejectCall(call: IncomingCall): Promise<void>;
}
