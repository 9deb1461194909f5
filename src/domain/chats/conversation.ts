/** Actions in a conversation other than messages: the port implemented by the driver (docs/spec/conversation.md). */
import type { DeviceEvent } from '../event.ts';
import type { Jid } from '../jid.ts';
import type { MessageRecord } from '../message.ts';

/** `none`: neither writing nor recording. */
export const typingStates = ['text', 'voice', 'none'] as const;

export type TypingState = (typeof typingStates)[number];

/** Maximum time for which the apps show that somebody is writing. */
export const longestTypingSeconds = 25;

/** A call as shown in its event. */
export type IncomingCall = Omit<Extract<DeviceEvent, { type: 'call' }>['data'], 'status'>;

export interface FoundAccount {
  readonly number: string;
  readonly exists: boolean;
  readonly jid: Jid | null;
  readonly lid: Jid | null;
}

export interface ProfileChange {
  readonly name?: string;
  readonly about?: string;
  /** When `about` ends, ms; null or absent: never. */
  readonly aboutExpiresAt?: number | null;
}

/** What the network shows of a person; null: none, or hidden. */
export interface PersonFacts {
  readonly about: string | null;
  /** When `about` ends, ms; null: never, or there is none. */
  readonly aboutExpiresAt: number | null;
  /** Id of the picture; changes with it. */
  readonly picture: string | null;
}

export interface PictureFile {
  readonly id: string;
  readonly stream: AsyncIterable<Uint8Array>;
}

/** All throw InvalidRequest if the network refuses, and RequestTimeout if it does not answer. */
export interface Conversation {
  /** Shown for this time, or until a message is sent to the chat. */
  showTyping(chat: Jid, state: TypingState, ms: number): Promise<void>;
  /**
   * Marks received messages of one chat as read on the account's other devices, and tells their senders if `tell` is set and the account's
   * privacy settings allow it.
   */
  markRead(messages: readonly MessageRecord[], tell: boolean): Promise<void>;
  /** Rejects the call and writes an event. */
  rejectCall(call: IncomingCall): Promise<void>;
  /** Sets the disappearing timer of a 1:1 chat; 0 turns it off. */
  setTimer(chat: Jid, seconds: number): Promise<void>;
  /** Results that are already cached. */
  knownNumbers(numbers: readonly string[]): Promise<readonly FoundAccount[]>;
  lookUpNumbers(numbers: readonly string[]): Promise<readonly FoundAccount[]>;
  /** Asks the phone for messages older than this one; `history.loaded` reports the result. */
  loadHistory(oldest: MessageRecord, count: number): Promise<void>;
  /** The JID under which a person is registered, whose number may be given in another spelling; the given one if there is none. */
  registered(person: Jid): Promise<Jid>;
  /** `shownName`: the person's own name, needed to block somebody without a number. */
  setBlocked(person: Jid, blocked: boolean, shownName: string | null): Promise<void>;
  /** Asks the network and stores the answer; null: the account itself, which is not stored. */
  factsOf(person: Jid | null): Promise<PersonFacts>;
  /** Null: the account itself. Throws NotFound if there is none or it is hidden. */
  pictureOf(person: Jid | null): Promise<PictureFile>;
  changeProfile(change: ProfileChange): Promise<void>;
  setPicture(jpeg: Uint8Array | null): Promise<void>;
}
