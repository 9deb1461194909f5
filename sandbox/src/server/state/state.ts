/** Shared state of the hub: accounts, connections, faults and counters. */
import type { Device, Account, Client, PictureFiles, WaitingStanza } from '../../base/types.ts';
import type { BinaryNode, proto } from 'baileys';
import type { Clock } from '../../base/clock.ts';
import { element } from '../../base/nodes.ts';
import type { MediaAuths } from '../../media/host.ts';
import type { AccountRegistry } from '../accounts/accounts.ts';
import type { Faults } from './faults.ts';
import type { Group } from '../groups/group.ts';
import type { AccountLimits } from '../accounts/fault-times.ts';
import type { Recorder } from '../../base/recorder.ts';

/** Log of logins: it shows whether a device was ever connected twice. */
interface LoginRecord {
  readonly seq: number;
  readonly number: string;
  readonly device: number;
  /** ms */
  readonly at: number;
  /** The device was connected already: that connection has ended with this login. */
  readonly replaced: boolean;
}

/** The newest ones are kept. */
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

/** The end of a stream whose device was unlinked, or is connected elsewhere now. */
export const conflict = (
  { faults }: Pick<HubState, 'faults'>,
  type: 'device_removed' | 'replaced',
  attrs: Readonly<Record<string, string>> = {},
): BinaryNode => {
  const reason = faults.says.conflict;
  return element('stream:error', attrs, [element('conflict', { type, ...(reason !== null && { reason }) })]);
};

/** A backlog that is being handed over. */
interface Backlog {
  /** The queue in its order; it also reaches what is added meanwhile. */
  readonly waiting: Iterator<[string, WaitingStanza], undefined>;
  /** First stanza of the next window. */
  next: IteratorResult<[string, WaitingStanza], undefined>;
  handed: number;
}

/** A device while it is connected. */
export interface Session {
  readonly device: Device;
  readonly client: Client;
  /** Stanzas are delivered as they come: the backlog is through. */
  flowing: boolean;
  /** Null before the device has said that it is active, and after the last window. */
  backlog: Backlog | null;
  /** It shows as online. */
  available: boolean;
  /** The name that it has announced on this connection. */
  pushName: string | null;
  /** Messages whose retry receipt came, and whose refusal (an ack with an error) is still to come. */
  readonly retried: Set<string>;
}

export interface Counters {
  connections: number;
  handshakes: number;
  messagesIn: number;
  /** Those among them that go between devices of one account: keys, history. */
  peerMessages: number;
  messagesOut: number;
  acked: number;
  redelivered: number;
  keepAlives: number;
  /** Bytes of stanzas from and to linked clients, as they are sealed. */
  bytesIn: number;
  bytesOut: number;
  unknownStanzas: number;
  /** Messages that were refused because of their addresses. */
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

/** Encrypts a file of the server's own and puts it on the media host; null where there is none. */
export type StoreFile = (kind: 'md-app-state', bytes: Uint8Array) => Promise<proto.IExternalBlobReference | null>;

/** Puts a profile picture on the media host; null for bytes that are no picture. */
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
  /** Devices that subscribed to an account's presence. */
  readonly presenceWatchers: Map<Account, Set<Device>>;
  /** Devices that were told that their prekeys run low. */
  readonly toldPreKeysLow: Set<Device>;
  readonly counters: Counters;
  /** Logins of linked devices. */
  readonly logins: Logins;
  /** The faults of this moment. */
  faults: Faults;
  /** Without any fault. */
  readonly usual: Faults;
  readonly limits: AccountLimits;
  /** AB properties as clients were told them, by hash. */
  readonly propertySets: Map<string, Readonly<Record<string, string>>>;
  /** Told of a connection that was cut because of what it sent. */
  readonly onError: (error: unknown) => void;
  readonly record: Recorder | undefined;
  nextId(): string;
}

/** Sends at once, or not at all when nobody is there. */
export const sendNow = ({ client }: Device, node: BinaryNode): void => client?.send(node);

/** Sends what nobody has asked for and nothing waits for: not in the middle of a backlog. */
export const sendLive = ({ sessions }: HubState, device: Device, node: BinaryNode): void => {
  if (!sessions.get(device)?.backlog) sendNow(device, node);
};
