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

export interface FoundAccount {
  /** As it was asked for. */
  readonly number: string;
  readonly exists: boolean;
  readonly jid: Jid | null;
  readonly lid: Jid | null;
}

export interface ProfileChange {
  readonly name?: string;
  /** Empty: none. */
  readonly about?: string;
  /** When `about` ends, ms; null or absent: never. */
  readonly aboutExpiresAt?: number | null;
}

/** Facts about a person that the network tells those who may see them; null: there is none, or it is hidden. */
export interface PersonFacts {
  readonly about: string | null;
  /** When `about` ends, ms; null: never, or there is none. */
  readonly aboutExpiresAt: number | null;
  /** Id of the picture, which changes with it. */
  readonly picture: string | null;
}

export interface PictureFile {
  readonly id: string;
  readonly stream: AsyncIterable<Uint8Array>;
}

/** Each throws InvalidRequest where the network refuses, and RequestTimeout where it does not answer. */
export interface Conversation {
  /** Shows it for so long, or until a message leaves for the chat. */
  showTyping(chat: Jid, state: TypingState, ms: number): Promise<void>;
  /** Tells the account's other devices that these received messages of one chat are read, and their writers where `tell` is true and the account's privacy settings agree. */
  markRead(messages: readonly MessageRecord[], tell: boolean): Promise<void>;
  /** Rejects it and tells so by an event. */
  rejectCall(call: IncomingCall): Promise<void>;
  /** The timer of disappearing messages in a chat with a person; 0: messages stay. */
  setTimer(chat: Jid, seconds: number): Promise<void>;
  /** Those of the numbers whose answer is known already. */
  knownNumbers(numbers: readonly string[]): Promise<readonly FoundAccount[]>;
  /** Asks the network. */
  lookUpNumbers(numbers: readonly string[]): Promise<readonly FoundAccount[]>;
  /** Asks the phone for messages that are older than this one; what comes is told by `history.loaded`. */
  loadHistory(oldest: MessageRecord, count: number): Promise<void>;
  /** The JID under which the network has a person, whose number may be given in another spelling; the given one where it has none. */
  registered(person: Jid): Promise<Jid>;
  /** `shownName`: the name that the person shows, by which one without a number is blocked. */
  setBlocked(person: Jid, blocked: boolean, shownName: string | null): Promise<void>;
  /** Asks the network, and keeps the answer; null: of the account itself, of which nothing is kept. */
  factsOf(person: Jid | null): Promise<PersonFacts>;
  /** Null: of the account itself. Throws NotFound where there is none, or it is hidden. */
  pictureOf(person: Jid | null): Promise<PictureFile>;
  changeProfile(change: ProfileChange): Promise<void>;
  /** A square JPEG; null takes the picture away. */
  setPicture(jpeg: Uint8Array | null): Promise<void>;
}
