/** Shared state and services of the parts of one phone. */
import { notFound } from '../../base/errors.ts';
import { randomBytes } from 'node:crypto';
import { proto } from 'baileys';
import type { Blobs } from '../../media/blobs.ts';
import type { Account, Device, Hub, Linking } from '../../base/types.ts';
import type { PhoneAppState } from '../companions/app-state.ts';
import type { Authenticator } from '../companions/authenticator.ts';
import type { Line } from './requests.ts';
import type { RecentMap } from './recent-map.ts';
import type { SignalPeer } from '../signal/signal-peer.ts';
import type { SignalState } from '../signal/signal-state.ts';
import type { MessageView } from './view.ts';

export const changeBehaviour = ({ hub, behaviour, line, account }: PhoneContext, members: Partial<Behaviour>): void => {
  if (members.blockedBy !== undefined) {
    const accounts = new Map(
      [...behaviour.blockedBy, ...members.blockedBy].map((number) => [number, hub.findAccount(number)]),
    );
    for (const [number, other] of accounts) {
      if (other === null) throw notFound(`there is no phone ${number}`);
    }
    for (const [number, other] of accounts) hub.setBlocked(other!, account, members.blockedBy.includes(number));
  }
  Object.assign(behaviour, members);
  if (behaviour.online) line.connect();
  else line.disconnect();
};

const zero = {
  sent: 0,
  received: 0,
  /** Messages whose id had been seen before. */
  duplicates: 0,
  decryptFailures: 0,
  /** Keys of a ratchet or sender key that have encrypted two different messages. */
  reusedKeys: 0,
  /** Copies of the account's own messages that name the chat in another namespace than their stanza does. */
  destinationMismatches: 0,
  mediaFailures: 0,
  retriesAsked: 0,
  retriesAnswered: 0,
  /** Messages to companions (history, keys) that they have receipted, and chunks of history among them that they have receipted as such. */
  peerReceipts: 0,
  historyReceipts: 0,
  /** Requests of companions that were wrapped in `deviceSentMessage`, or not marked as peer messages, and were left unanswered for it. */
  wrappedPeerMessages: 0,
};

export type PhoneCounters = typeof zero;

export const newCounters = (): PhoneCounters => ({ ...zero });

export const addCounters = (sum: PhoneCounters, more: Readonly<PhoneCounters>): PhoneCounters => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of an object of this shape
  for (const name of Object.keys(zero) as (keyof PhoneCounters)[]) sum[name] += more[name];
  return sum;
};

export const messageId = (): string => `3A${randomBytes(9).toString('hex').toUpperCase()}`;

export const callId = (): string => randomBytes(16).toString('hex').toUpperCase();

export const stanzaId = (): string => randomBytes(8).toString('hex');

export interface Behaviour {
  /** False: not connected; what arrives waits on the server. */
  online: boolean;
  deliverReceipts: boolean;
  readReceipts: boolean;
  /** Numbers that have blocked this phone: the server takes its messages to them, and they never arrive. */
  blockedBy: readonly string[];
  /** Obstacle between a scan and a link. */
  linking: Linking;
}

/** A message as it went out, kept so that a retry receipt can be answered. */
export interface SentMessage {
  /** The chat as it was addressed. */
  readonly to: string;
  /** Serialised `proto.Message`. */
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly edit: string | null;
  /** A message between the account's own devices: history, keys. */
  readonly peer: boolean;
  readonly withheld: Withheld | null;
}

/** Stanza that linked devices get in place of a message: `<unavailable type="view_once">`, no ciphertext, or one that cannot be decrypted. */
export type Withheld = 'viewOnce' | 'waiting' | 'garbled';

/** Chats of one time, each with a number of messages. */
export interface OldChats {
  /** Phone numbers. */
  readonly people: readonly string[];
  readonly messages: number;
  /** Chats that come together; absent: 50. */
  readonly chatsAChunk?: number;
  /** When the last message was written (ms). */
  readonly at: number;
}

export interface PhoneCall {
  readonly id: string;
  readonly from: string;
  readonly fromMe: boolean;
  /** JID of the callee; null for incoming calls. */
  readonly to: string | null;
  readonly video: boolean;
  readonly state: string;
}

export interface MediaLocation {
  readonly blobs: Blobs;
  /** Public download address of a blob. */
  urlOf(token: string): { readonly url: string; readonly directPath: string };
}

export interface Keys {
  readonly state: SignalState;
  readonly peer: SignalPeer;
}

export interface PhoneContext {
  readonly hub: Hub;
  readonly account: Account;
  readonly device: Device;
  readonly line: Line;
  /** Replaced when the app is reinstalled. */
  keys: Keys;
  readonly view: MessageView;
  readonly sent: RecentMap<SentMessage>;
  /** `<id>/<author's number>` of everything that was received and understood, shown or not. */
  readonly seen: RecentMap<true>;
  /** Serialised content of what was received, plain texts apart: for its media, to be quoted, and to be handed to companions. */
  readonly content: RecentMap<Uint8Array>;
  /** Messages whose file was deleted from the phone, until this process ends. */
  readonly lostFiles: Set<string>;
  /** Secrets of received messages by message id; edits, votes and the like are sealed under them. */
  readonly secrets: RecentMap<Uint8Array>;
  readonly calls: RecentMap<PhoneCall>;
  /** Seconds after which messages disappear, by chat; chats without a timer are absent. */
  readonly timers: Map<string, number>;
  readonly behaviour: Behaviour;
  readonly appState: PhoneAppState;
  /** Chats from before the sandbox, which the history hands to companions. */
  readonly oldChats: OldChats[];
  readonly authenticator: Authenticator;
  readonly counters: PhoneCounters;
  readonly media: MediaLocation;
  /** Something changed that has to be stored. */
  readonly changed: () => void;
  /** Something failed that nobody waits for. */
  readonly report: (error: unknown) => void;
}

export type Message = proto.IMessage;

/** A message as bytes to be kept: a copy, since what the encoder gives is a view of a pool that would live as long. */
export const serialized = (message: Message): Uint8Array => Uint8Array.from(proto.Message.encode(message).finish());
