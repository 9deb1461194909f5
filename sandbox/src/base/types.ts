/** Types of the sandbox network: accounts, their devices, and the hub that carries stanzas between them. */
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
  /** Closes the connection, after an optional last stanza. */
  close(last?: BinaryNode): void;
  /** Keeps the connection open but drops everything in both directions from now on. */
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
  /** Public one-time prekeys by id, 32 bytes each. */
  readonly preKeys: Map<number, Uint8Array>;
}

export interface Device {
  readonly account: Account;
  readonly id: number;
  readonly keyIndex: number;
  readonly linkedAt: number;
  readonly platform: string | null;
  /** Static Noise key of its logins; null for the phone. */
  readonly noiseKey: Uint8Array | null;
  keys: PublishedKeys | null;
  client: Client | null;
  /** Messages, receipts, calls and notifications that are not acked yet, in order, by the key of their ack. */
  readonly queue: Map<string, WaitingStanza>;
}

/** A stanza kept until the device acks it. */
export interface WaitingStanza {
  node: BinaryNode;
  delivered: boolean;
  /** Number of deliveries; counted for status posts only. */
  deliveries: number;
  /** The connection it was last delivered to; null if its present form was not delivered yet. */
  handedTo: Client | null;
}

/** Ways in which a companion learns that its account is migrated. */
export const MIGRATION_NEWS = ['clientProps', 'property', 'mapping'] as const;
export type MigrationNews = (typeof MIGRATION_NEWS)[number];

export interface Account {
  readonly number: string;
  /** `<digits>@s.whatsapp.net` */
  readonly jid: string;
  /** `<digits>@lid`; changes when the number is registered anew. */
  lid: string;
  name: string;
  migrated: boolean;
  migrationTold: readonly MigrationNews[];
  business: boolean;
  /** Stanzas by LID hide its number from others (usernames, August 2026). */
  hidesNumber: boolean;
  readonly devices: Map<number, Device>;
}

/** Step between a scan and the link: none, a new QR, or the account's passkey. */
export type Linking = 'plain' | 'refresh' | 'passkey';

/** The phone's side of linking a companion: it signs the companion's identity. */
export interface PhoneIdentity {
  readonly account: Account;
  readonly identity: KeyPair;
  /** `plain` by default. */
  readonly linking?: Linking;
  readonly passkey?: { readonly credentialId: Uint8Array; readonly publicKey: KeyObject };
  /** Shows the code for the owner to compare with the one on the companion. */
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
  /** Tokens of this account by the accounts they were given to. */
  readonly given: Map<Account, GivenToken>;
  /** Key of the cstokens made by its devices. */
  nctSalt: Uint8Array | null;
  /** Messages that start a chat with it need a token. */
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
  /** The text status of today's apps; `seconds` 0: no end. */
  textStatus: {
    readonly text: string;
    readonly emoji: string | null;
    readonly seconds: number;
    readonly at: number;
  } | null;
  /** Privacy settings by name. */
  readonly privacy: Map<string, string>;
  /** Default lifetime of messages in new chats. */
  disappearing: { readonly seconds: number; readonly at: number };
  /** When its last device went offline; unknown after a restart. */
  lastSeen: number | null;
}

export interface Hub {
  readonly accounts: ReadonlyMap<string, Account>;
  /** Creates an account whose device 0 has no client and no keys yet. Throws if the number is taken. */
  createAccount(number: string, name: string): Account;
  findAccount(address: string): Account | null;
  /** Makes `client` the connection of the device, closes an older one as `replaced`, and delivers the backlog. */
  attach(device: Device, client: Client): void;
  detach(device: Device, client: Client): void;
  /** Handles one stanza from a device: answers an iq, routes and acks a message, takes a receipt or ack. Answers go to `device.client`. */
  receive(device: Device, node: BinaryNode): void;
  /** Queues a stanza for the device, or sends it at once if it needs no ack. */
  deliver(device: Device, node: BinaryNode): void;
  /** Writes the address of a person as `from` should at present: by LID or phone JID. */
  wireJid(from: Account, jid: string): string;
  /** Links by the text of a QR. Rejects if the ref is unknown, expired or used. */
  pairByQr(phone: PhoneIdentity, qrText: string): Promise<Device>;
  /** Links by an 8-character pairing code that was requested for this phone's number. */
  pairByCode(phone: PhoneIdentity, code: string): Promise<Device>;
  /** Unlinks a companion: closes its connection with `device_removed`, forgets its state, and tells the account's other devices. */
  unlink(device: Device): void;
  /** Gives the account a new LID, as if its number was registered anew. The former LID stays valid for incoming messages. */
  renewLid(account: Account): void;
  setBlocked(account: Account, other: Account, blocked: boolean): void;
  profileOf(account: Account): Readonly<Profile>;
  tokensOf(account: Account): Tokens;
  loseTokens(account: Account): void;
  forgetAppState(account: Account): void;
  /** True if the network enforces today's addressing rules. */
  isStrict(): boolean;
  readonly record: Recorder | undefined;
}
