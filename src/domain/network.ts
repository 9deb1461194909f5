/** The port to the messaging network: what the service needs of a protocol engine. `whatsapp/` implements it. */
import type { AccountLimits } from './account-limits.ts';
import type { AppStateMutation } from './app-state.ts';
import type { SessionChanges } from './changes.ts';
import type { Conversation } from './chats/conversation.ts';
import type { DeviceSettings } from './device.ts';
import type { Groups } from './groups/port.ts';
import type { Jid, Recipient } from './jid.ts';
import type { FileContent, FileRequest } from './messages/files.ts';
import type { ByteRange, EncryptedFile, FetchWish } from './messages/kept-media.ts';
import type { PageFacts } from './messages/links.ts';
import type { EncipheredFile, MediaClass, MediaRequest } from './messages/media.ts';
import type { MessageRecord } from './message.ts';
import type { OutgoingMessage, SentMessage } from './messages/outgoing.ts';
import type { Passkey, PasskeyCredential } from './passkey.ts';
import type { Backlog } from './sessions/backlog.ts';
import type { Account, DisconnectReason, PairingOffer } from './sessions/state.ts';

/** How the device is to connect. */
export interface ConnectOptions {
  readonly deviceId: number;
  /** Digits; asks for a pairing code beside the QR when the device is not linked. */
  readonly pairingNumber: string | null;
  /** The code that is on a screen already: asked for again, so that the person who types it need not start over. */
  readonly formerCode?: string | undefined;
  /** The linked account as the store has it. */
  readonly account?: Account | null | undefined;
  /** Epoch of the lease under which the session writes; null when one process has the database alone. */
  readonly epoch?: number | null;
  /** Revision of the network's web client that the connection announces; the bundled one if omitted. */
  readonly clientRevision?: number | undefined;
  /** The defaults if omitted. */
  readonly settings?: DeviceSettings | undefined;
  /** Awaited when the device's proxy has reached the network, before anything is said to it; not called without a proxy. */
  readonly reached?: () => Promise<void>;
}

/** Callbacks of one session. Calls come in order; `closed` comes once and last. */
export interface SessionListener {
  /** A QR (or code) is ready: the first one and every refresh. */
  pairing(offer: PairingOffer): void;
  /** The network asks for a passkey to complete the pairing, and each step of that. */
  passkey(passkey: Passkey): void;
  /** The account is linked and stored; `open` follows. */
  linked(account: Account): void;
  open(account: Account): void;
  /** Called each time the network reports restrictions on the account. */
  restricted(limits: AccountLimits): void;
  /** Called when the backlog of the connection begins, from time to time while it comes, and when it ends. */
  backlog(backlog: Backlog): void;
  /** The network will refuse the revision of this connection from `at` (ms) on; null: not any more. */
  clientExpires?(at: number | null): void;
  closed(reason: DisconnectReason): void;
}

/**
 * One connection of one device, from connect to close. It writes what it receives (messages, receipts, calls, Signal
 * state) to the CredentialStore by itself, in one transaction before the network gets its ack. It does not reconnect;
 * the one exception is the restart that the protocol demands after a pairing (stream error 515).
 */
export interface NetworkSession {
  readonly deviceId: number;
  /** The account's JID for a phone number (digits), or null when nobody has it. Asks the network; cached. */
  lookUp(number: string): Promise<Jid | null>;
  /**
   * Takes the message's place in the device's order at once; `address`, called once, then finds the account behind its recipient, and rejects where
   * that may not be written to. Resolves once the network has acked it. Throws SendFailed, SendMediaFailed, InvalidRequest, RequestTimeout,
   * LeaseLost, and the HandsetErrors of `address`.
   */
  send(message: OutgoingMessage, address?: () => Promise<Recipient>): Promise<SentMessage>;
  /**
   * The decrypted media of a stored message, as a stream. A file that the network has dropped is asked of the phone, which is
   * waited for up to `waitMs`. Throws NotFound in words.
   */
  downloadMedia(message: MessageRecord, waitMs: number): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Fetches the media of a stored message, encrypted as it is, and checks it. Resolves with the length of the decrypted file. With `waitMs` null
   * the phone is not asked. Throws MediaLost, and what `write` throws.
   */
  fetchMedia(message: MessageRecord, waitMs: number | null, wish: FetchWish): Promise<number>;
  /**
   * Changes the application state of the account, and keeps what it says. Resolves once the network has taken all of it; to write the same again is
   * harmless. Throws InvalidRequest when the network refuses, Conflict while the phone has not shared its keys, RequestTimeout without an answer.
   */
  writeAppState(mutations: readonly AppStateMutation[]): Promise<void>;
  readonly conversation: Conversation;
  readonly groups: Groups;
  /** Applies changed settings at once, on the connection that there is. */
  applySettings(settings: DeviceSettings): void;
  /** Throws InvalidRequest when the network refuses the credential, Conflict when none is asked for now. */
  answerPasskey(credential: PasskeyCredential): Promise<void>;
  /** The code is the same on the phone. Throws Conflict when there is none to compare. */
  confirmPasskey(): Promise<void>;
  /** Unlinks on the network and closes; bounded in time by the caller's signal. */
  logout(): Promise<void>;
  /** Closes the socket without logging out; resolves when nothing more will be written. */
  close(): Promise<void>;
  /** Breaks the connection at once, without a word to the network and without waiting for anything; `close` follows. */
  cut(): void;
}

/** The shapes of a device's stanzas: tags, attributes and classes of values, without any content. Times in ms. */
export interface Capture {
  readonly startedAt: number;
  readonly endsAt: number;
  readonly shapes: readonly { readonly shape: string; readonly count: number }[];
}

/** Captures by device, in memory; off until one is started. */
export interface Captures {
  start(deviceId: number, ms: number): Capture;
  /** Null: none was started. */
  read(deviceId: number): Capture | null;
  stop(deviceId: number): Capture | null;
}

/** The way to the network, as the last look at it found it. */
export interface NetworkReach {
  /** Why it cannot be reached, as a sentence without a full stop; null where it can be, or where nobody has looked yet. */
  readonly problem: string | null;
  /** ms; null: not looked at yet. */
  readonly checkedAt: number | null;
}

/** Messages that were stored as `unknown` without being read, since the start. */
export interface UnreadCounts {
  /** Reading them took too long. */
  slow: number;
  /** Their reading had been begun three times, and never came to its end. */
  stuck: number;
}

export interface Network {
  connect(options: ConnectOptions, listener: SessionListener): NetworkSession;
  /** A square JPEG of 640 pixels of an image, as profiles have them. Throws InvalidImage. */
  preparePicture(bytes: Uint8Array, request: MediaRequest): Promise<Uint8Array>;
  /** Reads the head of a page; `contentType` is that of its answer. Null for what is no HTML, or has no title. Throws what takes too long. */
  readPage(bytes: Uint8Array, contentType: string | null, request: MediaRequest): Promise<PageFacts | null>;
  /**
   * Encrypts a file for the media host, to be closed by the caller. Bytes stay in memory; a stream goes to a temporary file, encrypted, and its
   * pieces are not to be used any more. Throws what the stream throws.
   */
  encipher(source: Uint8Array | AsyncIterable<Uint8Array>, kind: MediaClass): Promise<EncipheredFile>;
  /**
   * Finds out what the message says of a file: its type, and more by its kind. One that is not in the form of its kind is converted, where that
   * can be done, into another file, to be closed as well: images to JPEG, or to PNG where there is transparency. Throws InvalidRequest or InvalidImage
   * for what cannot be sent as that kind.
   */
  prepareFile(
    file: EncipheredFile,
    wanted: FileRequest,
    caption: string | null,
    request: MediaRequest,
  ): Promise<FileContent>;
  /** Decrypts what `fetchMedia` has given: the whole, or a part. Needs no session. Throws NotFound for a message without media. */
  decipher(message: MessageRecord, file: EncryptedFile, range: ByteRange | null): Promise<AsyncIterable<Uint8Array>>;
  /** The changes that stored messages of unknown kind make when they are read anew, each with its event. */
  reread(deviceId: number, messages: readonly MessageRecord[]): Promise<SessionChanges>;
  /** A new message id in the network's form. */
  newMessageId(this: void): string;
  readonly captures: Captures;
  readonly unread: Readonly<UnreadCounts>;
  /** Resolves within seconds: null where a connection to the network can be made, else why not, as a sentence without a full stop. */
  reach(): Promise<string | null>;
  /** True when it is the sandbox. */
  readonly sandbox: boolean;
}
