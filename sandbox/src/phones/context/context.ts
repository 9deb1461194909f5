/** State and services shared by the parts of a phone. */
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
import type { ViewStatus } from './statuses.ts';
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
  /** Messages whose id was already seen. */
  duplicates: 0,
  decryptFailures: 0,
  /** Keys that encrypted two different messages. */
  reusedKeys: 0,
  /** Copies of own messages that name the chat in another namespace than their stanza. */
  destinationMismatches: 0,
  mediaFailures: 0,
  retriesAsked: 0,
  retriesAnswered: 0,
  peerReceipts: 0,
  historyReceipts: 0,
  /** Left unanswered because they were wrapped in `deviceSentMessage` or not marked as peer messages. */
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
  online: boolean;
  deliverReceipts: boolean;
  readReceipts: boolean;
  blockedBy: readonly string[];
  linking: Linking;
}

export interface SentMessage {
  readonly to: string;
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly edit: string | null;
  /** A message between own devices: history or keys. */
  readonly peer: boolean;
  readonly withheld: Withheld | null;
}

/** What linked devices get instead: `<unavailable type="view_once">`, no ciphertext, or an undecryptable one. */
export type Withheld = 'viewOnce' | 'waiting' | 'garbled';

export interface OldChats {
  readonly people: readonly string[];
  readonly messages: number;
  /** Default: 50. */
  readonly chatsAChunk?: number;
  /** Time of the last message (ms). */
  readonly at: number;
}

export interface PhoneCall {
  readonly id: string;
  readonly from: string;
  readonly fromMe: boolean;
  readonly to: string | null;
  readonly video: boolean;
  readonly state: string;
}

export interface MediaLocation {
  readonly blobs: Blobs;
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
  keys: Keys;
  readonly view: MessageView;
  readonly sent: RecentMap<SentMessage>;
  /** `<id>/<author's number>` of everything decrypted, shown or not. */
  readonly seen: RecentMap<true>;
  /** Content of received messages other than plain texts, for media, quotes and history. */
  readonly content: RecentMap<Uint8Array>;
  readonly lostFiles: Set<string>;
  /** By message id. Edits, votes and the like are sealed under them. */
  readonly secrets: RecentMap<Uint8Array>;
  readonly calls: RecentMap<PhoneCall>;
  readonly statuses: RecentMap<ViewStatus>;
  readonly timers: Map<string, number>;
  readonly behaviour: Behaviour;
  readonly appState: PhoneAppState;
  readonly oldChats: OldChats[];
  readonly authenticator: Authenticator;
  readonly counters: PhoneCounters;
  readonly media: MediaLocation;
  readonly changed: () => void;
  readonly report: (error: unknown) => void;
}

export type Message = proto.IMessage;

/** Copies the encoded bytes, which are a view of a pool that would be kept alive with them. */
export const serialized = (message: Message): Uint8Array => Uint8Array.from(proto.Message.encode(message).finish());
