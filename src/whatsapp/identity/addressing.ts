/** The addresses and devices a message is encrypted for. */
import { jidDecode } from '../library/jid.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import { type Jid, jidUser, type Addresses, jidKind } from '../../domain/jid.ts';
import type { BoundedCache } from '../library/bounded-cache.ts';
import { contactHashesIn, usersByHash } from './hashes.ts';
import { plainJid, meOf } from './people.ts';
import { askDevices, type ListedDevice } from '../socket/account-queries.ts';
import { factsOf } from './account.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

export const deviceListsLiveMs = 3_600_000;

export interface DeviceEntry {
  readonly user: string;
  readonly server: string;
  readonly device: number;
}

export type DeviceListCache = BoundedCache<readonly DeviceEntry[]>;

export interface DeviceListsOptions {
  readonly sock: Pick<Socket, 'usync' | 'stanzas'>;
  readonly creds: AuthenticationCreds;
  readonly cache: DeviceListCache;
  readonly mapping: Pick<LidMapping, 'peek'>;
}

const isLid = (server: string): boolean => server.endsWith('lid');

const serverOf = (jid: Jid, { isHosted }: ListedDevice): string => {
  if (isLid(jid)) return isHosted ? 'hosted.lid' : 'lid';
  return isHosted ? 'hosted' : 's.whatsapp.net';
};

export const deviceJid = ({ user, server, device }: DeviceEntry): string =>
  device === 0 ? `${user}@${server}` : `${user}:${device}@${server}`;

/** Cap on devices kept per account. The network allows four companions, so more means a malformed answer. */
export const maxDevices = 100;

/**
 * Device lists by the requested address: LID devices by LID, phone devices by number. Used for an hour at most, dropped when a `devices`
 * notification, an ack or an error reports them outdated, and then queried again, never patched (docs/internals/sources.md).
 */
export class DeviceLists {
  readonly #options: DeviceListsOptions;
  #dropped = 0;
  #usersByHash: ReturnType<typeof usersByHash> | null = null;

  constructor(options: DeviceListsOptions) {
    this.#options = options;
    const { stanzas } = options.sock;
    stanzas.on('notification', (node) => this.#heed(node), { type: 'devices' });
    stanzas.on('notification', () => this.forget(this.#own()), { type: 'account_sync' });
  }

  /** In order; empty for an account without devices. Excludes the sending device. */
  async of(jids: readonly Jid[]): Promise<readonly (readonly DeviceEntry[])[]> {
    const lists: (readonly DeviceEntry[])[] = [];
    const missing: Jid[] = [];
    for (const jid of jids) {
      const list = this.#options.cache.get(jidUser(jid));
      // Equal digits may be a LID or a number, with different lists.
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

  /** A change without a device names the account by a hash, and is sent in the own account's name. */
  #heed(node: BinaryNode): void {
    const hashes = contactHashesIn(node);
    if (hashes.length === 0) return this.forget(accountsIn(node));
    const { cache, mapping } = this.#options;
    const users = (this.#usersByHash ??= usersByHash(cache, mapping));
    this.forget(hashes.flatMap((hash) => [...(users.get(hash) ?? [])]));
  }

  #own(): (string | undefined)[] {
    const { me } = this.#options.creds;
    return [me?.id, me?.lid];
  }

  async #ask(jids: readonly Jid[]): Promise<ReadonlyMap<Jid, readonly DeviceEntry[]>> {
    const before = this.#dropped;
    const answer = await askDevices(this.#options.sock, jids);
    const wanted = new Set(jids);
    const lists = new Map<Jid, readonly DeviceEntry[]>();
    for (const [jid, devices] of answer) {
      const plain = plainJid(jid);
      if (!wanted.has(plain)) continue;
      const list = this.#usable(plain, devices.slice(0, maxDevices));
      lists.set(plain, list);
      if (list.length === 0 || before !== this.#dropped) continue;
      this.#options.cache.set(jidUser(plain), list);
      this.#usersByHash = null;
    }
    return lists;
  }

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

/** All accounts in a notification, by both addresses: in 2026 it is one `<device jid=PN:n lid=LID:n>`. */
const accountsIn = ({ attrs, content }: BinaryNode): (string | undefined)[] => {
  const changes = Array.isArray(content) ? content : [];
  const devices = changes.flatMap((change) => (Array.isArray(change.content) ? change.content : []));
  return [attrs.from, attrs.lid, ...devices.flatMap((device) => [device.attrs.jid, device.attrs.lid])];
};

/** For an account whose migration state is unknown. */
const migratedWhereUnknown = true;

export interface Wire {
  readonly to: Jid;
  readonly peerPhone: Jid | null;
  readonly own: Jid;
}

type Mapping = Pick<LidMapping, 'find' | 'peek' | 'addressesOf' | 'getLIDForPN' | 'refresh'>;

export const isLidMigrated = (creds: AuthenticationCreds): boolean =>
  factsOf(creds).lidMigrated ?? migratedWhereUnknown;

/**
 * Which of a person's two addresses a message goes to. Participants, own devices and tokens use the namespace of `to` (a mix is refused
 * with 400: whatsapp-rust #730, 2026-06-05).
 * Rule: the LID if the account is, or may be, migrated and the person's LID is known or can be queried; with the phone JID as
 * `peer_recipient_pn`. Source: whatsmeow `send.go` (2026-08-21), zapo `WaMessageDispatchCoordinator` (2026-08-19), OpenWA #717
 * (2026-07-12: 463 to the number, delivered to the LID).
 * Contested: WhatsApp Web and whatsapp-rust #943 (2026-07-02) use the number if nothing is known of the account; on an account that is
 * not migrated each message to a LID is refused with 400. So a 400 is followed by one try with the number, and what worked is remembered.
 */
export class Addressing {
  readonly #creds: AuthenticationCreds;
  readonly #mapping: Mapping;

  constructor(creds: AuthenticationCreds, mapping: Mapping) {
    this.#creds = creds;
    this.#mapping = mapping;
  }

  async of(chat: Jid, byPhone = false): Promise<Wire> {
    const mapping = this.#mapping;
    const known = mapping.find(chat) ?? (await mapping.addressesOf(chat));
    const number = byPhone || !isLidMigrated(this.#creds);
    if (number || known.lid !== null) return this.#wire(chat, known, number);
    await mapping.getLIDForPN(chat);
    return this.#wire(chat, mapping.peek(chat), number);
  }

  /** The network has no device at `former`: queries the LID again, and uses it whatever is known of the account. */
  async anew(chat: Jid, former: Wire): Promise<Wire> {
    await this.#mapping.refresh(former.peerPhone ?? chat);
    return this.#wire(chat, this.#mapping.peek(chat), false);
  }

  #wire(chat: Jid, { phone, lid }: Addresses, byPhone: boolean): Wire {
    const me = meOf(this.#creds);
    const to = lid !== null && me.lid !== null && (phone === null || !byPhone) ? lid : (phone ?? chat);
    if (jidKind(to) !== 'lid') return { to, peerPhone: null, own: me.phone };
    return { to, peerPhone: phone, own: me.lid ?? me.phone };
  }
}

export interface FanOut {
  readonly wire: Wire;
  readonly own: readonly string[];
  readonly recipients: readonly string[];
}

export class NoSuchAccount extends Error {}

const isSelf = ({ to, own }: Wire): boolean => to === own;

const devicesAt = async (lists: DeviceLists, wire: Wire): Promise<FanOut> => {
  const [own = [], others = []] = await lists.of([wire.own, wire.to]);
  return { wire, own: own.map(deviceJid), recipients: wire.to === wire.own ? [] : others.map(deviceJid) };
};

/** `byPhone`: the recipient's LID was refused. Throws if the recipient has no device. */
export const fanOutOf = async (
  addressing: Addressing,
  lists: DeviceLists,
  chat: Jid,
  byPhone: boolean,
): Promise<FanOut> => {
  const found = await devicesAt(lists, await addressing.of(chat, byPhone));
  if (found.recipients.length > 0 || isSelf(found.wire)) return found;
  if (byPhone) throw new Error('the network refuses the LID and names no device by phone number');
  return askAgain(addressing, lists, chat, found.wire);
};

/** An empty list is queried once more: a migrated account has none by its number, and a LID may be outdated. */
const askAgain = async (addressing: Addressing, lists: DeviceLists, chat: Jid, former: Wire): Promise<FanOut> => {
  const wire = await addressing.anew(chat, former);
  lists.forget([former.to, wire.to]);
  const found = await devicesAt(lists, wire);
  if (found.recipients.length > 0) return found;
  if (wire.peerPhone === null) throw new NoSuchAccount('the network knows no account at this address');
  throw new Error('the network names no device of the recipient, which was asked twice: nothing was sent');
};
