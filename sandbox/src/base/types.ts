/** The shape of the sandbox network: accounts, their devices, and the hub that carries stanzas between them. */
import type { KeyObject } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import type { Recorder } from './recorder.ts';

export interface KeyPair {
  /** 32 bytes, without the 0x05 type byte. */
  readonly public: Uint8Array;
  readonly private: Uint8Array;
}

/** Connection of a device: a WebSocket, or a phone that lives in the sandbox itself. */
export interface Client {
  send(node: BinaryNode): void;
  /** Ends the connection, after an optional last stanza. */
  close(last?: BinaryNode): void;
  /** Leaves the connection open, but from now on nothing goes through it in either direction. */
  silence?(): void;
}

export interface PublicSignedPreKey {
  readonly id: number;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

/** The public Signal keys of one device, as uploaded. */
export interface PublishedKeys {
  registrationId: number;
  /** 32 bytes. */
  identity: Uint8Array;
  signedPreKey: PublicSignedPreKey;
  /** One-time prekeys by id, 32 bytes each; handed out once. */
  readonly preKeys: Map<number, Uint8Array>;
}

/** One device of an account; number 0 is the phone itself. */
export interface Device {
  readonly account: Account;
  readonly id: number;
  readonly keyIndex: number;
  readonly linkedAt: number;
  readonly platform: string | null;
  /** The static Noise key that this device logs in with; null for the phone. */
  readonly noiseKey: Uint8Array | null;
  keys: PublishedKeys | null;
  client: Client | null;
  /** Messages, receipts, calls and notifications not acked yet, in order, by what their ack names. */
  readonly queue: Map<string, WaitingStanza>;
}

/** A stanza that waits for a device until the device has acked it. */
export interface WaitingStanza {
  node: BinaryNode;
  /** At least once before. */
  delivered: boolean;
  /** Deliveries so far, counted for status posts alone. */
  deliveries: number;
  /** Connection to which it was delivered last; null: to none, in its present form. */
  handedTo: Client | null;
}

/** The ways in which a companion learns that its account is migrated (server/migration.ts, phones/migration.ts). */
export const MIGRATION_NEWS = ['clientProps', 'property', 'mapping'] as const;
export type MigrationNews = (typeof MIGRATION_NEWS)[number];

export interface Account {
  readonly number: string;
  /** `<digits>@s.whatsapp.net` */
  readonly jid: string;
  /** `<digits>@lid`; another one when the number was registered anew. */
  lid: string;
  name: string;
  /** Its messages to persons go by LID. */
  migrated: boolean;
  migrationTold: readonly MigrationNews[];
  /** A business account. */
  business: boolean;
  /** Stanzas by LID do not tell its number to others (usernames, August 2026). */
  hidesNumber: boolean;
  readonly devices: Map<number, Device>;
}

/** Obstacle between a scan and a link: none, a new QR, or the account's passkey. */
export type Linking = 'plain' | 'refresh' | 'passkey';

/** Identity of a phone that links a companion; it signs the companion's. */
export interface PhoneIdentity {
  readonly account: Account;
  readonly identity: KeyPair;
  /** `plain` when it does not say. */
  readonly linking?: Linking;
  /** The public half of the account's passkey, where it has one. */
  readonly passkey?: { readonly credentialId: Uint8Array; readonly publicKey: KeyObject };
  /** Shows the code that its owner compares with the one of the companion. */
  showCode?(code: string): void;
}

export interface GivenToken {
  readonly token: Uint8Array;
  /** Seconds. */
  readonly at: number;
}

/** Counts of the tokens in messages to an account that demanded one. */
export interface CarriedTokens {
  tctoken: number;
  cstoken: number;
  /** A token that is not the right one. */
  wrong: number;
  none: number;
}

/** Privacy tokens of one account, as the server keeps them. */
export interface Tokens {
  /** Its tokens, by those who have them. */
  readonly given: Map<Account, GivenToken>;
  /** Key of the cstokens that its devices make. */
  nctSalt: Uint8Array | null;
  /** It demands a token of whom it has no chat with. */
  required: boolean;
  readonly carried: CarriedTokens;
}

/** Paths of a picture on the media host. */
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
  /** The one of today's apps; `seconds` 0: it has no end. */
  textStatus: {
    readonly text: string;
    readonly emoji: string | null;
    readonly seconds: number;
    readonly at: number;
  } | null;
  /** Privacy settings by name. */
  readonly privacy: Map<string, string>;
  /** How long messages of new chats are kept. */
  disappearing: { readonly seconds: number; readonly at: number };
  /** When its last device went offline; not known after a restart. */
  lastSeen: number | null;
}

/** The server without its transport. */
export interface Hub {
  readonly accounts: ReadonlyMap<string, Account>;
  /** A new account whose device 0 has no client and no keys yet. Throws when the number is taken. */
  createAccount(number: string, name: string): Account;
  /** Finds by number, phone JID or LID; the device part is ignored. */
  findAccount(address: string): Account | null;
  /** Makes `client` the device's connection (an older one is ended as `replaced`) and delivers what waits. */
  attach(device: Device, client: Client): void;
  detach(device: Device, client: Client): void;
  /** One stanza from a device: an iq is answered, a message routed and acked, a receipt or ack taken. Answers go to `device.client`. */
  receive(device: Device, node: BinaryNode): void;
  /** Puts a stanza in the device's queue (or sends it at once where nothing needs to wait). */
  deliver(device: Device, node: BinaryNode): void;
  /** How `from` writes the address of a person in a stanza, as the network wants it now. */
  wireJid(from: Account, jid: string): string;
  /** Links by the text of a QR. Rejects with an Error in plain words when the ref is unknown, expired or used. */
  pairByQr(phone: PhoneIdentity, qrText: string): Promise<Device>;
  /** Links by an 8-character pairing code that was asked for this phone's number. */
  pairByCode(phone: PhoneIdentity, code: string): Promise<Device>;
  /** Unlinks a companion: `device_removed`, its connection ended, its state gone; the account's other devices are told. */
  unlink(device: Device): void;
  /** Another LID for the account, as after its number was registered anew. The former one is known for a while. */
  renewLid(account: Account): void;
  /** Messages from `other` no longer reach `account`. */
  setBlocked(account: Account, other: Account, blocked: boolean): void;
  /** Its picture, text and settings. */
  profileOf(account: Account): Readonly<Profile>;
  /** Its privacy tokens, as the server keeps them. */
  tokensOf(account: Account): Tokens;
  /** The account has lost the privacy tokens that others gave it. */
  loseTokens(account: Account): void;
  /** The phone begins anew, and its companions are gone. */
  forgetAppState(account: Account): void;
  /** Whether the network insists on today's rules of addressing. */
  isStrict(): boolean;
  readonly record: Recorder | undefined;
}
