/** Actions in a conversation other than messages: the port implemented by the driver (docs/spec/conversation.md). */
import type { DeviceEvent } from '../event.ts';
import type { Jid } from '../jid.ts';
import type { MessageRecord } from '../message.ts';
import type { NamedByUsername } from './usernames.ts';

export const typingStates = ['text', 'voice', 'none'] as const;

export type TypingState = (typeof typingStates)[number];

/** How long the apps show that somebody is writing. */
export const longestTypingSeconds = 25;

export type IncomingCall = Omit<Extract<DeviceEvent, { type: 'call' }>['data'], 'status'>;

export interface FoundAccount {
  readonly number: string;
  readonly exists: boolean;
  readonly jid: Jid | null;
  readonly lid: Jid | null;
}

export interface FoundUsername {
  /** As requested, without `@`. */
  readonly username: string;
  readonly exists: boolean;
  /** Somebody has the name, but is found only with the key. */
  readonly keyRequired: boolean;
  readonly jid: Jid | null;
  readonly lid: Jid | null;
  readonly number: string | null;
}

export interface ProfileChange {
  readonly name?: string;
  readonly about?: string;
  readonly aboutExpiresAt?: number | null;
  readonly username?: string | null;
  /** Four digits that people need who look the username up; null: none. */
  readonly usernameKey?: string | null;
}

export interface PersonFacts {
  readonly about: string | null;
  readonly aboutExpiresAt: number | null;
  readonly picture: string | null;
}

export interface PictureFile {
  readonly id: string;
  readonly stream: AsyncIterable<Uint8Array>;
}

/** All throw InvalidRequest if the network refuses, RequestTimeout if it does not answer. */
export interface Conversation {
  showTyping(chat: Jid, state: TypingState, ms: number): Promise<void>;
  /** Marks received messages of one chat as read on the account's other devices; with `tell` also for their senders, if privacy settings allow. */
  markRead(messages: readonly MessageRecord[], tell: boolean): Promise<void>;
  rejectCall(call: IncomingCall): Promise<void>;
  setTimer(chat: Jid, seconds: number): Promise<void>;
  knownNumbers(numbers: readonly string[]): Promise<readonly FoundAccount[]>;
  lookUpNumbers(numbers: readonly string[]): Promise<readonly FoundAccount[]>;
  /** Names looked up within a day and not known to have changed. */
  knownUsernames(names: readonly NamedByUsername[]): Promise<readonly FoundUsername[]>;
  lookUpUsernames(names: readonly NamedByUsername[]): Promise<readonly FoundUsername[]>;
  ownUsername(): Promise<string | null>;
  /** Asks the phone for messages older than this one; the result is `history.loaded`. */
  loadHistory(oldest: MessageRecord, count: number): Promise<void>;
  /** The registered JID of a person whose number may have another spelling; the given one if there is none. */
  registered(person: Jid): Promise<Jid>;
  /** `shownName`: the person's own name, required to block somebody without a number. */
  setBlocked(person: Jid, blocked: boolean, shownName: string | null): Promise<void>;
  /** Asks the network and stores the answer; null: the account itself, not stored. */
  factsOf(person: Jid | null): Promise<PersonFacts>;
  /** Null: the account itself. Throws NotFound if there is none or it is hidden. */
  pictureOf(person: Jid | null): Promise<PictureFile>;
  changeProfile(change: ProfileChange): Promise<void>;
  setPicture(jpeg: Uint8Array | null): Promise<void>;
}
