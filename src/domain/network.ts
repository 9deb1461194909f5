/** The port to the messaging network, implemented by `whatsapp/`. */
import type { AccountLimits } from './account-limits.ts';
import type { AppStateMutation } from './app-state.ts';
import type { KeyName, SessionChanges } from './changes.ts';
import type { Channels } from './channels/channels.ts';
import type { Conversation } from './chats/conversation.ts';
import type { DeviceSettings } from './device.ts';
import type { Groups } from './groups/port.ts';
import type { Jid, Recipient } from './jid.ts';
import type { FileContent, FileRequest, EncipheredFile, MediaClass, MediaRequest } from './messages/files.ts';
import type { ByteRange, EncryptedFile, FetchRequest } from './messages/kept-media.ts';
import type { PageFacts } from './messages/links.ts';
import type { MessageRecord } from './message.ts';
import type { OutgoingMessage, SentMessage } from './messages/outgoing.ts';
import type { Passkey, PasskeyCredential } from './passkey.ts';
import type { Statuses } from './messages/statuses.ts';
import type { Account, DisconnectReason, PairingOffer, Backlog } from './sessions/state.ts';

export interface ConnectOptions {
  readonly deviceId: number;
  /** Digits; requests a pairing code in addition to the QR. */
  readonly pairingNumber: string | null;
  /** A code already on a screen is requested again, so that the person typing it need not start over. */
  readonly formerCode?: string | undefined;
  readonly account?: Account | null | undefined;
  /** Epoch of the session's lease; null for a single process. */
  readonly epoch?: number | null;
  /** Announced revision of the web client; default: the bundled one. */
  readonly clientRevision?: number | undefined;
  readonly settings?: DeviceSettings | undefined;
  /** Awaited when the device's proxy has reached the network, before anything is sent. */
  readonly reached?: () => Promise<void>;
}

/** Calls come in order; `closed` comes once and last. */
export interface SessionListener {
  /** The first QR or code, and every refresh. */
  pairing(offer: PairingOffer): void;
  passkey(passkey: Passkey): void;
  linked(account: Account): void;
  open(account: Account): void;
  restricted(limits: AccountLimits): void;
  /** Called when the backlog begins, periodically while it arrives, and when it ends. */
  backlog(backlog: Backlog): void;
  clientExpires?(at: number | null): void;
  closed(reason: DisconnectReason): void;
}

/** One connection. What it receives is written in one transaction before the ack; it reconnects only for a pairing's restart (stream error 515). */
export interface NetworkSession {
  readonly deviceId: number;
  /** The JID of a phone number (digits), or null if it has no account. Cached. */
  lookUp(number: string): Promise<Jid | null>;
  /**
   * Takes the message's place in the device's order at once; `address` then finds the account of its recipient, or rejects. Resolves once
   * the network has acked. Throws SendFailed, SendMediaFailed, InvalidRequest, RequestTimeout, LeaseLost, and the HandsetErrors of
   * `address`.
   */
  send(message: OutgoingMessage, address?: () => Promise<Recipient>): Promise<SentMessage>;
  /** Uploads a file ahead of its message, and resolves with its part, opaque outside the driver. Throws SendMediaFailed and the signal's reason. */
  upload(content: FileContent, signal?: AbortSignal): Promise<Uint8Array>;
  /** Streams decrypted media; a file the network dropped is requested from the phone, for up to `waitMs`. Throws NotFound with the reason. */
  downloadMedia(message: MessageRecord, waitMs: number): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Fetches media as encrypted, and checks it. Resolves with the decrypted length. `waitMs` null: the phone is not asked. Throws
   * MediaLost, and what `write` throws.
   */
  fetchMedia(message: MessageRecord, waitMs: number | null, request: FetchRequest): Promise<number>;
  /**
   * Changes the account's application state and stores the result; idempotent. Throws InvalidRequest if the network refuses, Conflict
   * while the phone has not shared its keys, RequestTimeout without an answer.
   */
  writeAppState(mutations: readonly AppStateMutation[]): Promise<void>;
  readonly conversation: Conversation;
  readonly groups: Groups;
  readonly statuses: Statuses;
  readonly channels: Channels;
  applySettings(settings: DeviceSettings): void;
  /** Throws InvalidRequest if the network refuses the credential, Conflict if none is requested. */
  answerPasskey(credential: PasskeyCredential): Promise<void>;
  /** The code matches the phone's. Throws Conflict if there is none. */
  confirmPasskey(): Promise<void>;
  /** Unlinks on the network and closes; bounded by the caller's signal. */
  logout(): Promise<void>;
  /** Closes without logging out; resolves once nothing more will be written. */
  close(): Promise<void>;
  cut(): void;
}

/** Shapes of a device's stanzas: tags, attributes and classes of values, without content. Times in ms. */
export interface Capture {
  readonly startedAt: number;
  readonly endsAt: number;
  readonly shapes: readonly { readonly shape: string; readonly count: number }[];
}

export interface Captures {
  start(deviceId: number, ms: number): Capture;
  read(deviceId: number): Capture | null;
  stop(deviceId: number): Capture | null;
}

export interface NetworkReach {
  /** Why it is unreachable, without a full stop; null: reachable or not checked yet. */
  readonly problem: string | null;
  readonly checkedAt: number | null;
}

/** Messages stored as `unknown` without being read, since the start. */
export interface UnreadCounts {
  /** Reading took too long. */
  slow: number;
  /** Reading was begun three times and never finished. */
  stuck: number;
}

export interface AdoptedSession {
  readonly account: Account;
  readonly credentials: Uint8Array;
  readonly keys: readonly (KeyName & { readonly value: Uint8Array })[];
  /** Numbers of items read; `skipped`: unreadable files. */
  readonly counts: {
    readonly sessions: number;
    readonly groupKeys: number;
    readonly preKeys: number;
    readonly appStateKeys: number;
    readonly skipped: number;
  };
}

export interface Network {
  /** Reads Baileys' multi-file state, by file name. Throws InvalidRequest for a session that cannot be moved. */
  adoptSession(files: Readonly<Record<string, string>>): Promise<AdoptedSession>;
  /** The reverse of `adoptSession`. */
  releaseSession(
    credentials: Uint8Array,
    keys: readonly (KeyName & { readonly value: Uint8Array })[],
  ): Promise<Readonly<Record<string, string>>>;
  connect(options: ConnectOptions, listener: SessionListener): NetworkSession;
  preparePicture(bytes: Uint8Array, request: MediaRequest): Promise<Uint8Array>;
  /** Null if it is no HTML or has no title. `contentType` is from the response. Throws on timeout. */
  readPage(bytes: Uint8Array, contentType: string | null, request: MediaRequest): Promise<PageFacts | null>;
  /** Encrypts a file; the caller closes it. A stream goes to a temporary file; its chunks must not be reused. Throws the stream's errors. */
  encipher(source: Uint8Array | AsyncIterable<Uint8Array>, kind: MediaClass): Promise<EncipheredFile>;
  /**
   * Determines type and properties of a file, and converts it if its kind requires and allows that: images to JPEG, or PNG if
   * transparent. A converted file is to be closed as well. Throws InvalidRequest or InvalidImage for what cannot be sent as that kind.
   */
  prepareFile(
    file: EncipheredFile,
    wanted: FileRequest,
    caption: string | null,
    request: MediaRequest,
  ): Promise<FileContent>;
  /** Decrypts what `fetchMedia` fetched, as a whole or in part, without a session. Throws NotFound for a message without media. */
  decipher(message: MessageRecord, file: EncryptedFile, range: ByteRange | null): Promise<AsyncIterable<Uint8Array>>;
  /** The changes, with events, of re-reading stored messages of unknown kind. */
  reread(deviceId: number, messages: readonly MessageRecord[]): Promise<SessionChanges>;
  newMessageId(this: void): string;
  /** Id of a part of a message, the same at each attempt. */
  partId(this: void, messageId: string, index: number): string;
  readonly captures: Captures;
  readonly unread: Readonly<UnreadCounts>;
  /** Resolves within seconds: null if the network is reachable, else why not, without a full stop. */
  reach(): Promise<string | null>;
  readonly sandbox: boolean;
}
