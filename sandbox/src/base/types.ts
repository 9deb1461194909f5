/** Types of the sandbox network: accounts, devices, and the hub that carries stanzas between them. */
import type { KeyObject } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import type { Recorder } from './recorder.ts';

export interface KeyPair {
  /** 32 bytes, without the 0x05 type byte. */
  readonly public: Uint8Array;
  readonly private: Uint8Array;
}

export interface Client {
  send(node: BinaryNode): void;
  close(last?: BinaryNode): void;
  /** Keeps the connection open but drops everything in both directions. */
  silence?(): void;
}

export interface PublicSignedPreKey {
  readonly id: number;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

export interface PublishedKeys {
  registrationId: number;
  /** 32 bytes. */
  identity: Uint8Array;
  signedPreKey: PublicSignedPreKey;
  /** Public one-time prekeys by id, 32 bytes each. */
  readonly preKeys: Map<number, Uint8Array>;
}

export interface Device {
  readonly account: Account;
  readonly id: number;
  readonly keyIndex: number;
  readonly linkedAt: number;
  readonly platform: string | null;
  readonly noiseKey: Uint8Array | null;
  keys: PublishedKeys | null;
  client: Client | null;
  /** Stanzas not acked yet, in order, by the key of their ack. */
  readonly queue: Map<string, WaitingStanza>;
}

export interface WaitingStanza {
  node: BinaryNode;
  delivered: boolean;
  /** Counted for status posts only. */
  deliveries: number;
  /** The connection it was last delivered to; null if its present form was not delivered yet. */
  handedTo: Client | null;
}

/** Ways in which a companion learns that its account is migrated. */
export const MIGRATION_NEWS = ['clientProps', 'property', 'mapping'] as const;
export type MigrationNews = (typeof MIGRATION_NEWS)[number];

export interface Account {
  readonly number: string;
  readonly jid: string;
  lid: string;
  name: string;
  migrated: boolean;
  migrationTold: readonly MigrationNews[];
  business: boolean;
  hidesNumber: boolean;
  username: string | null;
  /** Four digits, without which the name cannot be looked up. */
  usernameKey: string | null;
  readonly devices: Map<number, Device>;
}

/** Step between scan and link: none, a new QR, or the account's passkey. */
export type Linking = 'plain' | 'refresh' | 'passkey';

/** The phone's side of linking: it signs the companion's identity. */
export interface PhoneIdentity {
  readonly account: Account;
  readonly identity: KeyPair;
  readonly linking?: Linking;
  readonly passkey?: { readonly credentialId: Uint8Array; readonly publicKey: KeyObject };
  showCode?(code: string): void;
}

export interface GivenToken {
  readonly token: Uint8Array;
  /** Seconds. */
  readonly at: number;
}

export interface CarriedTokens {
  tctoken: number;
  cstoken: number;
  wrong: number;
  none: number;
}

export interface Tokens {
  /** Tokens this account has given, by recipient. */
  readonly given: Map<Account, GivenToken>;
  nctSalt: Uint8Array | null;
  /** Messages that start a chat with it need a token. */
  required: boolean;
  readonly carried: CarriedTokens;
}

export interface PictureFiles {
  readonly image: string;
  readonly preview: string;
}

export interface Picture extends PictureFiles {
  readonly id: string;
}

/** Profile of an account. Times are in seconds. */
export interface Profile {
  picture: Picture | null;
  about: { readonly text: string; readonly at: number } | null;
  textStatus: {
    readonly text: string;
    readonly emoji: string | null;
    readonly seconds: number;
    readonly at: number;
  } | null;
  readonly privacy: Map<string, string>;
  /** Audience of its statuses in the older list on the server; null: no such list. */
  statusPrivacy: { readonly type: 'contacts' | 'whitelist' | 'blacklist'; readonly people: readonly string[] } | null;
  disappearing: { readonly seconds: number; readonly at: number };
  lastSeen: number | null;
}

export interface Hub {
  readonly accounts: ReadonlyMap<string, Account>;
  /** Device 0 has no client and no keys yet. Throws if the number is taken. */
  createAccount(number: string, name: string): Account;
  findAccount(address: string): Account | null;
  /** Closes an older connection as `replaced`, and delivers the backlog. */
  attach(device: Device, client: Client): void;
  detach(device: Device, client: Client): void;
  receive(device: Device, node: BinaryNode): void;
  /** Queues a stanza, or sends it at once if it needs no ack. */
  deliver(device: Device, node: BinaryNode): void;
  /** A person's address as `from` should write it at present: LID or phone JID. */
  wireJid(from: Account, jid: string): string;
  pairByQr(phone: PhoneIdentity, qrText: string): Promise<Device>;
  /** Links by a pairing code requested for this phone's number. */
  pairByCode(phone: PhoneIdentity, code: string): Promise<Device>;
  /** Closes the companion's connection with `device_removed`, forgets its state, and tells the account's other devices. */
  unlink(device: Device): void;
  /** As if the number was registered anew. The former LID stays valid for incoming messages. */
  renewLid(account: Account): void;
  setBlocked(account: Account, other: Account, blocked: boolean): void;
  profileOf(account: Account): Readonly<Profile>;
  tokensOf(account: Account): Tokens;
  loseTokens(account: Account): void;
  forgetAppState(account: Account): void;
  isStrict(): boolean;
  readonly record: Recorder | undefined;
}
