/** Shared state of the hub: accounts, connections, faults and counters. */
import type { Device, Account, Client, PictureFiles, WaitingStanza } from '../../base/types.ts';
import type { BinaryNode, proto } from 'baileys';
import type { Clock } from '../../base/clock.ts';
import { element } from '../../base/nodes.ts';
import type { MediaAuths } from '../../media/host.ts';
import type { AccountRegistry } from '../accounts/accounts.ts';
import type { Faults } from './faults.ts';
import type { Channel } from '../channels/channel.ts';
import type { Group } from '../groups/group.ts';
import type { AccountLimits } from '../accounts/fault-times.ts';
import type { Recorder } from '../../base/recorder.ts';

interface LoginRecord {
  readonly seq: number;
  readonly number: string;
  readonly device: number;
  readonly at: number;
  readonly replaced: boolean;
}

const kept = 50_000;

export class Logins {
  #records: LoginRecord[] = [];
  #seq = 0;

  add({ account, id }: Device, at: number, replaced: boolean): void {
    this.#seq += 1;
    this.#records.push({ seq: this.#seq, number: account.number, device: id, at, replaced });
    if (this.#records.length > 2 * kept) this.#records = this.#records.slice(-kept);
  }

  after(seq: number): readonly LoginRecord[] {
    return this.#records.filter((record) => record.seq > seq);
  }
}

/** For a device unlinked, or connected elsewhere. */
export const conflict = (
  { faults }: Pick<HubState, 'faults'>,
  type: 'device_removed' | 'replaced',
  attrs: Readonly<Record<string, string>> = {},
): BinaryNode => {
  const reason = faults.says.conflict;
  return element('stream:error', attrs, [element('conflict', { type, ...(reason !== null && { reason }) })]);
};

interface Backlog {
  /** In order; also yields stanzas added meanwhile. */
  readonly waiting: Iterator<[string, WaitingStanza], undefined>;
  next: IteratorResult<[string, WaitingStanza], undefined>;
  handed: number;
}

export interface Session {
  readonly device: Device;
  readonly client: Client;
  /** True once the backlog is delivered and stanzas go out live. */
  flowing: boolean;
  /** Null before the device is active and after the last window. */
  backlog: Backlog | null;
  available: boolean;
  pushName: string | null;
  /** Messages with a retry receipt whose refusal (an ack with an error) is still to come. */
  readonly retried: Set<string>;
}

export interface Counters {
  connections: number;
  handshakes: number;
  messagesIn: number;
  /** Between devices of one account: keys, history. */
  peerMessages: number;
  messagesOut: number;
  acked: number;
  redelivered: number;
  keepAlives: number;
  bytesIn: number;
  bytesOut: number;
  unknownStanzas: number;
  wronglyAddressed: number;
}

export const newCounters = (): Counters => ({
  connections: 0,
  handshakes: 0,
  messagesIn: 0,
  peerMessages: 0,
  messagesOut: 0,
  acked: 0,
  redelivered: 0,
  keepAlives: 0,
  bytesIn: 0,
  bytesOut: 0,
  unknownStanzas: 0,
  wronglyAddressed: 0,
});

/** Stores an encrypted file on the media host; null if there is none. */
export type StoreFile = (kind: 'md-app-state', bytes: Uint8Array) => Promise<proto.IExternalBlobReference | null>;

export type StorePicture = (bytes: Uint8Array) => Promise<PictureFiles | null>;

export interface HubState {
  readonly clock: Clock;
  readonly mediaHost: () => string;
  readonly mediaFallback: () => string | null;
  readonly mediaAuths: MediaAuths;
  readonly storeFile: StoreFile;
  readonly storePicture: StorePicture;
  readonly registry: AccountRegistry;
  readonly sessions: Map<Device, Session>;
  readonly groups: Map<string, Group>;
  readonly channels: Map<string, Channel>;
  /** Devices that get a channel's counters, and until when (ms). */
  readonly liveUpdates: Map<string, Map<Device, number>>;
  readonly terms: Map<Account, Set<string>>;
  readonly presenceWatchers: Map<Account, Set<Device>>;
  readonly toldPreKeysLow: Set<Device>;
  readonly counters: Counters;
  readonly logins: Logins;
  faults: Faults;
  readonly usual: Faults;
  readonly limits: AccountLimits;
  /** AB properties told to clients, by hash. */
  readonly propertySets: Map<string, Readonly<Record<string, string>>>;
  readonly onError: (error: unknown) => void;
  readonly record: Recorder | undefined;
  nextId(): string;
}

export const sendNow = ({ client }: Device, node: BinaryNode): void => client?.send(node);

/** Dropped while the device is receiving its backlog. */
export const sendLive = ({ sessions }: HubState, device: Device, node: BinaryNode): void => {
  if (!sessions.get(device)?.backlog) sendNow(device, node);
};
