/** What the main thread and a thread of sessions ask each other for. */
import type { KeyName, SessionChanges } from '../domain/changes.ts';
import type { Jid } from '../domain/jid.ts';
import type { MessageRecord, OutgoingMessage } from '../domain/message.ts';
import type { ConnectOptions, SessionListener } from '../domain/network.ts';
import type { PasskeyCredential } from '../domain/passkey.ts';
import type { Page, PageRequest } from '../domain/stores.ts';
import type { SandboxAddress } from '../whatsapp/sandbox-address.ts';
import type { ProbePace } from '../whatsapp/probe.ts';

/** What a thread is started with. */
export interface ThreadData {
  /** Null: the real network. */
  readonly sandbox: SandboxAddress | null;
  readonly probePace: ProbePace | undefined;
  readonly logLevel: string;
  /** Where compiled modules are kept, if anywhere. */
  readonly compileCache: string | undefined;
}

/** One connection of one device; the main thread counts them. */
export interface SessionName {
  readonly number: number;
  readonly deviceId: number;
}

/** What a session has to say, as the name of a listener's method and what it is given. */
export type Said = {
  [Name in keyof SessionListener]: readonly [name: Name, ...told: Parameters<SessionListener[Name]>];
}[keyof SessionListener];

/** What the main thread asks of a thread. */
export interface ThreadCalls {
  /** Answered when it has its turn. */
  ping(): void;
  connect(session: SessionName, options: ConnectOptions, baseUrl: string): void;
  lookUp(session: SessionName, number: string): Promise<Jid | null>;
  /** `untried`: the id was made in this process, and no store knows it. */
  send(session: SessionName, message: OutgoingMessage, untried: boolean): Promise<MessageRecord>;
  /** Gives the number of a stream. */
  downloadMedia(session: SessionName, message: MessageRecord): Promise<number>;
  /** The next chunk of a stream; null at its end. */
  pull(stream: number): Promise<Uint8Array | null>;
  /** Nobody wants the rest. */
  drop(stream: number): void;
  answerPasskey(session: SessionName, credential: PasskeyCredential): Promise<void>;
  confirmPasskey(session: SessionName): Promise<void>;
  logout(session: SessionName): Promise<void>;
  /** That it is closed is said by itself. */
  close(session: SessionName): void;
  cut(session: SessionName): void;
}

/** What a thread asks of the main thread: the store, and to be heard. */
export interface MainCalls {
  loadCredentials(deviceId: number): Promise<Uint8Array | null>;
  readKeys(deviceId: number, type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  readTogether(deviceId: number, keys: readonly KeyName[]): Promise<readonly (Uint8Array | null)[]>;
  readInbox(deviceId: number, key: string): Promise<Uint8Array | null>;
  commit(deviceId: number, changes: SessionChanges, epoch: number | null): Promise<void>;
  clearCredentials(deviceId: number, changes: SessionChanges, epoch: number | null): Promise<void>;
  findMessage(deviceId: number, id: string, chat?: Jid, patient?: boolean): Promise<MessageRecord | null>;
  listMessages(deviceId: number, page: PageRequest & { readonly chat?: Jid }): Promise<Page<MessageRecord>>;
  /** The thread has loaded what it needs. */
  ready(): void;
  said(session: SessionName, said: Said): void;
  /** A line of the log, as JSON. */
  log(line: string): void;
}
