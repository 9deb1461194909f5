/**
 * The devices of accounts, by the address that they were asked for: a message by LID goes to LID devices, one by phone number to phone devices.
 *
 * Rule: a list is used for an hour at most, and dropped when a `devices` notification, an acknowledgement or an error says that it is wrong. A list
 * that has changed is asked for anew, never mended: the network's answer is the whole truth, and costs one question. Source: whatsmeow `user.go`
 * and `notification.go` (2026-08-21), which mend it and drop it where the hash does not fit; Baileys mends the list of the phone number alone
 * (rc14, `handleDevicesNotification`).
 */
import { jidDecode } from '../engine/jid.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import { type Jid, jidUser } from '../../domain/jid.ts';
import type { BoundedCache } from '../engine/bounded-cache.ts';
import { plainJid } from '../translate/people.ts';
import { askDevices, type ListedDevice } from './usync.ts';

export const deviceListsLiveMs = 3_600_000;

/** As the engine keeps it, which sends to groups by these lists too. */
export interface DeviceEntry {
  readonly user: string;
  readonly server: string;
  readonly device: number;
}

export type DeviceListCache = BoundedCache<readonly DeviceEntry[]>;

export interface DeviceListsOptions {
  readonly sock: Pick<WASocket, 'executeUSyncQuery' | 'ws'>;
  readonly creds: AuthenticationCreds;
  readonly cache: DeviceListCache;
}

const isLid = (server: string): boolean => server.endsWith('lid');

const serverOf = (jid: Jid, { isHosted }: ListedDevice): string => {
  if (isLid(jid)) return isHosted ? 'hosted.lid' : 'lid';
  return isHosted ? 'hosted' : 's.whatsapp.net';
};

export const deviceJid = ({ user, server, device }: DeviceEntry): string =>
  device === 0 ? `${user}@${server}` : `${user}:${device}@${server}`;

/** The most of one answer that is kept: the network allows four companions, and this many only a broken one would tell. */
const maxDevices = 100;

export class DeviceLists {
  readonly #options: DeviceListsOptions;
  /** How often lists were dropped: an answer that was on its way then may be older. */
  #dropped = 0;

  constructor(options: DeviceListsOptions) {
    this.#options = options;
    const { ws } = options.sock;
    // Before the engine, which mends the list that it finds, and only one of the two.
    ws.on('CB:notification,type:devices', (node: BinaryNode) => this.forget(accountsIn(node)));
    ws.on('CB:notification,type:account_sync', () => this.forget(this.#own()));
  }

  /** The lists of accounts, in order; an empty one for an account that the network names no device of. The sending device is in none. */
  async of(jids: readonly Jid[]): Promise<readonly (readonly DeviceEntry[])[]> {
    const lists: (readonly DeviceEntry[])[] = [];
    const missing: Jid[] = [];
    for (const jid of jids) {
      const list = this.#options.cache.get(jidUser(jid));
      // Digits are a LID or a number: the list of the one is none of the other's.
      const isKnown = list !== undefined && (list[0]?.server.endsWith('lid') ?? false) === jid.endsWith('lid');
      lists.push(isKnown ? list : []);
      if (!isKnown) missing.push(jid);
    }
    if (missing.length === 0) return lists;
    const asked = await this.#ask([...new Set(missing)]);
    return jids.map((jid, index) => (missing.includes(jid) ? (asked.get(jid) ?? []) : lists[index]!));
  }

  forget(jids: readonly (Jid | null | undefined)[]): void {
    this.#dropped += 1;
    for (const jid of jids) if (jid) this.#options.cache.delete(jidUser(jid));
  }

  #own(): (string | undefined)[] {
    const { me } = this.#options.creds;
    return [me?.id, me?.lid];
  }

  async #ask(jids: readonly Jid[]): Promise<ReadonlyMap<Jid, readonly DeviceEntry[]>> {
    const before = this.#dropped;
    const answer = await askDevices(this.#options.sock, jids);
    const lists = new Map<Jid, readonly DeviceEntry[]>();
    for (const [jid, devices] of answer) {
      const plain = plainJid(jid);
      if (!jids.includes(plain)) continue;
      const list = this.#usable(plain, devices.slice(0, maxDevices));
      lists.set(plain, list);
      if (list.length > 0 && before === this.#dropped) this.#options.cache.set(jidUser(plain), list);
    }
    return lists;
  }

  /** Each once, and without the device that sends: the engine leaves it in the account's list by LID (rc14, `extractDeviceJids`). */
  #usable(jid: Jid, devices: readonly ListedDevice[]): readonly DeviceEntry[] {
    const user = jidUser(jid);
    const own = this.#own().some((each) => each !== undefined && jidUser(each) === user);
    const sending = own ? (jidDecode(this.#options.creds.me?.id)?.device ?? 0) : null;
    const byId = new Map(devices.map((device) => [device.id, device]));
    return [...byId.values()]
      .filter(({ id }) => id !== sending)
      .map((device) => ({ user, server: serverOf(jid, device), device: device.id }));
  }
}

/** Every account that a notification names, by both of its addresses: in 2026 it is one `<device jid=PN:n lid=LID:n>`. */
const accountsIn = ({ attrs, content }: BinaryNode): (string | undefined)[] => {
  const changes = Array.isArray(content) ? content : [];
  const devices = changes.flatMap((change) => (Array.isArray(change.content) ? change.content : []));
  return [attrs.from, attrs.lid, ...devices.flatMap((device) => [device.attrs.jid, device.attrs.lid])];
};
